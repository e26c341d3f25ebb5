//! What is known beside the model: inputs like the one that is explained, and what others say.

use gradless::{Inputs, Model};

use crate::answer::{Opinion, Plausibility};
use crate::condition::says;
use crate::examples::{Autoencoder, Examples};
use crate::features::Coordinates;

/// What is known beside the model. None of it is needed.
#[derive(Clone, Copy, Default)]
pub struct Beside<'a> {
    /// Inputs like the one that is explained: changes begin at them, and they tell what is plausible.
    pub examples: Option<&'a Examples>,
    /// Tells what is plausible; the linear one of the examples if none is given.
    pub autoencoder: Option<&'a dyn Autoencoder>,
    /// Other models, which are asked about answers once they are found. The search does not know them.
    pub opinions: &'a [Second<'a>],
}

/// Another model of the same inputs and classes.
#[derive(Clone, Copy)]
pub struct Second<'a> {
    /// What to call it.
    pub name: &'a str,
    /// The model.
    pub model: &'a dyn Model,
}

impl std::fmt::Debug for Beside<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.opinions.iter().map(|second| second.name).collect();
        let examples = self.examples.map(Examples::len);
        formatter
            .debug_struct("Beside")
            .field("examples", &examples)
            .field("opinions", &names)
            .finish_non_exhaustive()
    }
}

impl Beside<'_> {
    /// What other models say of an answer that has this class. One that does not answer has no opinion.
    pub(super) fn opinions(&self, input: &[f64], after: &[f64], class: usize) -> Vec<Opinion> {
        let opinion = |second: &Second<'_>| {
            let (dim, classes) = (second.model.inputs(), second.model.classes());
            if dim != input.len() {
                return None;
            }
            let mut scores = vec![0.0; 2 * classes];
            second.model.scores(Inputs { points: &[input, after].concat(), dim }, &mut scores).ok()?;
            let (original, answer) = (says(&scores[..classes])?, says(&scores[classes..])?);
            Some(Opinion { model: second.name.to_owned(), original, answer, agrees: answer == class })
        };
        self.opinions.iter().filter_map(opinion).collect()
    }

    /// How like the examples an answer is, or known rows if it is one, and the input beside it.
    pub(super) fn plausibility(
        &self,
        coordinates: &Coordinates<'_>,
        input: &[f64],
        after: &[f64],
    ) -> Option<Plausibility> {
        let nearest = |point: &[f64]| self.examples.and_then(|examples| examples.nearest_distance(point));
        let image = |point: &[f64]| self.autoencoder.and_then(|autoencoder| autoencoder.distance(point));
        let found = Plausibility {
            examples: self.examples.map_or(0, Examples::len),
            nearest: nearest(after),
            nearest_input: nearest(input),
            autoencoder: image(after),
            autoencoder_input: image(input),
        };
        let is_known = found.nearest.is_some() || found.autoencoder.is_some();
        if is_known { Some(found) } else { Plausibility::among_rows(coordinates, input, after) }
    }
}
