//! A method with settings, as it is written on a command line.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use gradless::auto::Component;
use gradless::method::UpdateRule;
use gradless::policy::{FixedCoordinates, Output};
use gradless::step_size::{InitialWeight, StepRule};
use gradless::{BatchSize, Budget, Config, Direction, Method, Preset};

use crate::Fallible;
use crate::idea::Idea;

/// `NAME[:practical|seed|authors][:lr=STEP][:m=SIZE][:a=FACTOR][:hadamard][:free][:variate|:recovery][:without=COMPONENT]`: a
/// method, whose settings (practical ones unless said), and what is changed in them.
///
/// The step is the paper's: the reciprocal of our weight. `m` is the batch, `a` the initial weight over the size of the first
/// estimate, `free` takes fixed coordinates out, `variate` and `recovery` are other estimates ([`Idea`]), `without` leaves something
/// out of `auto`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contender {
    /// By what.
    pub method: Method,
    /// With whose settings.
    pub preset: Preset,
    /// With which step, if not the preset's.
    pub step: Option<f64>,
    /// With how many directions.
    pub batch: Option<usize>,
    /// With which scale-free initial weight.
    pub weight: Option<f64>,
    /// Along rows of a Hadamard matrix.
    pub hadamard: bool,
    /// Without coordinates that cannot move.
    pub free: bool,
    /// With another estimate of the gradient.
    pub idea: Option<Idea>,
    /// Without one component of `auto`.
    pub without: Option<Component>,
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
        if let Some(batch) = self.batch {
            config.recipe = config.recipe.with_batch(BatchSize::Fixed(batch));
        }
        if self.hadamard {
            config.recipe = config.recipe.with_direction(Direction::Hadamard);
        }
        if self.free {
            config.fixed = FixedCoordinates::Remove;
        }
        match (&mut config.recipe.update, self.weight) {
            (
                UpdateRule::Mirror(StepRule::Adaptive { initial } | StepRule::AdaptivePlus { initial }),
                Some(factor),
            ) => {
                *initial = InitialWeight::ScaleFree(factor);
            }
            (UpdateRule::Auto { without }, _) => *without = self.without,
            _ => {}
        }
        Config { budget: Budget::queries(budget), seed, ..config }
    }

    /// All of a list with commas between, for programs that run what the solver has.
    pub fn list(words: &str) -> Fallible<Vec<Self>> {
        let found = Self::list_with_ideas(words)?;
        match found.iter().find(|one| one.idea.is_some()) {
            Some(one) => Err(format!("{one}: other estimates are run by `--bin targets` alone").into()),
            None => Ok(found),
        }
    }

    /// All of a list with commas between, other estimates among them.
    pub fn list_with_ideas(words: &str) -> Fallible<Vec<Self>> {
        words.split(',').map(str::parse).collect()
    }
}

impl FromStr for Contender {
    type Err = Box<dyn Error + Send + Sync>;

    fn from_str(words: &str) -> Result<Self, Self::Err> {
        let mut parts = words.split(':');
        let method = Method::named(parts.next().unwrap_or_default())?;
        let mut found = Self {
            method,
            preset: Preset::Practical,
            step: None,
            batch: None,
            weight: None,
            hadamard: false,
            free: false,
            idea: None,
            without: None,
        };
        for part in parts {
            let positive = |value: &str| match value.parse::<f64>() {
                Ok(number) if number > 0.0 => Ok(number),
                _ => Err(format!("{words}: {value} is not a positive number")),
            };
            match part.split_once('=').unwrap_or((part, "")) {
                ("practical", "") => found.preset = Preset::Practical,
                ("seed", "") => found.preset = Preset::Paper,
                ("authors", "") => found.preset = Preset::Authors,
                ("hadamard", "") => found.hadamard = true,
                ("free", "") => found.free = true,
                ("lr", step) => found.step = Some(positive(step)?),
                ("a", factor) => found.weight = Some(positive(factor)?),
                ("m", size) => {
                    let size = size.parse().map_err(|_| format!("{words}: {size} is not a batch size"))?;
                    found.batch = Some(size);
                }
                ("without", word) => {
                    let component = Component::ALL.iter().find(|(_, name)| *name == word);
                    let names: Vec<&str> = Component::ALL.iter().map(|(_, name)| *name).collect();
                    let (component, _) = component
                        .ok_or_else(|| format!("{words}: {word} is none of {}", names.join(", ")))?;
                    found.without = Some(*component);
                }
                (word, "") if Idea::ALL.iter().any(|(_, name)| *name == word) => {
                    found.idea = Idea::ALL.iter().find(|(_, name)| *name == word).map(|(idea, _)| *idea);
                }
                _ => {
                    return Err(format!(
                        "{words}: {part} is none of practical, seed, authors, hadamard, free, variate, recovery, lr=, m=, a= and without="
                    )
                    .into());
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
            Preset::Paper => f.write_str(":seed")?,
            Preset::Authors => f.write_str(":authors")?,
        }
        for (name, value) in
            [("lr", self.step), ("m", self.batch.map(|batch| batch as f64)), ("a", self.weight)]
        {
            value.map_or(Ok(()), |value| write!(f, ":{name}={value}"))?;
        }
        for (word, said) in [(":hadamard", self.hadamard), (":free", self.free)] {
            f.write_str(if said { word } else { "" })?;
        }
        let idea = Idea::ALL.iter().find(|(idea, _)| Some(*idea) == self.idea);
        idea.map_or(Ok(()), |(_, name)| write!(f, ":{name}"))?;
        let name = Component::ALL.iter().find(|(component, _)| Some(*component) == self.without);
        name.map_or(Ok(()), |(_, name)| write!(f, ":without={name}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_settings_and_words_again() {
        for words in [
            "zo-ada-exp-grad+",
            "zo-ada-exp-grad+:seed:m=20:a=0.5:hadamard:free",
            "zo-ada-exp-grad+:seed:m=54:free:variate",
            "zo-psgd:authors:lr=0.1",
            "auto:without=surveys",
        ] {
            assert_eq!(words.parse::<Contender>().unwrap().to_string(), words);
        }
        let config = "zo-psgd:seed:lr=0.1".parse::<Contender>().unwrap().config(700, 3);
        assert_eq!(config.recipe.step(), Some(StepRule::Constant { weight: 10.0 }));
        assert_eq!((config.budget, config.seed), (Budget::queries(700), 3));
        assert_eq!((config.output, config.fixed), (Output::Last, FixedCoordinates::Keep));
        assert_eq!(Contender::list("zo-psgd,ao-exp-grad:practical").unwrap().len(), 2);
    }

    #[test]
    fn what_is_not_understood_is_said() {
        for (words, about) in [
            ("sgd", "'sgd'"),
            ("zo-psgd:mine", "mine"),
            ("zo-psgd:lr=-1", "-1"),
            ("auto:without=luck", "luck"),
            ("zo-psgd,", "''"),
            ("zo-ada-exp-grad+:variate", "targets"),
        ] {
            let message = Contender::list(words).unwrap_err().to_string();
            assert!(message.contains(about), "{message}");
        }
    }
}
