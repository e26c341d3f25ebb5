//! `gradless explain`: what is enough for a class, and what small change would alter it.

mod arguments;
mod settings;

pub(crate) use arguments::Explain;

use super::Outcome;
use crate::search::{Again, Call, Invited};
use crate::terminal::Terminal;
use arguments::PresetName;

impl Explain {
    pub(crate) fn run(self, terminal: &Terminal) -> anyhow::Result<Outcome> {
        self.explain(None, terminal)
    }

    /// Goes on with a run.
    pub(super) fn resume(mut self, again: &Again, terminal: &Terminal) -> anyhow::Result<Outcome> {
        again.change(&mut self.model, &mut self.threads, &mut self.max_seconds);
        self.explain(Some(again), terminal)
    }

    fn explain(&self, again: Option<&Again>, terminal: &Terminal) -> anyhow::Result<Outcome> {
        let plain = self.preset != PresetName::Default
            || self.stability.is_some_and(|word| word.stability == gradless_explain::Stability::Off);
        let call = Call {
            name: "explain",
            model: &self.model,
            input: &self.input,
            resize: self.resize,
            target: self.target.as_deref(),
            features: self.features.as_deref(),
            freeze: &self.freeze,
            absent: &self.absent,
            lower: &self.lower,
            upper: &self.upper,
            table: &self.table,
            text: &self.text,
            invited: Invited {
                engine: self.model.engine,
                examples: self.examples.as_deref(),
                digits: self.model.model.is_none() && !plain,
                autoencoder: self.autoencoder.as_deref(),
                second_opinion: &self.second_opinion,
            },
            max_seconds: self.max_seconds,
            threads: self.threads,
            out: self.out.as_deref(),
            force: self.force,
            frames: self.frames,
            settings: &|given| settings::of(self, given),
        };
        call.run(again, terminal)
    }
}
