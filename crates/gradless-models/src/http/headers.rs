//! Headers whose secrets come from the environment: sent, but never shown.

use super::HttpError;

/// Names of headers whose values are secrets; one written out would end up in files and in the shell's history.
const SECRET_WORDS: [&str; 7] = ["auth", "token", "key", "secret", "cookie", "password", "credential"];
/// Headers that the client writes itself.
const OURS: [&str; 4] = ["content-length", "transfer-encoding", "host", "connection"];
/// A shorter secret would be found in texts that do not hold it.
const SHORTEST_SECRET: usize = 4;

/// Headers as they are sent, with what must not be shown of them.
#[derive(Clone, Default)]
pub(super) struct Headers {
    sent: Vec<(String, String)>,
    /// Values and the names of the variables they came from.
    secrets: Vec<(String, String)>,
}

impl Headers {
    /// Fills in `$NAME` and `${NAME}` from the environment; `$$` is a dollar sign.
    pub(super) fn new<'a>(
        templates: impl Iterator<Item = (&'a str, &'a str)>,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, HttpError> {
        let mut headers = Self::default();
        for (name, template) in templates {
            headers.add(name, template, environment)?;
        }
        // Longer ones first: one secret may be a part of another.
        headers.secrets.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        Ok(headers)
    }

    fn add(
        &mut self,
        name: &str,
        template: &str,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<(), HttpError> {
        let refused = |problem: String| HttpError::Header { name: name.to_owned(), problem };
        let lower = name.to_ascii_lowercase();
        let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        if name.is_empty() || !name.chars().all(is_token) {
            return Err(refused("is not a name of a header".into()));
        }
        if OURS.contains(&lower.as_str()) {
            return Err(refused("is written by the client itself: leave it out".into()));
        }
        let (mut value, mut rest, mut filled) = (String::new(), template, false);
        while let Some(at) = rest.find('$') {
            value += &rest[..at];
            rest = &rest[at + 1..];
            if let Some(behind) = rest.strip_prefix('$') {
                value.push('$');
                rest = behind;
                continue;
            }
            let (variable, behind) = variable(rest).ok_or_else(|| {
                refused(
                    "has a `$` without the name of a variable behind it: write `$$` for a dollar sign".into(),
                )
            })?;
            let found = environment(variable).filter(|found| !found.is_empty());
            let found = found.ok_or_else(|| {
                refused(format!(
                    "needs the environment variable {variable}, which is not set: `export {variable}=…`"
                ))
            })?;
            if !found.chars().all(|c| c == ' ' || c.is_ascii_graphic()) {
                return Err(refused(format!(
                    "cannot hold what {variable} holds: plain characters on one line are needed"
                )));
            }
            value += &found;
            self.secrets.push((found, format!("${variable}")));
            (rest, filled) = (behind, true);
        }
        value += rest;
        if !filled && SECRET_WORDS.iter().any(|word| lower.contains(word)) {
            return Err(refused(
                "looks like a secret that is written out, and would be kept with the run: put it into an environment \
                 variable and write its name, in single quotes for the shell ('Authorization: Bearer $TOKEN')"
                    .into(),
            ));
        }
        if !value.chars().all(|c| c == ' ' || c.is_ascii_graphic()) {
            return Err(refused("has a value with characters that a header cannot hold".into()));
        }
        self.sent.push((name.to_owned(), value));
        Ok(())
    }

    /// As they go out.
    pub(super) fn sent(&self) -> impl Iterator<Item = (&str, &str)> {
        self.sent.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// A text from outside with the names of the variables in place of their values, and without control characters.
    pub(super) fn hide(&self, text: &str) -> String {
        let mut text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        for (value, name) in self.secrets.iter().filter(|(value, _)| value.len() >= SHORTEST_SECRET) {
            text = text.replace(value, name);
        }
        text
    }
}

/// The name of a variable and what is behind it.
fn variable(text: &str) -> Option<(&str, &str)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (name, rest) = match text.strip_prefix('{') {
        Some(text) => text.split_once('}')?,
        None => text.split_at(text.find(|c| !is_part(c)).unwrap_or(text.len())),
    };
    let is_name =
        !name.is_empty() && name.chars().all(is_part) && !name.starts_with(|c: char| c.is_ascii_digit());
    is_name.then_some((name, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(name: &str, template: &str) -> Result<Headers, HttpError> {
        let environment = |name: &str| match name {
            "TOKEN" => Some("s3cret-value".to_owned()),
            "USER_2" => Some("ada".to_owned()),
            "LINES" => Some("a\r\nb: c".to_owned()),
            _ => None,
        };
        Headers::new(std::iter::once((name, template)), &environment)
    }

    #[test]
    fn variables_are_filled_in_and_hidden_again() {
        for (template, value) in [
            ("Bearer $TOKEN", "Bearer s3cret-value"),
            ("${USER_2}:$TOKEN", "ada:s3cret-value"),
            ("${TOKEN}x$$5", "s3cret-valuex$5"),
        ] {
            let headers = filled("Authorization", template).unwrap();
            assert_eq!(headers.sent().collect::<Vec<_>>(), [("Authorization", value)]);
            assert!(!headers.hide(&format!("no entry for {value}\n")).contains("s3cret"));
        }
        let headers = filled("Authorization", "Bearer $TOKEN").unwrap();
        assert_eq!(headers.hide("unknown: s3cret-value\u{1b}[2J"), "unknown: $TOKEN [2J");
    }

    #[test]
    fn what_cannot_or_must_not_be_sent_is_refused() {
        for (name, template, part) in [
            ("Authorization", "Bearer abcdef", "single quotes"),
            ("X-Api-Key", "abcdef", "single quotes"),
            ("Authorization", "Bearer $MISSING", "export MISSING"),
            ("Authorization", "Bearer $", "`$$`"),
            ("Authorization", "Bearer ${TOKEN", "`$$`"),
            ("Authorization", "$LINES", "LINES"),
            ("X-Note", "a\nb", "cannot hold"),
            ("Content-Length", "3", "itself"),
            ("a b", "c", "not a name"),
            ("", "c", "not a name"),
        ] {
            let error = filled(name, template).map(|_| ()).unwrap_err().to_string();
            assert!(error.contains(part) && !error.contains("abcdef"), "{name}: {error}");
        }
        assert!(filled("Accept", "application/json").is_ok());
    }
}
