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

/// Sums are rounded: by so much of their largest term they may be off.
const ROUNDING: f64 = 1e-9;

impl Rule {
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

#[cfg(test)]
mod tests {
    use super::*;

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
