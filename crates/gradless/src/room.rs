//! Room for differences: where in $K$ they are taken, and how long their steps may be, so that no query leaves $K$.
//!
//! A difference along $\pm\nu u$ at a point on the boundary of $K$ would ask outside. It is taken around a *centre* instead: a
//! point nearby whose whole neighbourhood lies in $K$. Estimates stay unbiased for linear $l$; for smooth ones the centre adds a
//! bias of the order that the radius has anyway.

use crate::direction::{Norms, Perturbed};
use crate::prox;
use crate::set::{Bounds, Set};

/// The share of $K$'s size that a perturbation may take, and by which its centre is then apart from a point on the boundary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Share {
    /// For a rule's own radius: what is near the boundary is asked for near it.
    Small,
    /// For a radius measured under noise, where each coordinate has its own: slopes are told by long steps, but far from the
    /// boundary they are not those at it. Chosen by experiment: of 0.1, 0.15 and 0.25 the smallest objectives in the worst tenth of
    /// runs (nonconvex sparse targets in 30, 100 and 1,000 dimensions, noise of 1e-4 to 1e-2, seeds 4000 to 4019).
    Medium,
    /// For a radius measured under noise that all coordinates share; of 0.1 and 0.25 by the same experiment.
    Large,
    /// For a radius that was given, or has grown because nothing changes within a shorter one: all there is, half of it to each side.
    Whole,
}

impl Share {
    const fn value(self) -> f64 {
        match self {
            Self::Small => 0.01,
            Self::Medium => 0.1,
            Self::Large => 0.25,
            Self::Whole => 0.5,
        }
    }
}

/// Radii tried, each half of the one before, until $K$ has room for one.
const HALVINGS: usize = 60;

/// The longest radius at which perturbations with these norms take at most a share of $K$'s size; infinite if $K$ is, and 0
/// where $K$ is a single point.
pub(crate) fn longest_radius(set: &Set, dim: usize, norms: Norms, share: Share) -> f64 {
    let share = share.value();
    let width = |bounds: &Bounds| share * bounds.least_room(dim) / norms.max;
    match set {
        Set::Free => f64::INFINITY,
        Set::Box(bounds) => width(bounds),
        Set::L2Ball { radius } => share * radius / norms.l2,
        Set::Simplex { total } => share * total / norms.l1,
        Set::L1Ball { radius, bounds: None } => share * radius / norms.l1,
        Set::L1Ball { radius, bounds: Some(bounds) } => {
            let wanted = width(bounds).min(share * radius / norms.l1);
            let halves = std::iter::successors(Some(wanted), |radius| Some(0.5 * radius)).take(HALVINGS);
            let fits = |&nu: &f64| nu > 0.0 && set.shrunk(dim, norms.times(nu)).is_some();
            halves.into_iter().find(fits).unwrap_or(0.0)
        }
    }
}

/// How much of a perturbation by `reach` fits each group of coordinates at `x`, 0 where a group has no room at all.
///
/// Only bounds differ from coordinate to coordinate; what a ball or the simplex leaves is the same for all groups. A coordinate is
/// perturbed as far as its nearer bound without moving the centre, and by its share of the width if that is farther.
pub(crate) fn shares(set: &Set, x: &[f64], groups: &[Vec<usize>], reach: f64, share: Share) -> Vec<f64> {
    let share = share.value();
    let count: usize = groups.iter().map(Vec::len).sum();
    let norms = Norms::of_signs(count.max(1));
    let whole = match set {
        Set::Free | Set::Box(_) => 1.0,
        Set::L1Ball { radius, .. } => share * radius / norms.l1 / reach,
        Set::L2Ball { radius } => share * radius / norms.l2 / reach,
        Set::Simplex { total } => share * total / norms.l1 / reach,
    };
    let fitting = |group: &Vec<usize>| {
        let room = |&i: &usize| {
            set.box_bounds().map_or(f64::INFINITY, |bounds| {
                let nearer = (x[i] - bounds.lower.at(i)).min(bounds.upper.at(i) - x[i]);
                nearer.max(share * bounds.width(i))
            })
        };
        let narrowest = group.iter().map(room).fold(f64::INFINITY, f64::min);
        whole.min(narrowest / reach).min(1.0)
    };
    groups.iter().map(fitting).collect()
}

/// Where perturbations along a coordinate are centred so that they lie on one side of `x`; `centre` where that would leave $K$, or
/// where more than bounds would have to be kept.
pub(crate) fn lean(set: &Set, i: usize, x: f64, centre: f64, by: f64) -> f64 {
    let far = x + 2.0 * by;
    match set {
        Set::Free => x + by,
        Set::Box(bounds) if (bounds.lower.at(i)..=bounds.upper.at(i)).contains(&far) => x + by,
        _ => centre,
    }
}

/// Writes the centre of perturbations by so much into `centre`; `false` where $K$ has no such point.
///
/// Coordinates that have less room than that go to the middle of it.
pub(crate) fn retreat(
    set: &Set,
    norms: Norms,
    reach: f64,
    perturbed: Perturbed<'_>,
    x: &[f64],
    centre: &mut [f64],
) -> bool {
    centre.copy_from_slice(x);
    match set {
        Set::Free => {}
        Set::Box(bounds) => {
            perturbed.each(x.len(), |i, share| {
                centre[i] = bounds.retreat(i, x[i], share * norms.max * reach);
            });
        }
        Set::Simplex { total } => {
            // What the lifted coordinates add to the total is taken from all, so that they are lifted by a little more.
            let most = norms.l1 * perturbed.most() * reach;
            let margin = norms.max * reach / (1.0 - most / total);
            perturbed.each(x.len(), |i, share| centre[i] = x[i].max(share * margin));
            set.settle(centre);
        }
        Set::L1Ball { .. } | Set::L2Ball { .. } => {
            match set.shrunk(x.len(), norms.times(perturbed.most() * reach)) {
                Some(smaller) => prox::project(&smaller, x, centre),
                None => return false,
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn centre(set: &Set, perturbed: Perturbed<'_>, x: &[f64]) -> Vec<f64> {
        let mut centre = vec![f64::NAN; x.len()];
        assert!(retreat(set, Norms::of_signs(x.len()), 0.1, perturbed, x, &mut centre));
        centre
    }

    #[test]
    fn only_what_is_perturbed_leaves_the_boundary() {
        let set = Set::bounds(0.0, 1.0);
        assert_eq!(centre(&set, Perturbed::All, &[0.0, 0.5, 1.0]), [0.1, 0.5, 0.9]);
        assert_eq!(centre(&set, Perturbed::Groups(&[vec![2]], &[1.0]), &[0.0, 0.5, 1.0]), [0.0, 0.5, 0.9]);
    }

    #[test]
    fn a_narrow_coordinate_goes_to_its_middle_and_its_steps_are_shortened() {
        let set = Set::bounds(vec![0.0, 0.0, 3.0], vec![1.0, 0.06, 3.0]);
        assert_eq!(centre(&set, Perturbed::All, &[0.0, 0.0, 3.0]), [0.1, 0.03, 3.0]);
        let halved = Perturbed::Groups(&[vec![0]], &[0.5]);
        assert_eq!(centre(&set, halved, &[0.0, 0.0, 3.0]), [0.05, 0.0, 3.0]);
        let groups = [vec![0], vec![1], vec![2], vec![0, 1]];
        assert_eq!(shares(&set, &[0.0, 0.0, 3.0], &groups, 0.1, Share::Whole), [1.0, 0.3, 0.0, 0.3]);
        let apart = shares(&set, &[0.025, 0.03, 3.0], &groups, 0.1, Share::Small);
        assert_eq!(apart, [0.25, 0.3, 0.0, 0.25], "as far as the nearer bound, or a hundredth of the width");
    }

    #[test]
    fn a_query_on_the_simplex_keeps_its_total() {
        let set = Set::simplex();
        let centre = centre(&set, Perturbed::Groups(&[vec![1]], &[1.0]), &[1.0, 0.0, 0.0]);
        assert!(centre[1] >= 0.1 && (centre.iter().sum::<f64>() - 1.0).abs() < 1e-15, "{centre:?}");
        for step in [-0.1, 0.1] {
            let mut query = centre.clone();
            query[1] += step;
            set.settle(&mut query);
            assert!(set.violation(&query) == 0.0 && query[2] == 0.0, "{query:?}");
            assert!((query[1] / query[0] - (centre[1] + step) / centre[0]).abs() < 1e-15);
        }
    }

    #[test]
    fn the_longest_radius_takes_its_share_of_the_set() {
        let norms = Norms::of_signs(4);
        let longest = |set: Set| longest_radius(&set, 4, norms, Share::Whole);
        assert_eq!(longest(Set::Free), f64::INFINITY);
        assert_eq!(longest(Set::bounds(0.0, vec![1.0, 2.0, 3.0, 0.5])), 0.25);
        assert_eq!(longest(Set::l1_ball(2.0)), 0.25);
        assert_eq!(longest(Set::l2_ball(2.0)), 0.5);
        assert_eq!(longest(Set::simplex()), 0.125);
        assert_eq!(longest(Set::l1_ball_in_box(4.0, 1.0, 2.0)), 0.0, "only one point has so small a norm");
    }
}
