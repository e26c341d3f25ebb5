//! Whether the lower bounds that answers state are right.

use bench::Fallible;
use bench::side_by_side::side_by_side;
use gradless::random::{Key, Purpose};
use gradless_explain::features::Disturbance;
use gradless_explain::{Grid, Pixels};

use crate::asked::Asked;
use crate::judged::{disturbance, explained};
use crate::kinds::Kind;
use crate::page;
use crate::subjects::{Picture, Subjects, share_of};

/// New draws for every answer.
const DRAWS: u64 = 10_000;
/// Copies that are asked at once.
const AT_ONCE: u64 = 500;

/// Explains so often, and counts how often the share that holds is below the bound.
pub(crate) fn run(asked: &Asked, subjects: &Subjects, answers: usize) -> Fallible<()> {
    let jobs: Vec<(usize, &Picture)> =
        (0..answers).map(|at| (at, &subjects.pictures[at % subjects.pictures.len()])).collect();
    let found = side_by_side(&jobs, asked.threads, |&(at, picture)| {
        // Another seed each time around.
        let seed = (at / subjects.pictures.len()) as u64;
        let kind = if at % 2 == 0 { Kind::Part } else { Kind::ChangeWithExamples };
        let answer = explained(asked, subjects, kind, picture, seed)?;
        let Some(survival) = &answer.stability else { return Ok(None) };
        let disturbance = disturbance(asked, subjects);
        let disturbance = Disturbance { noise: survival.strength * disturbance.noise, ..disturbance };
        let features = Pixels {
            grid: Some(Grid { low: 0.0, high: 1.0, steps: 255 }),
            disturbance: Some(disturbance),
            ..Pixels::new(answer.after.clone(), subjects.shape.clone(), 0.0, 1.0)
        };
        let key = Key { seed: 1_000 + at as u64, purpose: Purpose::Disturbances };
        let mut held = 0.0;
        for start in (0..DRAWS).step_by(usize::try_from(AT_ONCE)?) {
            let copies: Vec<f64> = (start..start + AT_ONCE)
                .flat_map(|draw| features.disturbed(&mut key.stream(draw, 1)))
                .collect();
            held +=
                share_of(&subjects.model, &copies, answer.explanation.class)? * AT_ONCE as f64 / DRAWS as f64;
        }
        Ok(Some((survival.lower_bound, held)))
    })?;
    let checked: Vec<(f64, f64)> = found.into_iter().flatten().collect();
    let below = checked.iter().filter(|(bound, held)| held < bound).count();
    let share = below as f64 / checked.len().max(1) as f64;
    let mut slack: Vec<f64> = checked.iter().map(|(bound, held)| held - bound).collect();
    slack.sort_by(f64::total_cmp);
    let median = slack.get(slack.len() / 2).copied().unwrap_or(f64::NAN);
    let text = format!(
        "Of {} answers (parts and changes of {} pictures, other seeds each time), each checked once on {} draws by the search and \
         on {} new ones here, the share that holds is below the stated bound in {below} ({:.1} %; a bound for 95 % may be \
         wrong in 5 %). In the median it is {:.1} points above the bound.",
        checked.len(),
        subjects.pictures.len(),
        100,
        bench::grouped(DRAWS),
        100.0 * share,
        100.0 * median
    );
    page::tell(asked, "bounds", &text)
}
