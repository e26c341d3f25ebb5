//! Which images a step sees, in which order, moved and turned how: all of it a function of seed and epoch.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::architecture::Architecture;
use super::recipe::Augmentation;
use crate::data::Images;

/// Streams below this number belong to the first values of the parameters.
const FIRST_EPOCH: u64 = 1 << 32;
/// Pixels by which an image is moved at most.
const MARGIN: usize = 4;

/// What every pixel becomes: one table per channel.
#[derive(Clone, Debug)]
pub(super) struct Scaling(Vec<[f32; 256]>);

impl Scaling {
    pub(super) fn of(architecture: Architecture) -> Self {
        Self::new(architecture.mean(), architecture.deviation())
    }

    /// From 0..=255 to 0..=1, then minus the mean, divided by the deviation.
    #[expect(clippy::cast_possible_truncation, reason = "pixels become f32")]
    fn new(mean: &[f64], deviation: &[f64]) -> Self {
        let table = |(mean, deviation): (&f64, &f64)| {
            std::array::from_fn(|byte| ((byte as f64 / 255.0 - mean) / deviation) as f32)
        };
        Self(mean.iter().zip(deviation).map(table).collect())
    }

    /// The pixels of an image as it is.
    pub(super) fn plain<'a>(
        &'a self,
        images: &'a Images,
        index: usize,
    ) -> impl Iterator<Item = f32> + use<'a> {
        let planes = images.image(index).chunks_exact(images.height * images.width);
        planes.zip(&self.0).flat_map(|(plane, table)| plane.iter().map(|&byte| table[usize::from(byte)]))
    }

    /// The pixels of an image, moved and turned.
    pub(super) fn varied<'a>(
        &'a self,
        images: &'a Images,
        index: usize,
        variation: Variation,
    ) -> impl Iterator<Item = f32> + use<'a> {
        let (height, width) = (images.height, images.width);
        let planes = images.image(index).chunks_exact(height * width).zip(&self.0);
        planes.flat_map(move |(plane, table)| {
            (0..height).flat_map(move |y| {
                (0..width).map(move |x| {
                    let x = if variation.flipped { width - 1 - x } else { x };
                    let (y, x) = (y + variation.down, x + variation.right);
                    let inside =
                        (MARGIN..height + MARGIN).contains(&y) && (MARGIN..width + MARGIN).contains(&x);
                    if inside { table[usize::from(plane[(y - MARGIN) * width + x - MARGIN])] } else { 0.0 }
                })
            })
        })
    }
}

/// Where the window of a crop stands in the padded image, and whether it is turned left to right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Variation {
    down: usize,
    right: usize,
    flipped: bool,
}

impl Variation {
    const NONE: Self = Self { down: MARGIN, right: MARGIN, flipped: false };

    fn draw(word: u32) -> Self {
        /// Places of the window in each direction: 2 MARGIN + 1.
        const SIDE: u32 = 9;
        Self { down: (word % SIDE) as usize, right: (word / SIDE % SIDE) as usize, flipped: word >> 31 == 1 }
    }
}

/// The images of one epoch in their order.
#[derive(Debug)]
pub(super) struct Epoch {
    order: Vec<u32>,
    variations: Vec<Variation>,
}

impl Epoch {
    #[expect(clippy::cast_possible_truncation, reason = "a data set has fewer than 2^32 images")]
    pub(super) fn new(count: usize, seed: u64, epoch: u32, augmentation: Augmentation) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(FIRST_EPOCH + u64::from(epoch));
        let mut order: Vec<u32> = (0..count as u32).collect();
        // Fisher & Yates; the bias of a product of 64 bits is below 1e-14.
        for left in (1..count).rev() {
            let chosen = (u128::from(random.next_u64()) * (left as u128 + 1)) >> 64;
            order.swap(left, chosen as usize);
        }
        let mut variation = || match augmentation {
            Augmentation::None => Variation::NONE,
            Augmentation::CropAndFlip => Variation::draw(random.next_u32()),
        };
        let variations = (0..count).map(|_| variation()).collect();
        Self { order, variations }
    }

    /// The images at these places: index and variation.
    pub(super) fn at(&self, places: std::ops::Range<usize>) -> impl Iterator<Item = (usize, Variation)> {
        let order = self.order[places.clone()].iter().map(|&index| index as usize);
        order.zip(self.variations[places].iter().copied())
    }
}
