//! What is learnt: lists of numbers with a name, a shape and a law for their first values.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal, Uniform};

/// The law of the first values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Init {
    Constant(f32),
    Normal { deviation: f32 },
    Uniform { bound: f32 },
}

/// A list of learnt numbers.
#[derive(Clone, Debug)]
pub(super) struct Specification {
    #[cfg_attr(not(test), expect(dead_code, reason = "tells people which list is meant when a test fails"))]
    pub(super) name: String,
    pub(super) shape: Vec<usize>,
    pub(super) init: Init,
    /// Whether weight decay applies: to kernels, not to biases and batch norm.
    pub(super) decays: bool,
}

impl Specification {
    pub(super) fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// The first values, from a stream of their own: `stream` is the place in the list.
    pub(super) fn draw(&self, seed: u64, stream: u64) -> Vec<f32> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(stream);
        let count = self.len();
        match self.init {
            Init::Constant(value) => vec![value; count],
            Init::Normal { deviation } => {
                let mut draw = || -> f32 { StandardNormal.sample(&mut random) };
                (0..count).map(|_| deviation * draw()).collect()
            }
            Init::Uniform { bound } => {
                let law = Uniform::new_inclusive(-1.0_f32, 1.0).expect("the bounds are in order");
                (0..count).map(|_| bound * law.sample(&mut random)).collect()
            }
        }
    }
}
