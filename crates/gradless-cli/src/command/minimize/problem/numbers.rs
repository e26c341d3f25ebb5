//! A number for all coordinates, a list with one for each, or the name of a `.npy` file that holds one.

use std::path::Path;

use anyhow::{Context, bail, ensure};
use gradless::PerCoordinate;
use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::npy::Npy;

/// As it is written.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) enum Numbers {
    Same(f64),
    Each(Vec<f64>),
    File(String),
}

impl Numbers {
    /// Replaces the name of a file by what is in it.
    pub(super) fn load(&mut self, beside: &Path) -> anyhow::Result<()> {
        let Self::File(name) = self else { return Ok(()) };
        let path = beside.join(&*name);
        let read = || {
            let mut array = Npy::open(&path)?;
            ensure!(array.shape().len() <= 1, "has the shape {:?}: one axis is needed", array.shape());
            Ok(array.all()?.values)
        };
        let values = read().with_context(|| format!("the array {}", path.display()))?;
        *self = Self::Each(values);
        Ok(())
    }

    pub(super) fn per_coordinate(&self) -> anyhow::Result<PerCoordinate> {
        match self {
            Self::Same(number) => Ok((*number).into()),
            Self::Each(numbers) => Ok(numbers.clone().into()),
            Self::File(name) => bail!("the array {name} was not read"),
        }
    }

    /// One for each of so many coordinates.
    pub(super) fn list(&self, dim: usize) -> anyhow::Result<Vec<f64>> {
        match self {
            Self::Same(number) => Ok(vec![*number; dim]),
            Self::Each(numbers) => Ok(numbers.clone()),
            Self::File(name) => bail!("the array {name} was not read"),
        }
    }
}

impl Serialize for Numbers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Same(number) => number.serialize(serializer),
            Self::Each(numbers) => numbers.serialize(serializer),
            Self::File(name) => name.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Written)
    }
}

struct Written;

impl<'de> Visitor<'de> for Written {
    type Value = Numbers;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a number, a list of numbers or the name of a .npy file")
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Numbers, E> {
        Ok(Numbers::Same(number))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Numbers, E> {
        Ok(Numbers::Same(number as f64))
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Numbers, E> {
        if Path::new(name).extension().is_some_and(|end| end.eq_ignore_ascii_case("npy")) {
            Ok(Numbers::File(name.to_owned()))
        } else {
            Err(E::custom(format!("'{name}' is not the name of a .npy file")))
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Numbers, A::Error> {
        let mut numbers = Vec::new();
        while let Some(number) = list.next_element()? {
            numbers.push(number);
        }
        Ok(Numbers::Each(numbers))
    }
}
