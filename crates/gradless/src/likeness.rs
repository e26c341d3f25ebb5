//! How alike the slopes of coordinates side by side are: pixels of an image, points of a curve.

/// From so many pairs on, slopes that explain so much of those beside them are taken to be alike.
const PAIRS: u64 = 16;
const EXPLAINED: f64 = 0.1;
/// How far what is beside a coordinate is trusted to tell its own slope.
const TRUSTED: f64 = 0.8;

/// The regression of slopes on the mean of those beside them.
///
/// Where coordinates stand in no order it finds nothing, and nothing changes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Likeness {
    products: f64,
    beside: f64,
    own: f64,
    pairs: u64,
}

impl Likeness {
    /// Slopes, each with the mean of those beside it.
    pub(crate) fn of(pairs: impl Iterator<Item = (f64, f64)>) -> Self {
        pairs.fold(Self::default(), |sums, (own, beside)| Self {
            products: sums.products + own * beside,
            beside: sums.beside + beside * beside,
            own: sums.own + own * own,
            pairs: sums.pairs + 1,
        })
    }

    /// How much of a change beside a coordinate is expected of it; 0 where they are not alike.
    pub(crate) fn value(self) -> f64 {
        let Self { products, beside, own, pairs } = self;
        let explained = products * products / (beside * own);
        if pairs >= PAIRS && products > 0.0 && explained > EXPLAINED {
            TRUSTED * (products / beside).min(1.0)
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learnt(count: usize, slope: impl Fn(usize) -> f64) -> f64 {
        Likeness::of((1..=count).map(|i| (slope(i), 0.5 * (slope(i - 1) + slope(i + 1))))).value()
    }

    #[test]
    fn what_is_smooth_is_alike_and_what_is_not_is_not() {
        assert!((learnt(100, |i| (0.2 * i as f64).sin()) - TRUSTED).abs() < 0.01);
        assert_eq!(learnt(100, |i| if i % 2 == 0 { 1.0 } else { -1.0 }), 0.0);
        assert_eq!(learnt(100, |i| testkit::noise::normal(i as u64)), 0.0);
        assert_eq!(learnt(100, |_| 0.0), 0.0);
    }

    #[test]
    fn a_few_pairs_prove_nothing() {
        assert_eq!(learnt(15, |_| 1.0), 0.0);
        assert!(learnt(16, |_| 1.0) > 0.0);
    }
}
