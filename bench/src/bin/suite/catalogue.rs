//! Which problems there are.

use std::path::Path;

use bench::{Fallible, network};
use gradless::{Config, Solver};
use gradless_models::Engine;
use gradless_paper::data::{DataSet, Split};
use gradless_paper::reproduce::{Mode, Order, choose, weight};
use testkit::families::{Shape, SparseTarget};

use crate::black_box::question;
use crate::instance::{Instance, Loss, Noise, Numbers};

/// The dimensions of the families unless said otherwise.
pub(crate) const DIMS: [usize; 4] = [100, 1_000, 10_000, 100_000];
/// Weight of both norms.
const GAMMA: f64 = 0.01;
/// Chooses supports and images.
const SEED: u64 = 1;
/// Common noise: about a third of the gradient's norm at the start.
const COMMON: f64 = 0.5;
/// Independent noise, as on the page of reference numbers.
const INDEPENDENT: f64 = 0.1;
/// Images asked about, of different classes.
const IMAGES: usize = 5;

/// The synthetic families in these dimensions.
pub(crate) fn families(dims: &[usize]) -> Vec<Instance> {
    let mut instances = Vec::new();
    for &dim in dims {
        let quadratic = SparseTarget::quadratic(dim, GAMMA, SEED);
        let ten_active = SparseTarget::new(dim, 10, 1.0, 0.05, 0.0, Shape::Quadratic, SEED);
        let nonconvex = SparseTarget::nonconvex(dim, GAMMA, SEED);
        instances.push(of("quadratic", &quadratic, Noise::None));
        instances.push(of("ten-active", &ten_active, Noise::None));
        instances.push(of("nonconvex", &nonconvex, Noise::None));
        instances.push(of("noisy-common", &quadratic, Noise::Common { sigma: COMMON }));
        instances.push(of("noisy-independent", &quadratic, Noise::Independent { sigma: INDEPENDENT }));
    }
    instances
}

fn of(problem: &str, target: &SparseTarget, noise: Noise) -> Instance {
    let minimum = Some(target.minimum());
    let SparseTarget { dim, support, target, l1, l2, shape } = target.clone();
    Instance {
        name: format!("{problem}-{dim}"),
        problem: problem.to_owned(),
        dim,
        l1,
        l2,
        lower: Numbers::Same(-1.0),
        upper: Numbers::Same(1.0),
        start: Numbers::Same(0.0),
        minimum,
        loss: match shape {
            Shape::Quadratic | Shape::Active => Loss::Quadratic { support, target, noise },
            Shape::Nonconvex => Loss::Nonconvex { support, target, noise },
        },
    }
}

/// Both questions about a few images of MNIST's test set.
pub(crate) fn digits(data: &Path) -> Fallible<Vec<Instance>> {
    let set = DataSet::Mnist;
    let lenet = network::load(set, Engine::default())?;
    let test = network::images(data, set, Split::Test)?;
    let mut instances = Vec::new();
    // Every second class of the first image of each.
    for chosen in
        choose(&lenet, set, &test, &Order::Hashed, 1, SEED)?.images.into_iter().step_by(2).take(IMAGES)
    {
        for mode in [Mode::Pn, Mode::Pp] {
            let pixels = test.images.image(chosen.index);
            let problem = question(&lenet, pixels, mode)?.problem()?;
            let bounds = problem.set().box_bounds().ok_or("a question without bounds")?;
            let (lower, upper) = (Numbers::from(&bounds.lower), Numbers::from(&bounds.upper));
            instances.push(Instance {
                name: format!("mnist-{}-{}", mode.name(), chosen.index),
                problem: format!("mnist-{}", mode.name()),
                dim: problem.dim(),
                l1: weight(set),
                l2: weight(set),
                lower,
                upper,
                start: Numbers::Each(Solver::new(problem, Config::default())?.point()),
                minimum: None,
                loss: Loss::Image {
                    network: network::file(set).to_owned(),
                    task: mode.name().to_owned(),
                    pixels: pixels.to_vec(),
                },
            });
        }
    }
    Ok(instances)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instance_survives_the_way_to_the_disk_and_back() {
        let folder = std::env::temp_dir().join(format!("suite-instances-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let written = families(&[100, 1_000]);
        for instance in &written {
            instance.write(&folder).unwrap();
        }
        let mut found = Instance::all(&folder).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!((found.len(), found[0].dim), (10, 100));
        found.sort_by_key(|found| written.iter().position(|written| written.name == found.name));
        assert_eq!(found, written);
        // The page of reference numbers: F(0) = 5 and F* = 0.4875.
        assert!((written[1].minimum.unwrap() - 0.4875).abs() < 1e-12);
        assert!((written[1].sparse().unwrap().0.start_objective() - 5.0).abs() < 1e-12);
    }
}
