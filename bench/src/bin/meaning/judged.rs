//! One answer, judged: by other networks, and by what it survives.

use std::sync::atomic::AtomicBool;

use bench::Fallible;
use gradless::Config;
use gradless::random::{Key, Purpose};
use gradless_explain::features::Disturbance;
use gradless_explain::{Answer, Beside, Confidence, Grid, Labels, Options, Pixels, Session, Watch};

use crate::asked::Asked;
use crate::kinds::Kind;
use crate::subjects::{Picture, Subjects, said, share_of};

/// Draws with each of the two disturbances of the comparison.
const DRAWS: u64 = 200;
const NOISE: Disturbance = Disturbance { noise: 0.05, shift: 0, brightness: 0.0 };
const SHIFT: Disturbance = Disturbance { noise: 0.0, shift: 1, brightness: 0.0 };

pub(crate) struct Judged {
    pub(crate) answer: Answer,
    /// For every judge: whether it gives the answer's class.
    pub(crate) agrees: Vec<bool>,
    /// The share of copies with noise, and of moved ones, that have the class: of the answer, and of the picture itself.
    pub(crate) noise: [f64; 2],
    pub(crate) shift: [f64; 2],
}

impl Judged {
    pub(crate) fn of(asked: &Asked, subjects: &Subjects, kind: Kind, picture: &Picture) -> Fallible<Self> {
        let answer = explained(asked, subjects, kind, picture, asked.seed)?;
        let class = answer.explanation.class;
        let survives = |input: &[f64], class: usize, disturbance: Disturbance| {
            let features = pixels(subjects, input.to_vec(), disturbance);
            let key = Key { seed: 17, purpose: Purpose::Disturbances };
            let copies: Vec<f64> =
                (0..DRAWS).flat_map(|draw| features.disturbed(&mut key.stream(draw, 1))).collect();
            share_of(&subjects.model, &copies, class)
        };
        let both = |disturbance| -> Fallible<[f64; 2]> {
            let answered = if answer.valid { survives(&answer.after, class, disturbance)? } else { 0.0 };
            Ok([answered, survives(&picture.input, picture.label, disturbance)?])
        };
        let agrees = |judge: &gradless_models::Onnx| Ok(answer.valid && said(judge, &answer.after)? == class);
        Ok(Self {
            agrees: subjects.judges.iter().map(agrees).collect::<Fallible<_>>()?,
            noise: both(NOISE)?,
            shift: both(SHIFT)?,
            answer,
        })
    }
}

/// The answer to a question, asked as a kind has it.
pub(crate) fn explained(
    asked: &Asked,
    subjects: &Subjects,
    kind: Kind,
    picture: &Picture,
    seed: u64,
) -> Fallible<Answer> {
    let options = Options {
        questions: vec![kind.question()],
        config: Config { seed, ..Config::default() },
        max_queries: asked.queries,
        confidence: if kind.is_smallest() { Some(Confidence::CLASS_ALONE) } else { asked.confidence },
        stability: Some(kind.stability(asked.steadiness.stability)),
        elimination: asked.elimination,
        ..Options::default()
    };
    let features = pixels(subjects, picture.input.clone(), disturbance(asked, subjects));
    let examples = (kind == Kind::ChangeWithExamples).then_some(&subjects.examples);
    let cancel = AtomicBool::new(false);
    let session = Session {
        model: &subjects.model,
        features: &features,
        options: &options,
        beside: Beside { examples, ..Beside::default() },
        labels: Labels::default(),
        watch: Watch::new(&cancel),
        deadline: None,
        sent: None,
    };
    let mut answers = session.explain(session.look()?)?;
    Ok(answers.remove(0))
}

/// A picture as it is explained: saved with 8 bits.
fn pixels(subjects: &Subjects, input: Vec<f64>, disturbance: Disturbance) -> Pixels {
    Pixels {
        grid: Some(Grid { low: 0.0, high: 1.0, steps: 255 }),
        disturbance: Some(disturbance),
        ..Pixels::new(input, subjects.shape.clone(), 0.0, 1.0)
    }
}

/// How pictures are disturbed.
pub(crate) fn disturbance(asked: &Asked, subjects: &Subjects) -> Disturbance {
    asked.steadiness.disturbance.unwrap_or_else(|| Disturbance::of(&subjects.shape))
}
