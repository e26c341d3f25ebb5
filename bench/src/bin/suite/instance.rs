//! A problem with all its numbers, as it lies on the disk for everybody.

use std::path::Path;

use bench::Fallible;
use gradless::{PerCoordinate, Problem, ProblemError, Regulariser, Set};
use serde::{Deserialize, Serialize};
use testkit::families::{Shape, SparseTarget};

/// $\min l(x) + \gamma_1\lVert x\rVert_1 + \frac{\gamma_2}2\lVert x\rVert_2^2$ over a box, from a start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Instance {
    /// Its own name, and that of its file.
    pub(crate) name: String,
    /// What it is one of.
    pub(crate) problem: String,
    pub(crate) dim: usize,
    pub(crate) l1: f64,
    pub(crate) l2: f64,
    pub(crate) lower: Numbers,
    pub(crate) upper: Numbers,
    pub(crate) start: Numbers,
    /// The least objective, where it is known.
    pub(crate) minimum: Option<f64>,
    pub(crate) loss: Loss,
}

/// One number for all coordinates, or one for each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Numbers {
    Same(f64),
    Each(Vec<f64>),
}

/// The black box.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum Loss {
    /// $\frac12\lVert x-b\rVert^2$, $b$ being `target` on the support and 0 elsewhere.
    Quadratic { support: Vec<usize>, target: Vec<f64>, noise: Noise },
    /// $\sum_i\rho(x_i-b_i)$ with $\rho(z) = z^2/(1+z^2)$.
    Nonconvex { support: Vec<usize>, target: Vec<f64>, noise: Noise },
    /// The mean of $\ln(1+e^{-y_i\langle a_i,x\rangle})$, labels $y_i = \pm1$.
    Logistic { features: Vec<Vec<f64>>, labels: Vec<f64> },
    /// $\ln(1+e^{c(x)})$ about an image and a network, as in the paper: `pn` asks for another class at the image plus $x$, `pp`
    /// for the same class at $x$.
    Image { network: String, task: String, pixels: Vec<u8> },
}

/// What is added to a value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum Noise {
    None,
    /// $\sigma\langle\xi,x\rangle$ on the support, $\xi$ normal of variance $1/s$, the same for values under one sample number.
    Common {
        sigma: f64,
    },
    /// $\sigma\xi$ with another normal $\xi$ for every value.
    Independent {
        sigma: f64,
    },
}

impl Instance {
    /// What the solver is told.
    pub(crate) fn problem(&self) -> Result<Problem, ProblemError> {
        Problem::builder(self.dim)
            .regulariser(Regulariser::elastic_net(self.l1, self.l2))
            .set(Set::bounds(self.lower.clone(), self.upper.clone()))
            .start((0..self.dim).map(|i| self.start.at(i)).collect::<Vec<f64>>())
            .build()
    }

    /// Whether values of the black box are not the objective.
    pub(crate) fn is_noisy(&self) -> bool {
        match &self.loss {
            Loss::Quadratic { noise, .. } | Loss::Nonconvex { noise, .. } => *noise != Noise::None,
            Loss::Logistic { .. } | Loss::Image { .. } => false,
        }
    }

    /// The sparse target with its noise, if it is one.
    pub(crate) fn sparse(&self) -> Option<(SparseTarget, Noise)> {
        let (shape, support, target, noise) = match &self.loss {
            Loss::Quadratic { support, target, noise } => (Shape::Quadratic, support, target, noise),
            Loss::Nonconvex { support, target, noise } => (Shape::Nonconvex, support, target, noise),
            Loss::Logistic { .. } | Loss::Image { .. } => return None,
        };
        let (support, target) = (support.clone(), target.clone());
        Some((SparseTarget { dim: self.dim, support, target, l1: self.l1, l2: self.l2, shape }, *noise))
    }

    pub(crate) fn write(&self, folder: &Path) -> Fallible<()> {
        let path = folder.join(format!("{}.json", self.name));
        Ok(std::fs::write(path, serde_json::to_string(self)?)?)
    }

    /// All that lie in a folder, by dimension and name.
    pub(crate) fn all(folder: &Path) -> Fallible<Vec<Self>> {
        let mut instances = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                let instance: Self = serde_json::from_str(&std::fs::read_to_string(&path)?)
                    .map_err(|error| format!("{}: {error}", path.display()))?;
                instances.push(instance);
            }
        }
        instances.sort_by(|a, b| (a.dim, &a.name).cmp(&(b.dim, &b.name)));
        Ok(instances)
    }
}

impl Numbers {
    pub(crate) fn at(&self, i: usize) -> f64 {
        match self {
            Self::Same(number) => *number,
            Self::Each(numbers) => numbers[i],
        }
    }
}

impl From<Numbers> for PerCoordinate {
    fn from(numbers: Numbers) -> Self {
        match numbers {
            Numbers::Same(number) => number.into(),
            Numbers::Each(numbers) => numbers.into(),
        }
    }
}

impl From<&PerCoordinate> for Numbers {
    fn from(numbers: &PerCoordinate) -> Self {
        match numbers {
            PerCoordinate::Same(number) => Self::Same(*number),
            PerCoordinate::Each(numbers) => Self::Each(numbers.clone()),
        }
    }
}
