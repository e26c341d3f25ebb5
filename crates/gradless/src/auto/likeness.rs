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

/// Each of the chosen coordinates of `dim` with those beside it, as far as `reach` says and they join it, one after the other; none
/// joins two.
pub(crate) fn together(
    chosen: &[usize],
    dim: usize,
    reach: impl Fn(usize) -> usize,
    joins: impl Fn(usize, usize) -> bool,
) -> Vec<Vec<usize>> {
    let mut taken = vec![false; dim];
    for &i in chosen {
        taken[i] = true;
    }
    let group = |&i: &usize| {
        let mut group = vec![i];
        let before = (i.saturating_sub(reach(i))..i).rev();
        let behind = i + 1..dim.min(i + 1 + reach(i));
        for side in [before.collect::<Vec<_>>(), behind.collect()] {
            for j in side.into_iter().take_while(|&j| joins(i, j)) {
                if std::mem::replace(&mut taken[j], true) {
                    break;
                }
                group.push(j);
            }
        }
        group
    };
    chosen.iter().map(group).collect()
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
    fn what_stands_beside_joins_as_far_as_it_may() {
        let reach = |i: usize| if i == 5 { 3 } else { 1 };
        let groups = together(&[5, 0, 9], 10, reach, |_, j| j != 3);
        // 3 does not join, 9 was chosen itself, and 8 is nearer to it but was there for the first.
        assert_eq!(groups, [vec![5, 4, 6, 7, 8], vec![0, 1], vec![9]]);
    }

    #[test]
    fn a_few_pairs_prove_nothing() {
        assert_eq!(learnt(15, |_| 1.0), 0.0);
        assert!(learnt(16, |_| 1.0) > 0.0);
    }
}
