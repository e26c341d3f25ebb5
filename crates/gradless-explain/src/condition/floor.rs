//! How large a margin must be to mean anything: the noise of the model where it is explained.

use gradless::{Inputs, Model, ModelError};

use super::{largest, lead};
use crate::features::Coordinates;

/// A margin counts when it is so many times the standard deviation of its noise.
const SIGMAS: f64 = 5.0;
/// What rounding does to a margin at least: so many roundings of the largest score in single precision.
const ROUNDINGS: f64 = 16.0;
/// How often the input is asked again to learn whether the model repeats itself, and how often if it does not.
const REPEATS: usize = 4;
const NOISY_REPEATS: usize = 16;
const REPEATS_OF_SWITCHES: usize = 2;
/// Neighbouring inputs that tell how far rounding blurs the margin of a model that repeats itself.
const NEIGHBOURS: usize = 6;
/// A difference between neighbouring floats above this share of the largest score is a step of the model, not rounding: inputs
/// can lie exactly on a threshold of a tree.
const STEP: f64 = 1e-4;

/// A margin must be above this to count, and how that is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floor {
    /// In scores.
    pub margin: f64,
    /// How it is known, in words.
    pub source: &'static str,
    /// Whether the model gives the same scores for the same input. If it does, any margin above 0 is a fact.
    pub repeats: bool,
    /// Inputs the model was given to know it.
    pub queries: u64,
}

impl Default for Floor {
    /// No noise, and no rounding.
    fn default() -> Self {
        Self { margin: 0.0, source: "none", repeats: true, queries: 0 }
    }
}

impl Floor {
    /// A floor that somebody has chosen. A margin below it does not count, whatever the model.
    pub fn given(margin: f64) -> Self {
        Self { margin, source: "given", repeats: false, queries: 0 }
    }

    /// The floor of a model that answers its class and nothing else.
    pub fn of_labels() -> Self {
        Self { margin: 0.0, source: "labels have none", repeats: true, queries: 0 }
    }

    /// Whether a condition that holds by this margin holds.
    pub fn is_passed_by(&self, margin: f64) -> bool {
        margin > self.margin || (self.repeats && margin > 0.0)
    }

    /// The floor of a model at an input with these coordinates: what rounding in single precision does at least, and more where asking
    /// shows more (11 or 17 queries), if that is asked for.
    ///
    /// The input is asked again with single coordinates moved by one unit in the last place of a double, so that whoever remembers
    /// answers is asked too. Where the margin is not the same then, it is noisy, and its spread is the noise. Where it is, the
    /// model repeats itself, and the floor is what rounding leaves: single precision at least, or what the margin differs by
    /// between neighbouring single-precision inputs. Finite steps are not asked: those of trees, tables and rounded inputs would
    /// look like noise.
    pub fn at(
        model: &dyn Model,
        coordinates: &Coordinates<'_>,
        seed: u64,
        measure: bool,
    ) -> Result<Self, ModelError> {
        let input = Around { coordinates, numbers: model.inputs() };
        let first = ask(model, &[input.shown(&coordinates.whole)])?.concat();
        let size = first.iter().fold(0.0_f64, |most, score| most.max(score.abs()));
        let rounding = ROUNDINGS * f64::from(f32::EPSILON) * size;
        let assumed =
            |queries| Self { margin: rounding, source: "assumed: rounding", repeats: true, queries };
        if !measure || model.classes() < 2 {
            return Ok(assumed(1));
        }
        let class = largest(&first);
        let here = lead(&first, class);
        let margins = |points: &[Vec<f64>]| -> Result<Vec<f64>, ModelError> {
            Ok(ask(model, points)?.iter().map(|scores| lead(scores, class)).collect())
        };
        let own = input.shown(&coordinates.whole);
        // What has no neighbours, as words have none, is asked as it is.
        let repeats = if input.nudged(0) == own { REPEATS_OF_SWITCHES } else { REPEATS };
        let nudged: Vec<Vec<f64>> = (0..repeats).map(|again| input.nudged(again)).collect();
        let mut again = margins(&nudged)?;
        let mut apart: Vec<f64> = again.iter().map(|margin| (margin - here).abs()).collect();
        apart.sort_by(f64::total_cmp);
        // One or two of them may have stepped over a threshold; noise is in all.
        if apart[1] > rounding {
            let more: Vec<Vec<f64>> = (repeats..NOISY_REPEATS).map(|again| input.nudged(again)).collect();
            again.extend(margins(&more)?);
            again.push(here);
            let queries = 1 + NOISY_REPEATS as u64;
            let margin = (SIGMAS * deviation(&again)).max(rounding);
            return Ok(Self { margin, source: "measured", repeats: false, queries });
        }
        let mut neighbours: Vec<Vec<f64>> =
            (0..NEIGHBOURS as u64).map(|n| input.neighbour(seed, n)).collect();
        neighbours.retain(|neighbour| *neighbour != own);
        let around = if neighbours.is_empty() { Vec::new() } else { margins(&neighbours)? };
        let apart = around.into_iter().map(|margin| margin - here);
        let rounded: Vec<f64> = apart.filter(|apart| apart.abs() <= STEP * size).collect();
        let queries = (1 + repeats + neighbours.len()) as u64;
        let squares: f64 = rounded.iter().map(|apart| apart * apart).sum();
        let blur = SIGMAS * (squares / rounded.len().max(1) as f64).sqrt();
        Ok(if blur > rounding {
            Self { margin: blur, source: "measured", repeats: true, queries }
        } else {
            assumed(queries)
        })
    }
}

/// What is next to an input. Only inputs that exist are shown: a category stays one, whole numbers stay whole.
struct Around<'a> {
    coordinates: &'a Coordinates<'a>,
    numbers: usize,
}

impl Around<'_> {
    fn shown(&self, point: &[f64]) -> Vec<f64> {
        self.coordinates.input(point, self.numbers)
    }

    /// The input with one coordinate moved by as little as a double can, each time in another way.
    fn nudged(&self, again: usize) -> Vec<f64> {
        let mut point = self.coordinates.whole.clone();
        if let Some(i) = again.checked_rem(point.len()) {
            // Further away once every coordinate has had its turn.
            let times = again / point.len() + 1;
            let repeated = |step: fn(f64) -> f64| move |x: f64| (0..times).fold(x, |x, _| step(x));
            point[i] = self.moved(i, point[i], repeated(f64::next_up), repeated(f64::next_down));
        }
        self.shown(&point)
    }

    /// The input with every coordinate moved to the next number in single precision, up or down as a seed has it.
    fn neighbour(&self, seed: u64, n: u64) -> Vec<f64> {
        #[expect(clippy::cast_possible_truncation, reason = "single precision is what is meant")]
        let (up, down) =
            (|x: f64| f64::from((x as f32).next_up()), |x: f64| f64::from((x as f32).next_down()));
        let moved = |(i, &x): (usize, &f64)| {
            let word = mix(seed ^ mix(n ^ mix(i as u64)));
            if word >> 63 == 0 { self.moved(i, x, up, down) } else { self.moved(i, x, down, up) }
        };
        let point: Vec<f64> = self.coordinates.whole.iter().enumerate().map(moved).collect();
        self.shown(&point)
    }

    /// A number moved one way, or the other where that would leave its bounds; as it is between equal ones.
    fn moved(&self, i: usize, x: f64, way: impl Fn(f64) -> f64, other: impl Fn(f64) -> f64) -> f64 {
        let (lower, upper) = self.coordinates.bounds[i];
        let inside = |x: &f64| lower <= *x && *x <= upper;
        [way(x), other(x)].into_iter().find(inside).unwrap_or(x)
    }
}

fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_add(0x9E37_79B9_7F4A_7C15).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB)
}

fn ask(model: &dyn Model, points: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, ModelError> {
    let dim = points.first().map_or(1, Vec::len);
    let mut scores = vec![0.0; points.len() * model.classes()];
    model.scores(Inputs { points: &points.concat(), dim }, &mut scores)?;
    Ok(scores.chunks_exact(model.classes().max(1)).map(<[f64]>::to_vec).collect())
}

fn deviation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / (values.len().max(2) - 1) as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::features::{Column, Columns, Features, Pixels};
    use crate::question::Question;

    /// Two scores, the first of which a function says.
    struct Scores<F>(F);

    impl<F: Fn(&[f64]) -> f64 + Sync> Model for Scores<F> {
        fn shape(&self) -> &[usize] {
            &[4]
        }
        fn classes(&self) -> usize {
            2
        }
        fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
            for (x, scores) in inputs.rows().zip(scores.chunks_exact_mut(2)) {
                scores.copy_from_slice(&[(self.0)(x), 0.0]);
            }
            Ok(())
        }
    }

    fn floor(model: &dyn Model, point: &[f64]) -> Floor {
        let pixels = Pixels::new(point.to_vec(), vec![point.len()], 0.0, 1.0);
        Floor::at(model, &pixels.coordinates(Question::CHANGE).unwrap(), 0, true).unwrap()
    }

    const HALF: [f64; 4] = [0.5; 4];

    /// Between -1 and 1, from the last digits of the input.
    fn jitter(x: &[f64]) -> f64 {
        mix(x.iter().fold(17, |word, x| mix(word ^ x.to_bits()))) as f64 / (1_u64 << 63) as f64 - 1.0
    }

    #[test]
    fn noise_is_the_spread_of_what_is_asked_again() {
        let noisy = floor(&Scores(|x: &[f64]| 2.0 + 1e-2 * jitter(x)), &HALF);
        // A uniform number between -a and a has the standard deviation a / sqrt 3.
        let expected = SIGMAS * 1e-2 / 3.0_f64.sqrt();
        assert_eq!((noisy.source, noisy.repeats, noisy.queries), ("measured", false, 17));
        assert!(noisy.margin > 0.5 * expected && noisy.margin < 2.0 * expected, "{noisy:?}, {expected}");
        assert!(!noisy.is_passed_by(0.5 * noisy.margin));
    }

    #[test]
    fn a_model_that_repeats_itself_has_the_floor_of_rounding() {
        let exact = floor(&Scores(|x: &[f64]| x.iter().sum()), &HALF);
        assert_eq!(exact.margin, ROUNDINGS * f64::from(f32::EPSILON) * 2.0);
        assert_eq!((exact.source, exact.repeats, exact.queries), ("assumed: rounding", true, 11));
        assert!(exact.is_passed_by(1e-300) && !exact.is_passed_by(0.0), "what repeats itself is a fact");
    }

    #[test]
    fn steps_are_no_noise_even_where_the_input_lies_on_one() {
        // As trees of boosted ensembles: every number compared with a threshold, one of which is the number itself.
        let trees = |x: &[f64]| x.iter().filter(|&&x| x >= 0.5).count() as f64 + 3.0 * (10.0 * x[0]).floor();
        let steps = floor(&Scores(trees), &[0.5, 0.7, 0.7, 0.7]);
        assert_eq!((steps.source, steps.repeats), ("assumed: rounding", true));
        assert!(steps.margin < 1e-3, "{steps:?}");
    }

    #[test]
    fn rounding_that_neighbouring_inputs_show_raises_the_floor() {
        // Worse than single precision, and the same for the same single-precision input.
        #[expect(clippy::cast_possible_truncation, reason = "the model computes in single precision")]
        let blurred = |x: &[f64]| {
            let seen: Vec<f64> = x.iter().map(|&x| f64::from(x as f32)).collect();
            2.0 + 1e-4 * jitter(&seen)
        };
        let floor = floor(&Scores(blurred), &HALF);
        assert_eq!((floor.source, floor.repeats), ("measured", true));
        assert!(floor.margin > 1e-4 && floor.margin < 1e-3, "{floor:?}");
    }

    #[test]
    fn nothing_is_asked_outside_the_bounds_and_no_input_twice() {
        let (asked, outside) = (AtomicU64::new(0), AtomicU64::new(0));
        let seen = std::sync::Mutex::new(std::collections::HashSet::new());
        let model = Scores(|x: &[f64]| {
            asked.fetch_add(1, Ordering::Relaxed);
            outside.fetch_add(u64::from(x.iter().any(|x| !(0.0..=1.0).contains(x))), Ordering::Relaxed);
            seen.lock().unwrap().insert(x.iter().map(|x| x.to_bits()).collect::<Vec<u64>>());
            jitter(x)
        });
        let noisy = floor(&model, &[0.0, 1.0, 1.0, 0.0]);
        assert_eq!((asked.load(Ordering::Relaxed), outside.load(Ordering::Relaxed)), (noisy.queries, 0));
        assert_eq!(seen.lock().unwrap().len() as u64, noisy.queries);
    }

    #[test]
    fn only_rows_that_exist_are_asked() {
        // A whole number, a number, and one of two categories.
        let row = Columns::new(
            vec![70.0, 0.3, 0.0, 1.0],
            vec![Column::Whole(0), Column::Number(1), Column::OneHot(vec![2, 3])],
            [vec![20.0, 0.0, 0.0, 0.0].into(), vec![70.0, 1.0, 1.0, 1.0].into()],
            vec![40.0, 0.5, 1.0, 0.0].into(),
        );
        let model = Scores(|x: &[f64]| {
            assert!(x[0].fract() == 0.0 && [[0.0, 1.0], [1.0, 0.0]].contains(&[x[2], x[3]]), "{x:?}");
            x[1]
        });
        let floor = Floor::at(&model, &row.coordinates(Question::CHANGE).unwrap(), 0, true).unwrap();
        assert_eq!((floor.repeats, floor.queries), (true, 9));
    }
}
