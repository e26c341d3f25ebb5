//! A method with settings, as it is written on a command line.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use gradless::{Budget, Config, Method, Output, Preset};

use crate::Fallible;

/// `NAME[:practical|seed|authors][:lr=STEP]`: a method, whose settings (practical ones unless said), and its step if it has one.
///
/// The step is the paper's: the reciprocal of our weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contender {
    /// By what.
    pub method: Method,
    /// With whose settings.
    pub preset: Preset,
    /// With which step, if not the preset's.
    pub step: Option<f64>,
}

impl Contender {
    /// How it is run. Whoever does not evaluate its last iterate returns it all the same, as in the paper's figures.
    pub fn config(&self, budget: u64, seed: u64) -> Config {
        let mut config = Config::new(self.method, self.preset);
        if self.preset != Preset::Practical {
            config.output = Output::Last;
        }
        if let Some(step) = self.step {
            config.recipe = config.recipe.with_weight(1.0 / step);
        }
        Config { budget: Budget::queries(budget), seed, ..config }
    }

    /// All of a list with commas between.
    pub fn list(words: &str) -> Fallible<Vec<Self>> {
        words.split(',').map(str::parse).collect()
    }
}

impl FromStr for Contender {
    type Err = Box<dyn Error + Send + Sync>;

    fn from_str(words: &str) -> Result<Self, Self::Err> {
        let mut parts = words.split(':');
        let method = Method::named(parts.next().unwrap_or_default())?;
        let mut found = Self { method, preset: Preset::Practical, step: None };
        for part in parts {
            match (part, part.strip_prefix("lr=")) {
                ("practical", _) => found.preset = Preset::Practical,
                ("seed", _) => found.preset = Preset::Seed,
                ("authors", _) => found.preset = Preset::Authors,
                (_, Some(step)) => match step.parse() {
                    Ok(step) if step > 0.0 => found.step = Some(step),
                    _ => return Err(format!("{words}: the step {step} is not a positive number").into()),
                },
                _ => {
                    return Err(
                        format!("{words}: {part} is none of practical, seed, authors and lr=STEP").into()
                    );
                }
            }
        }
        Ok(found)
    }
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.method.name)?;
        match self.preset {
            Preset::Practical => {}
            Preset::Seed => f.write_str(":seed")?,
            Preset::Authors => f.write_str(":authors")?,
        }
        self.step.map_or(Ok(()), |step| write!(f, ":lr={step}"))
    }
}

#[cfg(test)]
mod tests {
    use gradless::{FixedCoordinates, StepRule};

    use super::*;

    #[test]
    fn words_become_settings_and_words_again() {
        for words in ["zo-ada-exp-grad+", "zo-ada-exp-grad+:seed", "zo-psgd:authors:lr=0.1", "ao-exp-grad"] {
            assert_eq!(words.parse::<Contender>().unwrap().to_string(), words);
        }
        let config = "zo-psgd:seed:lr=0.1".parse::<Contender>().unwrap().config(700, 3);
        assert_eq!(config.recipe.step, StepRule::Constant { weight: 10.0 });
        assert_eq!((config.budget, config.seed), (Budget::queries(700), 3));
        assert_eq!((config.output, config.fixed), (Output::Last, FixedCoordinates::Keep));
        assert_eq!(Contender::list("zo-psgd,ao-exp-grad:practical").unwrap().len(), 2);
    }

    #[test]
    fn what_is_not_understood_is_said() {
        for (words, about) in
            [("sgd", "'sgd'"), ("zo-psgd:mine", "mine"), ("zo-psgd:lr=-1", "-1"), ("zo-psgd,", "''")]
        {
            let message = Contender::list(words).unwrap_err().to_string();
            assert!(message.contains(about), "{message}");
        }
    }
}
