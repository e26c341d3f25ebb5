//! A question that is being searched, and the record of what was found.

use gradless::{Config, Inputs, Model, StopReason};

use super::clock::{Ended, watched};
use super::told::Told;
use super::{Account, Options, Progress, Session, SoFar, relax};
use crate::answer::{self, Answer, Compared, Counted, SCHEMA, Step, Sureness, Verdict, Weights};
use crate::condition::{Confidence, largest, lead, probability};
use crate::error::{ExplainError, LEAST};
use crate::features::{Coordinates, Kind};
use crate::ledger::{LOOK, Ledger, Surroundings};
use crate::question::{Origin, Question};
use crate::scores::Scores;
use crate::strategy::Search;

/// A question that is being searched.
pub(super) struct Sought<'a> {
    pub(super) session: &'a Session<'a>,
    pub(super) model: &'a dyn Model,
    pub(super) scores: Scores,
    pub(super) question: Question,
    pub(super) coordinates: &'a Coordinates<'a>,
    pub(super) account: &'a Account,
    /// Whether it is told what would have to be allowed, where nothing is found.
    pub(super) relaxes: bool,
}

impl Sought<'_> {
    pub(super) fn search(&self, config: &Config) -> Result<(Answer, Compared, Ended), ExplainError> {
        let Account { floor, before, deadline } = *self.account;
        let options = Options { config: config.clone(), ..self.session.options.clone() };
        let max_queries = options.max_queries;
        let queries = max_queries.saturating_sub(before);
        if queries < LEAST {
            return Err(ExplainError::Budget { queries: max_queries, before });
        }
        let report = |queries: u64, best: Option<&[f64]>| {
            let best = best.map(|point| SoFar {
                coordinates: self.coordinates,
                point,
                numbers: self.model.inputs(),
            });
            let progress = Progress {
                question: self.question,
                queries: queries + before,
                budget: max_queries,
                best: best.map(|best| best.used().len()),
                so_far: best,
            };
            (self.session.watch.progress)(&progress);
        };
        let mut original = vec![0.0; self.model.classes()];
        let input = self.session.features.input();
        let absent = self.absent()?;
        // The last check, and as many draws for its certificate; regions have none.
        let rounds = if self.session.features.kind() == Kind::Regions { 1 } else { 2 };
        let checks = rounds * options.draws() as u64;
        let (done, ended) = watched(self.session.watch.cancel, deadline, |cancel| {
            self.model.scores(Inputs { points: input, dim: input.len() }, &mut original)?;
            let kind = self.session.features.kind();
            let asked = options.confidence(self.question, self.scores, kind, &original);
            let plain = self.question.condition(&original)?;
            let condition = plain.with(asked, &original);
            let kappa = options.kappa(condition.confidence(&original));
            let Options { l1, l2, threads, .. } = options;
            let around = Surroundings {
                model: self.model,
                coordinates: self.coordinates,
                condition,
                norm: self.question.norm(),
                floor: floor.margin,
                l1,
                l2,
                threads,
                cancel,
                report: &report,
                budget: queries,
                // Two looks: at an answer of default confidence, and at one with the class alone.
                reserve: 2 * LOOK + checks,
            };
            let mut search = Search {
                ledger: Ledger::new(around, kappa),
                options: &options,
                strategy: options.strategy_for(self.question, kind),
                scores: self.scores,
                start: options.starts.of(self.question),
                queries: queries - 1,
                original_scores: &original,
                question: self.question,
                input,
                absent: &absent,
                examples: self.session.beside.examples.filter(|examples| !examples.is_empty()),
                asked,
                absent_has_class: false,
                class_alone: false,
            };
            search.ledger.around.floor += 2.0 * search.off_grid()?;
            search.ask_harder(plain)?;
            let (mut found, mut course) = search.run()?;
            let by_default = options.confidence.is_none() && asked != Confidence::CLASS_ALONE;
            let broken = matches!(course.stop, Some(StopReason::Cancelled | StopReason::OracleFailed { .. }));
            if by_default && !floor.is_passed_by(found.margin) && !broken {
                let before = course;
                (found, course) = search.run_for_class_alone(plain, &found)?;
                course.steps.splice(0..0, before.steps);
                course.asked.splice(0..0, before.asked);
                course.forming.splice(0..0, before.forming);
                course.iterations += before.iterations;
            }
            let mut told = Told::new(&search, &floor, found, course);
            if !told.valid && self.relaxes {
                let miss = search.ledger.input(&told.point);
                let features = self.session.features;
                told.possible = relax::possible(features, self.question, &search.ledger, &miss)?;
                told.queries = search.ledger.queries();
            }
            Ok::<_, ExplainError>(told)
        })?;
        let compared = done.compared(self.coordinates);
        Ok((self.answer(&options, &original, done, ended), compared, ended))
    }

    /// The input of which nothing is there.
    fn absent(&self) -> Result<Vec<f64>, ExplainError> {
        let part = self.session.features.coordinates(Question::Part)?;
        Ok(part.input(&part.origin, self.model.inputs()))
    }

    /// How sure the model is of what was found.
    fn sureness(&self, original: &[f64], told: &Told) -> Sureness {
        let asked = told.asked;
        // Scores need not be logarithms of probabilities; whoever asks for a probability says that they are.
        let told_as_such =
            self.scores == Scores::Probabilities || matches!(asked, Confidence::Probability(_));
        let sure = |scores: &[f64], class: usize| {
            told_as_such.then(|| probability(scores, class)).filter(|p| p.is_finite())
        };
        let class = largest(original);
        let own = lead(original, class);
        Sureness {
            asked,
            share: (own > 0.0).then(|| told.margin / own).filter(|share| share.is_finite()),
            original: sure(original, class),
            answer: sure(&told.scores, told.favoured),
        }
    }

    /// The sentence of what was found, and a hint.
    fn words(
        &self,
        options: &Options,
        told: &Told,
        (counted, area): (Counted, Option<f64>),
        [original, explanation]: [&Verdict; 2],
        confidence: &Sureness,
    ) -> (String, Option<String>) {
        let Self { session, coordinates, question, .. } = *self;
        let names = coordinates.used(&told.point).into_iter();
        let target = question.target().map(|target| session.labels.class(target));
        answer::told(&answer::Context {
            question,
            valid: told.valid,
            counted,
            area,
            names: names.filter_map(|feature| session.features.name_of(feature)).collect(),
            removes: matches!(counted.kind, Kind::Words | Kind::Switches)
                && coordinates.moved(&told.point).iter().all(|&i| told.point[i] == 0.0),
            margin: told.margin,
            floor: self.account.floor.margin,
            confidence,
            original: &original.name,
            class: &explanation.name,
            target: target.as_deref(),
            some_frozen: coordinates.some_frozen(),
            circumstance: told.circumstance(),
            possible: &told.possible,
            scores: self.scores,
            options,
        })
    }

    /// The record of what was found.
    fn answer(&self, options: &Options, original: &[f64], told: Told, ended: Ended) -> Answer {
        let Account { floor, before, .. } = *self.account;
        let Session { features, labels, beside, .. } = self.session;
        let coordinates = self.coordinates;
        let counted = Counted {
            kind: features.kind(),
            total: coordinates.features,
            used: coordinates.used(&told.point).len(),
        };
        let verdict = |class: usize, scores: &[f64]| Verdict {
            class,
            name: labels.class(class),
            scores: self.scores.original(scores),
        };
        let confidence = self.sureness(original, &told);
        let (original, explanation) =
            (verdict(largest(original), original), verdict(told.class, &told.scores));
        let target = self.question.target();
        let mut located = told.located(coordinates, before);
        if let (Some(located), Some(scores)) = (&mut located, &told.course.without) {
            located.without = Some(verdict(largest(scores), scores));
        }
        let area = located.as_ref().map(|located| located.area);
        let (sentence, hint) =
            self.words(options, &told, (counted, area), [&original, &explanation], &confidence);
        let [after, nothing] =
            [&told.point, &coordinates.origin].map(|point| coordinates.input(point, self.model.inputs()));
        let x = match self.question.origin() {
            Origin::Absent => after.clone(),
            Origin::Input => difference(&after, features.input()),
        };
        let stop_reason = told.stop_reason(ended);
        let attack = self.question.norm().map(|norm| told.attacked(norm, coordinates, before));
        let steps = later(told.course.steps, before);
        let queries = told.queries + before;
        Answer {
            schema: SCHEMA.to_owned(),
            input: labels.input.to_owned(),
            input_sha256: labels.input_sha256.map(str::to_owned),
            mode: self.question.abbreviation().to_owned(),
            question: self.question,
            features: counted,
            used: coordinates.used(&told.point),
            alternative: 0,
            strategy: options.strategy_for(self.question, features.kind()),
            method: options.method.clone(),
            engine: labels.engine.map(str::to_owned),
            seed: options.config.seed,
            queries,
            sent: queries,
            iterations: told.course.iterations,
            stop_reason,
            valid: told.valid,
            margin: told.margin,
            confidence,
            stability: told.survival,
            absent_has_class: told.absent_has_class,
            plausibility: beside.plausibility(coordinates, features.input(), &after),
            second_opinions: beside.opinions(features.input(), &after, explanation.class),
            noise_floor: floor.margin,
            noise_floor_source: floor.source.to_owned(),
            scores_are: self.scores.name().to_owned(),
            original,
            explanation,
            weights: Weights { l1: told.course.l1, l2: told.course.l2 },
            kappa: told.kappa,
            target,
            objective: told.objective,
            objective_start: told.objective_start,
            loss: told.loss,
            norm_l1: told.norm_l1,
            norm_l2: told.norm_l2,
            nonzeros: coordinates.moved(&told.point).len(),
            pixels: counted.used,
            minimal: told.minimal,
            located,
            attack,
            first_valid: told.first_valid.map(|at| at + before),
            best_valid: told.best_valid.map(|at| at + before),
            agreement: None,
            sentence,
            hint,
            warning: self.scores.warning(),
            seconds: 0.0,
            files: None,
            change: difference(&after, &nothing),
            x,
            after,
            steps,
        }
    }
}

/// Steps of a search that began after so many queries.
fn later(mut steps: Vec<Step>, before: u64) -> Vec<Step> {
    for step in &mut steps {
        step.queries += before;
    }
    steps
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}
