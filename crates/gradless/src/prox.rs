//! The generalised projection $\argmin_{y\in K} \langle g, y\rangle + r(y) + \eta B_\varphi(y, x)$, exactly.
//!
//! Every answer is a closed form or one number found by a search that ends between neighbouring floats. What
//! exists ([`CLOSED_FORMS`], the list an unsupported wish is answered with):
//!
//! | geometry | regulariser | sets |
//! |---|---|---|
//! | entropy | separable | free, box, l1 ball, l1 ball in a box, l2 ball, simplex |
//! | Euclidean | separable | free, box, l1 ball, l1 ball in a box, l2 ball, simplex |
//! | Euclidean | group l2 | free, l2 ball |
//! | p-norm | separable | free, box |
//!
//! For the first two geometries everything rests on one scalar problem. With the mirror map $\varphi'$ of a
//! coordinate, its answer on the whole line is
//!
//! $$ z = \varphi'(x) - \tfrac g\eta, \quad k = \max\bigl(|z| - \tfrac{\gamma_1}\eta, 0\bigr), \quad
//!    \varphi'(s) + \tfrac{\gamma_2}\eta s = k, \quad y = \operatorname{sgn}(z)\thinspace s, $$
//!
//! and between bounds it is the same $y$, clipped: the scalar objective is strictly convex, so it falls up to $y$
//! and rises after it. A ball or the simplex adds one multiplier, to $\gamma_1$ ($\ell_1$ ball), to $\gamma_2$
//! ($\ell_2$ ball) or to $g$ (simplex). Scaling $g$, $\gamma_1$, $\gamma_2$ and $\eta$ by a power of two
//! changes no bit of $y$: they enter as ratios only.
//!
//! What a step costs stands in `docs/benchmarks/prox.md`: with the entropy about 10 ns per coordinate without an
//! $\ell_2$ weight and 20 with one, 1 where coordinates are and stay 0, 130 to 390 where a ball or the simplex is active.
//! The p-norm searches for its norm as well and takes several times as long.

mod coordinates;
mod elementary;
mod group_l2;
mod kernel;
mod l1_ball;
mod l2_ball;
mod lanes;
mod omega;
mod p_norm;
mod root;
mod simplex;
mod threshold;

use serde::{Deserialize, Serialize};

use crate::geometry::{DistanceGenerator, Entropy, Euclidean, PNorm};
use crate::regulariser::{ElasticNet, Regulariser};
use crate::set::Set;
use kernel::{Kernel, Terms};

/// The combinations that have an exact step: geometry, regulariser, sets.
pub const CLOSED_FORMS: &[(&str, &str, &[&str])] = &[
    ("entropy", "separable", &["free", "box", "l1 ball", "l1 ball in a box", "l2 ball", "simplex"]),
    ("Euclidean", "separable", &["free", "box", "l1 ball", "l1 ball in a box", "l2 ball", "simplex"]),
    ("Euclidean", "group l2", &["free", "l2 ball"]),
    ("p-norm", "separable", &["free", "box"]),
];

/// What a step is taken from: the point, the slope of the linear model and the weight of the divergence.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// $x$; finite.
    pub x: &'a [f64],
    /// $g$.
    pub g: &'a [f64],
    /// $\eta > 0$: the larger, the shorter the step.
    pub eta: f64,
}

/// An exact step for one combination of geometry, regulariser and set; chosen once by [`closed_form`].
///
/// It holds a few numbers of the geometry only, never a vector.
///
/// ```
/// use gradless::geometry::Geometry;
/// use gradless::prox::{self, Step};
/// use gradless::{Regulariser, Set};
///
/// let (r, k) = (Regulariser::l1(0.5), Set::bounds(-1.0, 1.0));
/// let prox = prox::closed_form(&Geometry::Euclidean.generator(3), &r, &k)?;
/// let mut y = [0.0; 3];
/// prox.step(&r, &k, Step { x: &[0.0, 0.0, 0.5], g: &[0.25, -1.0, -8.0], eta: 1.0 }, &mut y)?;
/// assert_eq!(y, [0.0, 0.5, 1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Prox {
    /// Entropy with a separable regulariser.
    Entropy(Entropy),
    /// Euclidean with a separable regulariser: soft thresholding and its relatives.
    Euclidean,
    /// Euclidean with the group lasso: block soft thresholding.
    EuclideanGroups,
    /// Squared p-norm with a separable regulariser.
    PNorm(PNorm),
}

/// The step for this combination, or the list of those that exist.
pub fn closed_form(
    generator: &DistanceGenerator,
    regulariser: &Regulariser,
    set: &Set,
) -> Result<Prox, NoClosedForm> {
    let prox = match (generator, regulariser) {
        (DistanceGenerator::Entropy(phi), _) => Prox::Entropy(*phi),
        (DistanceGenerator::Euclidean(_), Regulariser::Separable(_)) => Prox::Euclidean,
        (DistanceGenerator::Euclidean(_), Regulariser::GroupL2(_)) => Prox::EuclideanGroups,
        (DistanceGenerator::PNorm(phi), _) => Prox::PNorm(*phi),
    };
    let wanted = prox.combination(regulariser, set);
    let exists = CLOSED_FORMS.iter().any(|(geometry, regulariser, sets)| {
        *geometry == wanted.geometry && *regulariser == wanted.regulariser && sets.contains(&wanted.set)
    });
    if exists { Ok(prox) } else { Err(wanted) }
}

/// The nearest point of `set` in the Euclidean norm, into `out`: the step with $r = 0$, $g = 0$.
///
/// `x` is finite and `set` is not empty (a [`Problem`](crate::Problem) makes sure of both).
pub fn project(set: &Set, x: &[f64], out: &mut [f64]) {
    let zeros = vec![0.0; x.len()];
    let stepped = Prox::Euclidean.step(&Regulariser::none(), set, Step { x, g: &zeros, eta: 1.0 }, out);
    debug_assert_eq!(stepped, Ok(()), "a Euclidean step from a finite point has an answer");
}

impl Prox {
    /// $\argmin_{y\in K} \langle g, y\rangle + r(y) + \eta B(y, x)$ into `out`.
    ///
    /// On an error `out` holds nothing of use.
    ///
    /// # Panics
    /// If `x`, `g`, `out` or a list of weights or bounds differ in length.
    pub fn step(
        &self,
        regulariser: &Regulariser,
        set: &Set,
        step: Step<'_>,
        out: &mut [f64],
    ) -> Result<(), StepError> {
        assert_eq!(step.x.len(), step.g.len(), "slices of one space have one length");
        assert_eq!(step.x.len(), out.len(), "slices of one space have one length");
        if !(step.eta > 0.0 && step.eta.is_finite()) {
            return Err(StepError::BadEta { eta: step.eta });
        }
        match (self, regulariser) {
            (Self::Entropy(phi), Regulariser::Separable(net)) => separable(*phi, net, set, step, out),
            (Self::Euclidean, Regulariser::Separable(net)) => separable(Euclidean, net, set, step, out),
            (Self::EuclideanGroups, Regulariser::GroupL2(groups)) => match set {
                Set::Free => group_l2::step(groups, f64::INFINITY, step, out),
                Set::L2Ball { radius } => group_l2::step(groups, *radius, step, out),
                _ => Err(self.combination(regulariser, set).into()),
            },
            (Self::PNorm(phi), Regulariser::Separable(net)) => match set {
                Set::Free => p_norm::step(*phi, net, None, step, out),
                Set::Box(bounds) => p_norm::step(*phi, net, Some(bounds), step, out),
                _ => Err(self.combination(regulariser, set).into()),
            },
            _ => Err(self.combination(regulariser, set).into()),
        }
    }

    /// This geometry with `regulariser` on `set`, by name.
    fn combination(&self, regulariser: &Regulariser, set: &Set) -> NoClosedForm {
        NoClosedForm {
            geometry: match self {
                Self::Entropy(_) => "entropy",
                Self::Euclidean | Self::EuclideanGroups => "Euclidean",
                Self::PNorm(_) => "p-norm",
            },
            regulariser: match regulariser {
                Regulariser::Separable(_) => "separable",
                Regulariser::GroupL2(_) => "group l2",
            },
            set: match set {
                Set::Free => "free",
                Set::Box(_) => "box",
                Set::L1Ball { bounds: None, .. } => "l1 ball",
                Set::L1Ball { bounds: Some(_), .. } => "l1 ball in a box",
                Set::L2Ball { .. } => "l2 ball",
                Set::Simplex { .. } => "simplex",
            },
        }
    }
}

fn separable<K: Kernel>(
    kernel: K,
    net: &ElasticNet,
    set: &Set,
    step: Step<'_>,
    out: &mut [f64],
) -> Result<(), StepError> {
    let terms = Terms::new(kernel, net, step);
    match set {
        Set::Free => coordinates::step(&terms, None, out),
        Set::Box(bounds) => coordinates::step(&terms, Some(bounds), out),
        Set::L1Ball { radius, bounds } => l1_ball::step(&terms, *radius, bounds.as_ref(), out),
        Set::L2Ball { radius } => l2_ball::step(&terms, *radius, out),
        Set::Simplex { total } => simplex::step(&terms, *total, out),
    }
}

/// A combination without an exact step.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no exact step is known for the {geometry} geometry with a {regulariser} regulariser on the set `{set}`; there is one for\n{}",
    closed_forms_listed()
)]
pub struct NoClosedForm {
    /// The geometry asked for.
    pub geometry: &'static str,
    /// The regulariser asked for.
    pub regulariser: &'static str,
    /// The set asked for.
    pub set: &'static str,
}

fn closed_forms_listed() -> String {
    let rows = CLOSED_FORMS.iter().map(|(geometry, regulariser, sets)| {
        format!("  {geometry} geometry, {regulariser} regulariser: {}", sets.join(", "))
    });
    rows.collect::<Vec<_>>().join("\n")
}

/// Why a step has no answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
pub enum StepError {
    /// The exact answer itself is beyond the largest float.
    #[error(
        "coordinate {coordinate} steps to about exp({exponent}), which is no float: bound the set, add an l2 weight, or take a larger eta"
    )]
    Overflow {
        /// Which coordinate.
        coordinate: usize,
        /// $k$: the size of the answer in the dual space.
        exponent: f64,
    },
    /// $g_i$ is NaN or infinite, or $g_i/\eta$ leaves the range of floats.
    #[error("the slope of coordinate {coordinate}, divided by eta, is not a finite number")]
    NotFinite {
        /// Which coordinate.
        coordinate: usize,
    },
    /// $\eta$ is not a positive number.
    #[error("eta is {eta}: it must be a positive finite number")]
    BadEta {
        /// What was given.
        eta: f64,
    },
    /// The regulariser or set is not the one the step was chosen for.
    #[error(transparent)]
    #[serde(skip)]
    NoClosedForm(#[from] NoClosedForm),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Geometry;

    fn everything() -> Vec<(DistanceGenerator, Regulariser, Set)> {
        let geometries = [Geometry::Entropy, Geometry::Euclidean, Geometry::PNorm];
        let regularisers = [Regulariser::l1(0.1), Regulariser::group_l2(0.1, vec![0, 1, 0])];
        let sets = [
            Set::Free,
            Set::bounds(-1.0, 1.0),
            Set::l1_ball(1.0),
            Set::l1_ball_in_box(1.0, -0.5, 0.5),
            Set::l2_ball(1.0),
            Set::simplex(),
        ];
        let mut all = Vec::new();
        for geometry in geometries {
            for regulariser in &regularisers {
                all.extend(sets.iter().map(|set| (geometry.generator(3), regulariser.clone(), set.clone())));
            }
        }
        all
    }

    #[test]
    fn what_is_listed_steps_and_nothing_else_is_handed_out() {
        let mut count = 0;
        for (phi, regulariser, set) in everything() {
            let Ok(prox) = closed_form(&phi, &regulariser, &set) else { continue };
            let mut y = [0.0; 3];
            prox.step(&regulariser, &set, Step { x: &[0.1; 3], g: &[1.0, -1.0, 0.0], eta: 1.0 }, &mut y)
                .unwrap();
            assert_eq!(set.violation(&y), 0.0);
            count += 1;
        }
        assert_eq!(count, 16, "6 + 6 + 2 + 2 combinations");
    }

    #[test]
    fn a_missing_combination_is_answered_with_those_that_exist() {
        let error =
            closed_form(&Geometry::PNorm.generator(3), &Regulariser::none(), &Set::simplex()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "no exact step is known for the p-norm geometry with a separable regulariser on the set `simplex`; there is one for
  entropy geometry, separable regulariser: free, box, l1 ball, l1 ball in a box, l2 ball, simplex
  Euclidean geometry, separable regulariser: free, box, l1 ball, l1 ball in a box, l2 ball, simplex
  Euclidean geometry, group l2 regulariser: free, l2 ball
  p-norm geometry, separable regulariser: free, box"
        );
    }

    #[test]
    fn the_documented_table_is_the_table() {
        for (geometry, regulariser, sets) in CLOSED_FORMS {
            let row = format!("//! | {geometry} | {regulariser} | {} |", sets.join(", "));
            assert!(include_str!("prox.rs").contains(&row), "{row}");
        }
    }

    #[test]
    fn a_step_for_another_combination_is_refused() {
        let regulariser = Regulariser::group_l2(1.0, vec![0, 0]);
        let step = Step { x: &[0.0; 2], g: &[1.0; 2], eta: 1.0 };
        let error = Prox::Euclidean.step(&regulariser, &Set::Free, step, &mut [0.0; 2]).unwrap_err();
        assert!(matches!(error, StepError::NoClosedForm(_)));
    }

    #[test]
    fn steps_without_an_answer_say_why() {
        let wide = Set::bounds(f64::NEG_INFINITY, vec![1.0, f64::INFINITY]);
        let cases = [
            // e^800/2 is no float, and neither an l2 weight nor a bound holds it.
            (Set::Free, [0.0, -800.0], 1.0, StepError::Overflow { coordinate: 1, exponent: 800.0 }),
            // The first coordinate is bounded above, so it saturates; the second is not.
            (wide.clone(), [-800.0, -800.0], 1.0, StepError::Overflow { coordinate: 1, exponent: 800.0 }),
            (wide, [800.0, 0.0], 1.0, StepError::Overflow { coordinate: 0, exponent: 800.0 }),
            (Set::Free, [f64::NAN, 0.0], 1.0, StepError::NotFinite { coordinate: 0 }),
            (Set::simplex(), [0.0, f64::INFINITY], 1.0, StepError::NotFinite { coordinate: 1 }),
            (Set::Free, [1e300, 0.0], 1e-9, StepError::NotFinite { coordinate: 0 }),
            (Set::Free, [0.0, 0.0], 0.0, StepError::BadEta { eta: 0.0 }),
        ];
        let prox = Prox::Entropy(Entropy::new(2));
        for (set, g, eta, expected) in cases {
            let step = Step { x: &[0.0; 2], g: &g, eta };
            assert_eq!(prox.step(&Regulariser::none(), &set, step, &mut [0.0; 2]), Err(expected));
        }
    }

    #[test]
    fn saturation_at_a_finite_bound_is_no_overflow() {
        let (prox, set) = (Prox::Entropy(Entropy::new(2)), Set::bounds(-2.0, 3.0));
        let mut y = [0.0; 2];
        prox.step(&Regulariser::none(), &set, Step { x: &[0.0; 2], g: &[1e9, -1e9], eta: 1e-9 }, &mut y)
            .unwrap();
        assert_eq!(y, [-2.0, 3.0]);
    }

    #[test]
    fn a_prox_survives_its_snapshot() {
        for (phi, regulariser, set) in everything() {
            let Ok(prox) = closed_form(&phi, &regulariser, &set) else { continue };
            let text = serde_json::to_string(&prox).unwrap();
            assert_eq!(serde_json::from_str::<Prox>(&text).unwrap(), prox);
        }
    }
}
