//! What the paper's figures show: mean ratios read off the authors' published curves.

use super::arm::Arm;
use super::question::Mode;
use crate::data::DataSet;

/// MNIST was read from pixels (0.3 % where flat, about 1 % high where steep), CIFAR-10 from vector graphics (four digits).
const FIGURES: &str = include_str!("../../reference/figures.csv");

/// The mean ratio after some number of steps, where it could be read.
pub fn reference(set: DataSet, mode: Mode, arm: Arm, iteration: usize) -> Option<f64> {
    let start =
        format!("{},{},{},{},{iteration},", set.name(), mode.name(), arm.family.name(), arm.parameter());
    FIGURES.lines().find_map(|line| line.strip_prefix(&start)?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::Family;

    #[test]
    fn every_arm_has_its_value_at_the_end() {
        for set in [DataSet::Mnist, DataSet::Cifar10] {
            for mode in [Mode::Pn, Mode::Pp] {
                for arm in Arm::of(&Family::ALL) {
                    assert!(
                        reference(set, mode, arm, 200).is_some_and(|ratio| ratio > 0.0),
                        "{mode:?} {arm}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_papers_choice_is_the_best_of_its_figures() {
        for set in [DataSet::Mnist, DataSet::Cifar10] {
            for mode in [Mode::Pn, Mode::Pp] {
                for family in Family::ALL {
                    let end = |arm| reference(set, mode, arm, 200).unwrap();
                    let choice = Arm::papers_choice(family, set, mode);
                    let best = Arm::of(&[family]).into_iter().map(end).fold(f64::INFINITY, f64::min);
                    assert_eq!(end(choice), best, "{set:?} {mode:?} {choice}");
                }
            }
        }
    }
}
