//! What must hold between numbers of a row: linear rules.

/// A linear rule: a weighted sum of numbers of the row lies between two limits.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// As people write it: `rent <= income`.
    pub name: String,
    /// Which number of the row counts how much.
    pub terms: Vec<(usize, f64)>,
    /// The least the sum may be.
    pub least: f64,
    /// The most it may be.
    pub most: f64,
}

/// Why a rule is not understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the rule '{rule}' {problem}")]
pub struct RuleError {
    /// As it was written.
    pub rule: String,
    /// What is wrong with it, and what is needed.
    pub problem: String,
}

/// Sums are rounded: by so much of their largest term they may be off.
const ROUNDING: f64 = 1e-9;

impl Rule {
    /// A rule as people write it, over numbers with these names: `rent <= income`, `a + b + c == 1`, `2 * rooms - baths >= 0`. Names with
    /// spaces or signs in them may be set in backticks.
    pub fn parse(text: &str, names: &[String]) -> Result<Self, RuleError> {
        let refused = |problem: String| RuleError { rule: text.trim().to_owned(), problem };
        let (left, sign, right) = split(text).ok_or_else(|| {
            refused(
                "is not understood: one of <=, >= and == between two sums of columns and numbers is needed"
                    .into(),
            )
        })?;
        let mut sum = Sum::default();
        sum.add(left, 1.0, names).map_err(refused)?;
        sum.add(right, -1.0, names).map_err(refused)?;
        sum.terms.retain(|(_, weight)| *weight != 0.0);
        sum.terms.sort_by_key(|&(i, _)| i);
        if sum.terms.is_empty() {
            return Err(refused("names no column".into()));
        }
        let limit = -sum.constant;
        let least = if sign.starts_with('<') { f64::NEG_INFINITY } else { limit };
        let most = if sign.starts_with('>') { f64::INFINITY } else { limit };
        Ok(Self { name: text.trim().to_owned(), terms: sum.terms, least, most })
    }

    fn sum(&self, row: &[f64]) -> f64 {
        self.terms.iter().map(|&(i, weight)| weight * row[i]).sum()
    }

    /// By how much the sum would have to rise (or fall, if negative) for the rule to hold; `None` if it does.
    pub(super) fn lacks(&self, row: &[f64]) -> Option<f64> {
        let sum = self.sum(row);
        let largest = self.terms.iter().map(|&(i, weight)| (weight * row[i]).abs()).fold(1.0, f64::max);
        let slack = ROUNDING * largest;
        if sum < self.least - slack {
            Some(self.least - sum)
        } else if sum > self.most + slack {
            Some(self.most - sum)
        } else {
            None
        }
    }

    /// Whether it holds for a row.
    pub(super) fn holds(&self, row: &[f64]) -> bool {
        self.lacks(row).is_none()
    }
}

/// The two sides of a rule and the sign between them; `None` if there is not exactly one.
fn split(text: &str) -> Option<(&str, &str, &str)> {
    let at = text.find(['<', '>', '='])?;
    let length = if text[at + 1..].starts_with('=') { 2 } else { 1 };
    let (left, rest) = text.split_at(at);
    let (sign, right) = rest.split_at(length);
    (!right.contains(['<', '>', '='])).then_some((left, sign, right))
}

/// A weighted sum of numbers and a constant.
#[derive(Default)]
struct Sum {
    terms: Vec<(usize, f64)>,
    constant: f64,
}

impl Sum {
    /// Adds `times` a sum such as `2 * a - b + 3`, or says what is wrong with it.
    fn add(&mut self, text: &str, times: f64, names: &[String]) -> Result<(), String> {
        let mut rest = text.trim();
        let (mut sign, mut waits) = (times, true);
        while let Some(first) = rest.chars().next() {
            if first == '+' || first == '-' {
                sign = if first == '-' { -times } else { times };
                waits = true;
                rest = rest[1..].trim_start();
                continue;
            }
            if !waits {
                return Err(format!("is not understood at '{rest}': + or - is needed between its terms"));
            }
            rest = self.term(rest, sign, names)?.trim_start();
            (sign, waits) = (times, false);
        }
        if waits {
            return Err("is not understood: a sum of columns and numbers is needed on both sides".to_owned());
        }
        Ok(())
    }

    /// Adds one term, and gives what follows it.
    fn term<'t>(&mut self, text: &'t str, sign: f64, names: &[String]) -> Result<&'t str, String> {
        let no_column = |at: &str| format!("is not understood: there is no column at '{at}'");
        // A name may begin with a digit, so names come first.
        if let Some((column, rest)) = column(text, names) {
            self.count(column, sign);
            return Ok(rest);
        }
        let Some((number, rest)) = number(text) else { return Err(no_column(text)) };
        let Some(after) = rest.trim_start().strip_prefix('*').map(str::trim_start) else {
            self.constant += sign * number;
            return Ok(rest);
        };
        let (column, rest) = column(after, names).ok_or_else(|| no_column(after))?;
        self.count(column, sign * number);
        Ok(rest)
    }

    fn count(&mut self, column: usize, weight: f64) {
        match self.terms.iter_mut().find(|(known, _)| *known == column) {
            Some((_, sum)) => *sum += weight,
            None => self.terms.push((column, weight)),
        }
    }
}

/// The number a text begins with, and what follows it.
fn number(text: &str) -> Option<(f64, &str)> {
    let digits = |text: &str| text.chars().take_while(char::is_ascii_digit).count();
    let mut end = digits(text);
    if text[end..].starts_with('.') {
        end += 1 + digits(&text[end + 1..]);
    }
    let exponent = text[end..].strip_prefix(['e', 'E']);
    if let Some(after) = exponent {
        let signed = usize::from(after.starts_with(['+', '-']));
        let power = digits(&after[signed..]);
        if power > 0 {
            end += 1 + signed + power;
        }
    }
    Some((text[..end].parse().ok()?, &text[end..]))
}

/// The column whose name a text begins with, the longest that fits, and what follows it.
fn column<'t>(text: &'t str, names: &[String]) -> Option<(usize, &'t str)> {
    if let Some(quoted) = text.strip_prefix('`') {
        let (name, rest) = quoted.split_once('`')?;
        return names.iter().position(|known| known == name).map(|i| (i, rest));
    }
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let fits = |name: &String| text.strip_prefix(name.as_str()).filter(|rest| !name.is_empty() && ends(rest));
    let found = names.iter().enumerate().filter_map(|(i, name)| Some((i, fits(name)?)));
    found.min_by_key(|(_, rest)| rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        ["rent", "income", "income tax", "2nd job", "a-b"].map(str::to_owned).to_vec()
    }

    #[test]
    fn rules_are_read_as_people_write_them() {
        let read = |text: &str| {
            let rule = Rule::parse(text, &names()).unwrap();
            (rule.terms, rule.least, rule.most)
        };
        let (none, all) = (f64::NEG_INFINITY, f64::INFINITY);
        assert_eq!(read("rent <= income"), (vec![(0, 1.0), (1, -1.0)], none, 0.0));
        assert_eq!(read("2 * income - rent + 3 >= 1e2"), (vec![(0, -1.0), (1, 2.0)], 97.0, all));
        assert_eq!(read("income tax + 2nd job == .5"), (vec![(2, 1.0), (3, 1.0)], 0.5, 0.5));
        assert_eq!(read("-`a-b` < rent + rent"), (vec![(0, -2.0), (4, -1.0)], none, 0.0));
        assert_eq!(Rule::parse(" rent <= income ", &names()).unwrap().name, "rent <= income");
    }

    #[test]
    fn what_is_no_rule_is_refused_with_its_place() {
        for (text, part) in [
            ("rent income", "one of <=, >= and =="),
            ("rent <= income <= 3", "one of <=, >= and =="),
            ("rent <= salary", "no column at 'salary'"),
            ("rent <= 2 * salary", "no column at 'salary'"),
            ("rents <= 3", "no column at 'rents'"),
            ("rent 3 <= income", "at '3': + or - is needed"),
            ("3 <= 4", "names no column"),
            ("rent - rent <= 4", "names no column"),
            ("rent <=", "on both sides"),
            ("rent <= income +", "on both sides"),
            ("`rent <= income", "no column at '`rent'"),
            ("", "one of <=, >= and =="),
        ] {
            let error = Rule::parse(text, &names()).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn a_rule_says_by_how_much_it_is_broken() {
        // rent <= income, as income - rent >= 0
        let rule = Rule {
            name: "rent <= income".into(),
            terms: vec![(0, -1.0), (1, 1.0)],
            least: 0.0,
            most: f64::INFINITY,
        };
        assert!(rule.holds(&[500.0, 500.0]));
        assert_eq!(rule.lacks(&[700.0, 500.0]), Some(200.0));
        let sum = Rule {
            name: "shares = 1".into(),
            terms: vec![(0, 1.0), (1, 1.0), (2, 1.0)],
            least: 1.0,
            most: 1.0,
        };
        assert!(sum.holds(&[0.1, 0.2, 0.7]), "rounding is not a broken rule");
        assert!((sum.lacks(&[0.5, 0.2, 0.7]).unwrap() + 0.4).abs() < 1e-12);
    }
}
