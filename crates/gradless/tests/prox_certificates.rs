//! Every answer carries its own proof: one multiplier that explains all coordinates.
//!
//! With $\rho_i = g_i + \eta(\nabla\varphi(y)_i - \nabla\varphi(x)_i) + \gamma_{2,i}y_i$ the answer is optimal if and only if
//! $-\rho_i$ lies in $\gamma_{1,i}\partial|y_i|$ plus the normal cone of the set at $y$.

mod prox_case;

use gradless::geometry::Geometry;
use gradless::prox::StepError;
use gradless::regulariser::{ElasticNet, GroupL2};
use gradless::{Regulariser, Set, vector};
use proptest::prelude::*;
use prox_case::{Case, Ranges};

/// What is left of the multiplier once every coordinate has spoken.
#[derive(Debug)]
struct Multiplier {
    low: f64,
    high: f64,
}

impl Multiplier {
    fn at_least(&mut self, value: f64, tolerance: f64) {
        self.low = self.low.max(value - tolerance);
    }

    fn at_most(&mut self, value: f64, tolerance: f64) {
        self.high = self.high.min(value + tolerance);
    }

    fn exists(&self) -> bool {
        self.low <= self.high
    }
}

/// $\rho$ and what rounding may add to each entry.
fn residual(case: &Case, y: &[f64], l2: impl Fn(usize) -> f64, digits: f64) -> Vec<(f64, f64)> {
    let phi = case.generator();
    let (mut from, mut to) = (y.to_vec(), y.to_vec());
    phi.gradient(&case.x, &mut from);
    phi.gradient(y, &mut to);
    let rho = |i: usize| {
        let rho = case.g[i] + case.eta * (to[i] - from[i]) + l2(i) * y[i];
        let size = case.g[i].abs() + case.eta * (to[i].abs() + from[i].abs()) + (l2(i) * y[i]).abs();
        // Answers below the normal floats have lost their digits; the slope there is at most η/a.
        (rho, digits * size + case.eta * 1e-300)
    };
    (0..y.len()).map(rho).collect()
}

fn separable_is_optimal(case: &Case, net: &ElasticNet, y: &[f64], digits: f64) -> Result<(), String> {
    let slack = 1e-9;
    // A multiplier exists only where the constraint is active.
    let mut multiplier = match &case.set {
        Set::Free | Set::Box(_) => Multiplier { low: 0.0, high: 0.0 },
        Set::L1Ball { radius, .. } if vector::norm_l1(y) < radius * (1.0 - slack) => {
            Multiplier { low: 0.0, high: 0.0 }
        }
        Set::L2Ball { radius } if vector::norm_l2(y) < radius * (1.0 - slack) => {
            Multiplier { low: 0.0, high: 0.0 }
        }
        Set::L1Ball { .. } | Set::L2Ball { .. } => Multiplier { low: 0.0, high: f64::INFINITY },
        Set::Simplex { .. } => Multiplier { low: f64::NEG_INFINITY, high: f64::INFINITY },
    };
    for (i, (rho, rounding)) in residual(case, y, |i| net.l2.at(i), digits).into_iter().enumerate() {
        let (y, l1) = (y[i], net.l1.at(i));
        let tolerance = rounding + digits * l1;
        let bounds = case.set.box_bounds();
        let (low, high) =
            bounds.map_or((f64::NEG_INFINITY, f64::INFINITY), |b| (b.lower.at(i), b.upper.at(i)));
        match &case.set {
            Set::Simplex { .. } => {
                multiplier.at_least(-rho - l1, tolerance);
                if y > 0.0 {
                    multiplier.at_most(-rho - l1, tolerance);
                }
            }
            Set::L2Ball { .. } if y == 0.0 && rho.abs() > l1 + tolerance => {
                return Err(format!("{i} should move"));
            }
            Set::L2Ball { .. } if y == 0.0 => {}
            Set::L2Ball { .. } => {
                let needed = (-rho * y.signum() - l1) / y.abs();
                multiplier.at_least(needed, tolerance / y.abs());
                multiplier.at_most(needed, tolerance / y.abs());
            }
            Set::Free | Set::Box(_) | Set::L1Ball { .. } => {
                // Unless a bound pushes back, -ρ is neither below nor above (l1 + μ)∂|y|.
                match (y > low, y > 0.0) {
                    (true, true) => multiplier.at_most(-rho - l1, tolerance),
                    (true, false) => multiplier.at_least(rho - l1, tolerance),
                    (false, _) => {}
                }
                match (y < high, y < 0.0) {
                    (true, true) => multiplier.at_most(rho - l1, tolerance),
                    (true, false) => multiplier.at_least(-rho - l1, tolerance),
                    (false, _) => {}
                }
            }
        }
    }
    if multiplier.exists() { Ok(()) } else { Err(format!("no common {multiplier:?}")) }
}

/// $-\rho_g = w_g y_g/\lVert y_g\rVert + \mu y_g$, or $\lVert\rho_g\rVert \le w_g$ where $y_g = 0$.
fn groups_are_optimal(case: &Case, groups: &GroupL2, y: &[f64], digits: f64) -> Result<(), String> {
    let rho = residual(case, y, |_| 0.0, digits);
    let on_sphere = matches!(case.set, Set::L2Ball { radius } if vector::norm_l2(y) >= radius * (1.0 - 1e-9));
    let mut multiplier = Multiplier { low: 0.0, high: if on_sphere { f64::INFINITY } else { 0.0 } };
    let y_norms = groups.norms(y);
    let rho_norms = groups.norms(&rho.iter().map(|r| r.0).collect::<Vec<_>>());
    let tolerances = groups.norms(&rho.iter().map(|r| r.1).collect::<Vec<_>>());
    for (i, &group) in groups.group_of.iter().enumerate() {
        let (weight, norm) = (groups.weight.at(group), y_norms[group]);
        let tolerance = 4.0 * tolerances[group] + digits * weight;
        if norm == 0.0 && rho_norms[group] > weight + tolerance {
            return Err(format!("group {group} should move"));
        }
        if y[i] != 0.0 {
            let needed = -rho[i].0 / y[i] - weight / norm;
            multiplier.at_least(needed, tolerance / y[i].abs());
            multiplier.at_most(needed, tolerance / y[i].abs());
        }
    }
    if multiplier.exists() { Ok(()) } else { Err(format!("no common {multiplier:?}")) }
}

fn check(case: &Case, digits: f64) -> Result<(), TestCaseError> {
    match case.step() {
        Ok(y) => {
            prop_assert_eq!(vector::first_not_finite(&y), None);
            prop_assert_eq!(case.set.violation(&y), 0.0, "{:?} {:?}", case, y);
            let optimal = match &case.regulariser {
                Regulariser::Separable(net) => separable_is_optimal(case, net, &y, digits),
                Regulariser::GroupL2(groups) => groups_are_optimal(case, groups, &y, digits),
            };
            prop_assert_eq!(optimal, Ok(()), "{:?} {:?}", case, y);
        }
        // Only where nothing holds the exponential.
        Err(StepError::Overflow { exponent, .. }) => {
            prop_assert!(case.geometry == Geometry::Entropy && exponent > 700.0);
            prop_assert!(matches!(case.set, Set::Free | Set::Box(_)));
        }
        Err(other) => prop_assert!(false, "{other}"),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn ordinary_steps_are_optimal(case in prox_case::any_case(Ranges { slope: 2.0, eta: 2.0, weight: 2.0 })) {
        check(&case, 1e-13)?;
    }

    #[test]
    fn extreme_steps_are_optimal(case in prox_case::any_case(Ranges { slope: 9.0, eta: 9.0, weight: 9.0 })) {
        check(&case, 1e-13)?;
    }
}
