//! Answers by name: a label, a label and its confidence, the top few, or a score for every name.
//!
//! Programs and services answer in many ways. What stands for one input may be a list of scores; an object from names to scores; an object
//! with a label and perhaps its score; a list of such objects; a text that is, or names, a class; or a single number.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Where labels and their scores stand in what is answered to one input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Labels {
    /// The label: a JSON pointer.
    pub name: String,
    /// Its confidence: a JSON pointer. Without it the label alone counts.
    pub score: String,
}

impl Default for Labels {
    fn default() -> Self {
        Self { name: "/label".to_owned(), score: "/score".to_owned() }
    }
}

/// What was said of one input.
#[derive(Clone, Debug, PartialEq)]
enum Said {
    Scores(Vec<f64>),
    /// Names, and scores where they are told.
    Names(Vec<(String, Option<f64>)>),
    Number(f64),
}

/// The classes of a model that answers by name or by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Classes {
    pub(crate) count: usize,
    /// Their names; empty if only their number is known.
    pub(crate) names: Vec<String>,
}

impl Labels {
    /// The entries of an answer to so many inputs: a list of them, or for one input the entry itself.
    pub(crate) fn entries(value: &Value, rows: usize) -> Result<Vec<&Value>, String> {
        match value.as_array() {
            Some(list) if list.len() == rows => Ok(list.iter().collect()),
            _ if rows == 1 => Ok(vec![value]),
            Some(list) => Err(format!("it answers {} of {rows} inputs", list.len())),
            None => Err("a list with one answer for each input is needed".to_owned()),
        }
    }

    /// The classes that first answers tell of, or those that are known.
    pub(crate) fn classes(&self, entries: &[&Value], known: &[String]) -> Result<Classes, String> {
        let mut names: Vec<String> = known.to_vec();
        let mut count = known.len();
        for entry in entries {
            match self.read(entry)? {
                Said::Scores(scores) => count = scores.len(),
                Said::Number(_) => count = 2,
                Said::Names(said) => {
                    let all = said.iter().all(|(_, score)| score.is_some()) && said.len() > 1;
                    if known.is_empty() && !all {
                        return Err(format!(
                            "it says '{}' and does not list its classes: name them all (`--classes FILE`)",
                            said.first().map_or("", |(name, _)| name.as_str())
                        ));
                    }
                    if known.is_empty() {
                        for (name, _) in said {
                            if !names.contains(&name) {
                                names.push(name);
                            }
                        }
                        count = names.len();
                    } else if let Some((name, _)) = said.iter().find(|(name, _)| place(name, known).is_none())
                    {
                        return Err(format!(
                            "it says '{name}', which is none of its classes: {}",
                            known.join(", ")
                        ));
                    }
                }
            }
        }
        if !names.is_empty() && names.len() != count {
            return Err(format!("{} classes are named, and it answers with {count} scores", names.len()));
        }
        Ok(Classes { count, names })
    }

    /// The scores that an entry stands for; NaN where it says nothing that is understood.
    pub(crate) fn scores(&self, entry: &Value, classes: &Classes) -> Vec<f64> {
        let unknown = || vec![f64::NAN; classes.count];
        match self.read(entry) {
            Ok(Said::Scores(scores)) if scores.len() == classes.count => scores,
            Ok(Said::Number(number)) if classes.count == 2 => {
                // A probability of the second class, or how much speaks for it.
                if (0.0..=1.0).contains(&number) { vec![1.0 - number, number] } else { vec![-number, number] }
            }
            Ok(Said::Names(said)) => spread(&said, &classes.names).unwrap_or_else(unknown),
            Ok(Said::Scores(_) | Said::Number(_)) | Err(_) => unknown(),
        }
    }

    fn read(&self, entry: &Value) -> Result<Said, String> {
        let refused = || {
            let shown: String = entry.to_string().chars().take(80).collect();
            Err(format!("'{shown}' is no answer: scores, or names of classes and their scores, are needed"))
        };
        match entry {
            Value::Number(_) => Ok(Said::Number(number(entry).unwrap_or(f64::NAN))),
            Value::String(text) => Ok(Said::Names(vec![(text.clone(), None)])),
            Value::Array(list) if !list.is_empty() && list.iter().all(|one| number(one).is_some()) => {
                Ok(Said::Scores(list.iter().filter_map(number).collect()))
            }
            Value::Array(list) if !list.is_empty() => {
                let said: Option<Vec<_>> = list.iter().map(|one| self.label(one)).collect();
                said.map_or_else(refused, |said| Ok(Said::Names(said)))
            }
            Value::Object(map) => {
                if let Some(said) = self.label(entry) {
                    return Ok(Said::Names(vec![said]));
                }
                let scores: Option<Vec<_>> =
                    map.iter().map(|(name, score)| Some((name.clone(), Some(number(score)?)))).collect();
                match scores {
                    Some(scores) if !scores.is_empty() => Ok(Said::Names(scores)),
                    _ => refused(),
                }
            }
            _ => refused(),
        }
    }

    /// A label and its score.
    fn label(&self, value: &Value) -> Option<(String, Option<f64>)> {
        let name = match value.pointer(&self.name)? {
            Value::String(name) => name.clone(),
            other @ (Value::Number(_) | Value::Bool(_)) => other.to_string(),
            _ => return None,
        };
        Some((name, value.pointer(&self.score).and_then(number)))
    }
}

/// A number, or the text of one.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::Null => Some(f64::NAN),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// Scores of names as scores of all classes: what probabilities leave is shared by those that are not named. `None` if a name is unknown.
fn spread(said: &[(String, Option<f64>)], names: &[String]) -> Option<Vec<f64>> {
    let mut scores = vec![None; names.len()];
    let alone = said.len() == 1;
    for (name, score) in said {
        let at = if alone { place(name, names) } else { names.iter().position(|known| known == name) };
        scores[at?] = Some(score.unwrap_or(1.0));
    }
    let known = || scores.iter().flatten();
    let sum: f64 = known().sum();
    let left = names.len() - known().count();
    let rest = if left > 0 { (1.0 - sum).max(0.0) / left as f64 } else { 0.0 };
    Some(scores.iter().map(|score| score.unwrap_or(rest)).collect())
}

/// The class that a text is, or else the first that it names: whoever is asked for a word may answer with a sentence.
fn place(text: &str, names: &[String]) -> Option<usize> {
    let plain = |text: &str| text.trim().trim_matches(|c: char| c.is_ascii_punctuation()).to_lowercase();
    let said = plain(text);
    let same = names.iter().position(|name| name == text);
    same.or_else(|| names.iter().position(|name| plain(name) == said)).or_else(|| {
        let text = text.to_lowercase();
        let stands = |name: &String| {
            let name = name.to_lowercase();
            let ends = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
            let found = |&(at, _): &(usize, &str)| {
                ends(text[..at].chars().next_back()) && ends(text[at + name.len()..].chars().next())
            };
            text.match_indices(name.as_str()).find(found).map(|(at, _)| at)
        };
        let found = names.iter().enumerate().filter_map(|(i, name)| Some((stands(name)?, i)));
        found.min().map(|(_, i)| i)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn classes(names: &[&str]) -> Classes {
        Classes { count: names.len(), names: names.iter().map(ToString::to_string).collect() }
    }

    #[test]
    fn every_way_of_answering_is_understood() {
        let three = classes(&["cat", "dog", "fox"]);
        let read = |entry: Value| Labels::default().scores(&entry, &three);
        assert_eq!(read(json!([1, -2, 0.5])), [1.0, -2.0, 0.5]);
        assert_eq!(read(json!({"dog": 0.5, "cat": 0.25, "fox": 0.25})), [0.25, 0.5, 0.25]);
        assert_eq!(read(json!({"label": "dog", "score": 0.5})), [0.25, 0.5, 0.25]);
        assert_eq!(read(json!({"label": "dog"})), [0.0, 1.0, 0.0]);
        assert_eq!(
            read(json!([{"label": "fox", "score": 0.75}, {"label": "cat", "score": 0.125}])),
            [0.125, 0.125, 0.75]
        );
        assert_eq!(read(json!("Dog.")), [0.0, 1.0, 0.0]);
        assert_eq!(read(json!("I think this is a fox, not a dog")), [0.0, 0.0, 1.0]);
        for nothing in
            [json!("dogma"), json!({"label": "cow"}), json!([1, 2]), json!(null), json!({}), json!(0.5)]
        {
            assert!(read(nothing.clone()).iter().all(|score| score.is_nan()), "{nothing}");
        }
        let two = Classes { count: 2, names: Vec::new() };
        assert_eq!(Labels::default().scores(&json!(0.75), &two), [0.25, 0.75]);
        assert_eq!(Labels::default().scores(&json!(3), &two), [-3.0, 3.0]);
        let elsewhere = Labels { name: "/out/class".into(), score: "/out/p".into() };
        assert_eq!(
            elsewhere.scores(&json!({"out": {"class": "cat", "p": "0.5"}}), &three),
            [0.5, 0.25, 0.25]
        );
    }

    #[test]
    fn classes_are_those_that_are_named_or_known() {
        let labels = Labels::default();
        let told = |entry: Value, known: &[&str]| labels.classes(&[&entry], &classes(known).names);
        assert_eq!(told(json!([1, 2, 3]), &[]), Ok(Classes { count: 3, names: Vec::new() }));
        assert_eq!(told(json!({"ham": 0.9, "spam": 0.1}), &[]), Ok(classes(&["ham", "spam"])));
        assert_eq!(told(json!("spam"), &["ham", "spam"]), Ok(classes(&["ham", "spam"])));
        for (entry, known, part) in [
            (json!("spam"), &[][..], "name them all"),
            (json!("eggs"), &["ham", "spam"][..], "none of its classes"),
            (json!([1, 2, 3]), &["ham", "spam"][..], "2 classes are named"),
            (json!([[1], [2]]), &[][..], "is no answer"),
        ] {
            let error = told(entry, known).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn one_input_may_be_answered_without_a_list() {
        let count = |value: Value, rows| Labels::entries(&value, rows).map(|entries| entries.len());
        assert_eq!(
            (count(json!("spam"), 1), count(json!([{"label": "a"}, {"label": "b"}]), 1)),
            (Ok(1), Ok(1))
        );
        assert_eq!(count(json!(["spam", "ham"]), 2), Ok(2));
        assert!(count(json!(["spam"]), 2).is_err() && count(json!("spam"), 2).is_err());
    }
}
