//! Permutations as numpy's legacy generator makes them (`numpy.random.seed`, `numpy.random.permutation`), which the authors' scripts
//! choose their images by.

use rand_mt::Mt;

/// `numpy.random.seed(seed); numpy.random.permutation(count)`.
pub(super) fn permutation(seed: u32, count: usize) -> Vec<usize> {
    let mut generator = Mt::new(seed);
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        order.swap(last, at_most(&mut generator, last));
    }
    order
}

/// A number from 0 to `most`: words are cut to the bits of `most`, and what is still larger is drawn again.
fn at_most(generator: &mut Mt, most: usize) -> usize {
    let mask = (most + 1).next_power_of_two() - 1;
    loop {
        let drawn = generator.next_u32() as usize & mask;
        if drawn <= most {
            return drawn;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permutations_are_numpys() {
        // `numpy.random.seed(48); print(numpy.random.permutation(10))` and so on, numpy 2.4.6.
        assert_eq!(permutation(48, 10), [7, 5, 2, 6, 9, 8, 4, 1, 3, 0]);
        assert_eq!(permutation(48, 10_000)[..5], [358, 8958, 1985, 1444, 1540]);
        assert_eq!(permutation(57, 17), [11, 13, 4, 3, 0, 14, 9, 7, 1, 10, 12, 2, 8, 16, 5, 6, 15]);
        assert_eq!(permutation(1, 0), [0; 0]);
    }
}
