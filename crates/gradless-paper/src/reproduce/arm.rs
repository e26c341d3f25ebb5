//! The sixteen arms: seven methods, three of them with four step sizes each; or with any other.

use std::cmp::Reverse;
use std::fmt;

use gradless::{METHODS, Method};
use serde::{Deserialize, Serialize};

use super::question::Mode;
use crate::data::DataSet;

/// A method of the paper's comparison, in the order of its figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are the paper's")]
pub enum Family {
    ZoPsgd,
    AccZom,
    AoExpGrad,
    ZoExpGrad,
    ZoAdaExpGrad,
    ZoAdaExpGradPlus,
    ZoExpStorm,
}

impl Family {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::ZoPsgd,
        Self::AccZom,
        Self::AoExpGrad,
        Self::ZoExpGrad,
        Self::ZoAdaExpGrad,
        Self::ZoAdaExpGradPlus,
        Self::ZoExpStorm,
    ];

    /// The name in the paper.
    pub fn name(self) -> &'static str {
        match self {
            Self::ZoPsgd => "ZO-PSGD",
            Self::AccZom => "Acc-ZOM",
            Self::AoExpGrad => "AO-ExpGrad",
            Self::ZoExpGrad => "ZO-ExpGrad",
            Self::ZoAdaExpGrad => "ZO-AdaExpGrad",
            Self::ZoAdaExpGradPlus => "ZO-AdaExpGrad+",
            Self::ZoExpStorm => "ZO-ExpStorm",
        }
    }

    /// The method.
    pub(super) fn method(self) -> Method {
        // Every name above is known: tested.
        Method::named(self.name()).unwrap_or(METHODS[0])
    }

    /// What its parameter is called, if it has one.
    pub fn parameter(self) -> Option<&'static str> {
        match self {
            Self::ZoPsgd | Self::ZoExpGrad => Some("lr"),
            Self::AccZom => Some("gamma"),
            _ => None,
        }
    }
}

/// A method with its parameter: the reciprocal of the weight, or $\gamma$.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Arm {
    /// The method.
    pub family: Family,
    /// Its step, where it needs one.
    pub step: Option<Step>,
}

/// A positive number; larger ones come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step(Reverse<u64>);

impl Step {
    /// The paper's four.
    pub const OF_THE_PAPER: [f64; 4] = [1.0, 0.1, 0.01, 0.001];

    /// The step, if it is one.
    pub fn new(value: f64) -> Option<Self> {
        // The bits of positive numbers are in the order of the numbers.
        (value.is_normal() && value > 0.0).then(|| Self(Reverse(value.to_bits())))
    }

    /// The number.
    pub fn value(self) -> f64 {
        f64::from_bits(self.0.0)
    }
}

impl Arm {
    /// All arms of these methods in the paper's comparison.
    pub fn of(families: &[Family]) -> Vec<Self> {
        let steps = |family: Family| match family.parameter() {
            Some(_) => Step::OF_THE_PAPER.map(Step::new).to_vec(),
            None => vec![None],
        };
        let arms = |&family: &Family| steps(family).into_iter().map(move |step| Self { family, step });
        families.iter().flat_map(arms).collect()
    }

    /// The paper's choice among the arms of a method.
    pub fn papers_choice(family: Family, set: DataSet, mode: Mode) -> Self {
        let step = match (set, mode, family) {
            (DataSet::Mnist, _, Family::AccZom | Family::ZoExpGrad) => Step::new(1.0),
            (DataSet::Mnist, _, Family::ZoPsgd)
            | (DataSet::Cifar10, _, Family::ZoExpGrad)
            | (DataSet::Cifar10, Mode::Pp, Family::AccZom) => Step::new(0.1),
            (DataSet::Cifar10, Mode::Pp, Family::ZoPsgd) => Step::new(0.01),
            (DataSet::Cifar10, Mode::Pn, Family::ZoPsgd | Family::AccZom) => Step::new(0.001),
            _ => None,
        };
        Self { family, step }
    }

    /// The parameter.
    pub fn value(self) -> Option<f64> {
        self.step.map(Step::value)
    }

    /// The parameter as in the paper's figures, `lr=0.1`; empty if there is none.
    pub fn parameter(self) -> String {
        match (self.family.parameter(), self.value()) {
            (Some(name), Some(value)) => format!("{name}={value}"),
            _ => String::new(),
        }
    }

    /// Finds arms by what people type: `zo-psgd` for the paper's steps of a method, `zo-psgd:0.1` for any one.
    pub fn find(words: &str) -> Result<Vec<Self>, UnknownArm> {
        let unknown = || UnknownArm { words: words.to_owned() };
        let (name, value) = words.trim().split_once(':').map_or((words.trim(), None), |(n, v)| (n, Some(v)));
        let plain = |name: &str| name.to_lowercase().replace(['-', '_', ' '], "");
        let family = Family::ALL.into_iter().find(|family| plain(family.name()) == plain(name));
        let family = family.ok_or_else(unknown)?;
        let Some(value) = value else { return Ok(Self::of(&[family])) };
        let step = value.trim().parse().ok().and_then(Step::new).filter(|_| family.parameter().is_some());
        Ok(vec![Self { family, step: Some(step.ok_or_else(unknown)?) }])
    }
}

impl fmt::Display for Arm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.family.name();
        if self.step.is_some() { write!(f, "{name} {}", self.parameter()) } else { f.write_str(name) }
    }
}

impl From<Arm> for String {
    fn from(arm: Arm) -> Self {
        arm.to_string()
    }
}

impl TryFrom<String> for Arm {
    type Error = UnknownArm;

    fn try_from(words: String) -> Result<Self, UnknownArm> {
        let found = match words.split_once(' ') {
            None => Self::find(&words),
            Some((name, parameter)) => {
                let value = parameter.split_once('=').map_or("", |(_, value)| value);
                Self::find(&format!("{name}:{value}"))
            }
        };
        let arm = found.ok().and_then(|arms| arms.into_iter().next());
        arm.filter(|arm| arm.to_string() == words).ok_or(UnknownArm { words })
    }
}

/// There is no such arm.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no method '{words}' in the comparison: there are {}; zo-psgd, zo-exp-grad and acc-zom take a step, as in zo-psgd:0.1 \
     (the paper's are 1, 0.1, 0.01 and 0.001)",
    Family::ALL.map(|family| family.method().name).join(", ")
)]
pub struct UnknownArm {
    /// What was asked for.
    pub words: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_sixteen_arms_with_the_papers_names() {
        let arms = Arm::of(&Family::ALL);
        assert_eq!(arms.len(), 16);
        for arm in arms {
            assert_eq!(Arm::try_from(arm.to_string()), Ok(arm));
            assert!(Method::named(arm.family.name()).is_ok());
        }
        assert_eq!(Arm::of(&[Family::AccZom])[3].to_string(), "Acc-ZOM gamma=0.001");
        for damaged in ["ZO-PSGD", "ZO-PSGD gamma=1", "ZO-PSGD lr=-1", "ZO-ExpStorm lr=1", "zo-psgd lr=1"] {
            assert!(Arm::try_from(damaged.to_owned()).is_err(), "{damaged}");
        }
    }

    #[test]
    fn arms_are_found_by_method_and_by_step() {
        assert_eq!(Arm::find("zo-psgd").unwrap().len(), 4);
        assert_eq!(Arm::find("ZO-ExpGrad:0.1").unwrap()[0].to_string(), "ZO-ExpGrad lr=0.1");
        let between = Arm::find("zo-psgd:0.03").unwrap();
        assert_eq!(Arm::try_from(between[0].to_string()), Ok(between[0]));
        let mut mixed = [Arm::find("zo-psgd").unwrap(), between].concat();
        mixed.sort();
        assert_eq!(
            mixed.iter().filter_map(|arm| arm.value()).collect::<Vec<_>>(),
            [1.0, 0.1, 0.03, 0.01, 0.001]
        );
        for words in ["sgd", "zo-psgd:0", "zo-psgd:inf", "zo-exp-storm:1", "zo-psgd:x"] {
            let message = Arm::find(words).unwrap_err().to_string();
            assert!(message.contains(words) && message.contains("zo-ada-exp-grad+"), "{message}");
        }
    }
}
