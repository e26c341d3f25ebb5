//! The sixteen arms: seven methods, three of them with four step sizes each.

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

/// A method with its parameter: $10^{-\text{power}}$, the reciprocal of the weight or $\gamma$.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Arm {
    /// The method.
    pub family: Family,
    /// From 0 to 3, where the method has a parameter.
    pub power: Option<u8>,
}

const VALUES: [f64; 4] = [1.0, 0.1, 0.01, 0.001];

impl Arm {
    /// All arms of these methods.
    pub fn of(families: &[Family]) -> Vec<Self> {
        let powers = |family: Family| match family.parameter() {
            Some(_) => vec![Some(0), Some(1), Some(2), Some(3)],
            None => vec![None],
        };
        let arms = |&family: &Family| powers(family).into_iter().map(move |power| Self { family, power });
        families.iter().flat_map(arms).collect()
    }

    /// The paper's choice among the arms of a method.
    pub fn papers_choice(family: Family, set: DataSet, mode: Mode) -> Self {
        let power = match (set, mode, family) {
            (DataSet::Mnist, _, Family::AccZom | Family::ZoExpGrad) => Some(0),
            (DataSet::Mnist, _, Family::ZoPsgd)
            | (DataSet::Cifar10, _, Family::ZoExpGrad)
            | (DataSet::Cifar10, Mode::Pp, Family::AccZom) => Some(1),
            (DataSet::Cifar10, Mode::Pp, Family::ZoPsgd) => Some(2),
            (DataSet::Cifar10, Mode::Pn, Family::ZoPsgd | Family::AccZom) => Some(3),
            _ => None,
        };
        Self { family, power }
    }

    /// The parameter.
    pub fn value(self) -> Option<f64> {
        self.power.and_then(|power| VALUES.get(usize::from(power)).copied())
    }

    /// The parameter as in the paper's figures, `lr=0.1`; empty if there is none.
    pub fn parameter(self) -> String {
        match (self.family.parameter(), self.value()) {
            (Some(name), Some(value)) => format!("{name}={value}"),
            _ => String::new(),
        }
    }

    /// Finds arms by what people type: `zo-psgd` for all of a method, `zo-psgd:0.1` for one.
    pub fn find(words: &str) -> Result<Vec<Self>, UnknownArm> {
        let unknown = || UnknownArm { words: words.to_owned() };
        let (name, value) = words.trim().split_once(':').map_or((words.trim(), None), |(n, v)| (n, Some(v)));
        let plain = |name: &str| name.to_lowercase().replace(['-', '_', ' '], "");
        let family = Family::ALL.into_iter().find(|family| plain(family.name()) == plain(name));
        let mut arms = Self::of(&[family.ok_or_else(unknown)?]);
        if let Some(value) = value {
            let value: f64 = value.trim().parse().map_err(|_| unknown())?;
            arms.retain(|arm| arm.value() == Some(value));
        }
        if arms.is_empty() { Err(unknown()) } else { Ok(arms) }
    }
}

impl fmt::Display for Arm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.family.name();
        if self.power.is_some() { write!(f, "{name} {}", self.parameter()) } else { f.write_str(name) }
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
        let arm = Self::of(&Family::ALL).into_iter().find(|arm| arm.to_string() == words);
        arm.ok_or(UnknownArm { words })
    }
}

/// There is no such arm.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no method '{words}' in the comparison: there are {}; zo-psgd, zo-exp-grad and acc-zom take one of their steps, as in \
     zo-psgd:0.1 (1, 0.1, 0.01 or 0.001)",
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
        assert_eq!(Arm { family: Family::AccZom, power: Some(3) }.to_string(), "Acc-ZOM gamma=0.001");
    }

    #[test]
    fn arms_are_found_by_method_and_by_step() {
        assert_eq!(Arm::find("zo-psgd").unwrap().len(), 4);
        assert_eq!(Arm::find("ZO-ExpGrad:0.1").unwrap()[0].to_string(), "ZO-ExpGrad lr=0.1");
        for words in ["sgd", "zo-psgd:0.5", "zo-exp-storm:1", "zo-psgd:x"] {
            let message = Arm::find(words).unwrap_err().to_string();
            assert!(message.contains(words) && message.contains("zo-ada-exp-grad+"), "{message}");
        }
    }
}
