//! `gradless attack`: the least change that alters the class, for models one is allowed to test.

mod arguments;

pub(crate) use arguments::Attack;

use gradless::{Budget, Config};
use gradless_explain::{Declared, Disturbance, Options};

use super::Outcome;
use crate::search::{Again, Call, Given, Invited, Settings};
use crate::terminal::Terminal;

impl Attack {
    pub(crate) fn run(self, terminal: &Terminal) -> anyhow::Result<Outcome> {
        self.attack(None, terminal)
    }

    /// Goes on with a run.
    pub(super) fn resume(mut self, again: &Again, terminal: &Terminal) -> anyhow::Result<Outcome> {
        again.change(&mut self.model, &mut self.threads, &mut self.max_seconds);
        self.attack(Some(again), terminal)
    }

    fn attack(&self, again: Option<&Again>, terminal: &Terminal) -> anyhow::Result<Outcome> {
        let call = Call {
            name: "attack",
            model: &self.model,
            input: &self.input,
            resize: self.resize,
            target: self.target.as_deref(),
            features: Some("pixels"),
            freeze: &self.freeze,
            absent: &None,
            lower: &self.lower,
            upper: &self.upper,
            table: &self.table,
            text: &self.text,
            invited: Invited {
                engine: self.model.engine,
                examples: None,
                digits: false,
                autoencoder: None,
                second_opinion: &self.second_opinion,
            },
            max_seconds: self.max_seconds,
            threads: self.threads,
            out: self.out.as_deref(),
            force: self.force,
            frames: false,
            settings: &|given| Ok(self.settings(given)),
        };
        call.run(again, terminal)
    }

    fn settings(&self, given: Given<'_>) -> Settings {
        let ours = Options::attack(self.norm.into(), given.target);
        let max_queries = self.max_queries.unwrap_or(ours.max_queries);
        let options = Options {
            config: Config { seed: self.seed, budget: Budget::queries(max_queries), ..ours.config },
            max_queries,
            noise_floor: self.noise_floor,
            declared: if self.labels { Declared::Labels } else { given.declared },
            enough: self.enough,
            ..ours
        };
        Settings { preset: "default", disturbance: Disturbance::of(given.shape), options }
    }
}
