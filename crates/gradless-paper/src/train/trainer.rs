//! The state of a training run and its steps; the same seed gives the same bits whatever the number of threads.

use serde::{Deserialize, Serialize};

use super::architecture::Architecture;
use super::loss::{Tally, cross_entropy};
use super::pass::{Memory, Mode, Prepared};
use super::plan::{Plan, SHARD};
use super::recipe::Recipe;
use super::sample::{Epoch, Scaling};
use super::step::normalise::Moments;
use crate::data::Labelled;

/// How fast the averages of batch norm follow the batches.
const FOLLOW: f32 = 0.1;

/// All that a run is made of: enough to go on from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) architecture: Architecture,
    pub(super) recipe: Recipe,
    pub(super) seed: u64,
    /// Checksum of the images and labels.
    pub(super) data: u32,
    /// Epochs and, in the present one, steps that are done.
    pub(super) epoch: u32,
    pub(super) step: u64,
    pub(super) parameters: Vec<Vec<f32>>,
    pub(super) velocities: Vec<Vec<f32>>,
    pub(super) averages: Vec<Vec<Moments>>,
    /// Of the present epoch.
    pub(super) tally: Tally,
    pub(super) history: Vec<EpochRecord>,
    /// Spent before this epoch's present stretch.
    pub(super) seconds: f64,
}

/// What an epoch came to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpochRecord {
    /// From 1.
    pub epoch: u32,
    /// Mean over the images of the epoch, while the weights moved.
    pub train_loss: f64,
    /// Share of the images of the epoch that were classified correctly, while the weights moved.
    pub train_accuracy: f64,
    /// Mean over the test set, at the end of the epoch.
    pub test_loss: f64,
    /// Share of the test set that is classified correctly.
    pub test_accuracy: f64,
    /// Learning rate at the end of the epoch.
    pub rate: f32,
    /// Of work so far, interruptions left out.
    pub seconds: f64,
}

impl State {
    pub(super) fn new(architecture: Architecture, recipe: Recipe, seed: u64, data: u32) -> Self {
        let plan = architecture.plan();
        let parameters: Vec<Vec<f32>> = plan
            .parameters
            .iter()
            .zip(0..)
            .map(|(specification, stream)| specification.draw(seed, stream))
            .collect();
        let still = Moments { mean: 0.0, variance: 1.0 };
        Self {
            architecture,
            recipe,
            seed,
            data,
            epoch: 0,
            step: 0,
            velocities: parameters.iter().map(|values| vec![0.0; values.len()]).collect(),
            averages: plan.norms.iter().map(|&channels| vec![still; channels]).collect(),
            parameters,
            tally: Tally::default(),
            history: Vec::new(),
            seconds: 0.0,
        }
    }

    /// Whether the lists have the lengths the network asks for: a state may come from a file.
    pub(super) fn fits(&self, plan: &Plan) -> bool {
        let lengths = |lists: &[Vec<f32>]| {
            lists.len() == plan.parameters.len()
                && lists.iter().zip(&plan.parameters).all(|(list, wanted)| list.len() == wanted.len())
        };
        let norms = self.averages.iter().map(Vec::len).eq(plan.norms.iter().copied());
        lengths(&self.parameters) && lengths(&self.velocities) && norms
    }

    /// Whether counters and history belong together: a state may come from a file.
    pub(super) fn is_sound(&self) -> bool {
        let seen = (self.recipe.batch as u64).checked_mul(self.step);
        seen == Some(self.tally.images) && self.history.len() as u64 == u64::from(self.epoch)
    }

    /// Whether every learnt number is one.
    pub(super) fn is_finite(&self) -> bool {
        let moments = self.averages.iter().flatten().flat_map(|moments| [moments.mean, moments.variance]);
        self.parameters.iter().flatten().copied().chain(moments).all(f32::is_finite)
    }

    pub(super) fn is_finished(&self) -> bool {
        self.epoch >= self.recipe.epochs
    }
}

/// A state with what is needed to move it: data, plan, memory, threads.
#[derive(Debug)]
pub(super) struct Trainer<'a> {
    pub(super) state: State,
    plan: Plan,
    train: &'a Labelled,
    test: &'a Labelled,
    scaling: Scaling,
    prepared: Prepared,
    memories: Vec<Memory>,
    shards: Vec<Shard>,
    order: Option<(u32, Epoch)>,
}

/// What a shard adds.
#[derive(Clone, Debug)]
struct Shard {
    gradients: Vec<Vec<f32>>,
    moments: Vec<Vec<Moments>>,
    tally: Tally,
}

impl<'a> Trainer<'a> {
    pub(super) fn new(
        state: State,
        scaling: Scaling,
        train: &'a Labelled,
        test: &'a Labelled,
        threads: usize,
    ) -> Self {
        let plan = state.architecture.plan();
        let shards = state.recipe.batch / SHARD;
        let shard = Shard {
            gradients: plan.parameters.iter().map(|wanted| vec![0.0; wanted.len()]).collect(),
            moments: state.averages.clone(),
            tally: Tally::default(),
        };
        let threads = threads.clamp(1, shards.max(1));
        Self {
            memories: (0..threads).map(|_| Memory::new(&plan)).collect(),
            shards: vec![shard; shards],
            prepared: Prepared::default(),
            order: None,
            state,
            plan,
            train,
            test,
            scaling,
        }
    }

    /// Steps per epoch; images that do not fill a batch wait for the next shuffle.
    pub(super) fn steps(&self) -> u64 {
        (self.train.images.count() / self.state.recipe.batch) as u64
    }

    /// One step; gives the tally of its batch.
    pub(super) fn step(&mut self) -> Tally {
        self.gradient();
        let mut tally = Tally::default();
        for shard in &self.shards {
            tally.add(shard.tally);
        }
        let rate = self.rate();
        self.descend(rate);
        self.follow();
        self.state.step += 1;
        self.state.tally.add(tally);
        tally
    }

    pub(super) fn rate(&self) -> f32 {
        let steps = self.steps();
        let done = u64::from(self.state.epoch) * steps + self.state.step;
        self.state.recipe.rate(done, u64::from(self.state.recipe.epochs) * steps)
    }

    /// Whether the epoch has no step left; [`Trainer::close_epoch`] is next.
    pub(super) fn epoch_is_over(&self) -> bool {
        self.state.step >= self.steps()
    }

    /// Tests, and begins the next epoch.
    pub(super) fn close_epoch(&mut self, seconds: f64) {
        let test = self.evaluate();
        let record = EpochRecord {
            epoch: self.state.epoch + 1,
            train_loss: self.state.tally.mean_loss(),
            train_accuracy: self.state.tally.accuracy(),
            test_loss: test.mean_loss(),
            test_accuracy: test.accuracy(),
            rate: self.rate(),
            seconds,
        };
        self.state.history.push(record);
        self.state.epoch += 1;
        self.state.step = 0;
        self.state.tally = Tally::default();
    }

    /// The whole test set through the network as it is.
    pub(super) fn evaluate(&mut self) -> Tally {
        self.prepared.fill(&self.plan, &self.state.parameters);
        let (plan, prepared, state, test, scaling) =
            (&self.plan, &self.prepared, &self.state, self.test, &self.scaling);
        let count = test.images.count();
        let threads = self.memories.len();
        let mut total = Tally::default();
        // Sums of losses in floating point depend on their order: each thread keeps those of its shards apart.
        let mut tallies = vec![Tally::default(); count.div_ceil(SHARD)];
        std::thread::scope(|scope| {
            let parts = deal(&mut tallies, threads);
            for (memory, part) in self.memories.iter_mut().zip(parts) {
                scope.spawn(move || {
                    for (index, tally) in part {
                        let images = index * SHARD..((index + 1) * SHARD).min(count);
                        for (place, image) in images.clone().enumerate() {
                            memory.put(plan, place, scaling.plain(&test.images, image));
                        }
                        memory.forward(plan, prepared, &state.parameters, Mode::Test(&state.averages));
                        *tally = cross_entropy(memory, plan, &test.labels[images], 0.0);
                    }
                });
            }
        });
        for tally in tallies {
            total.add(tally);
        }
        total
    }

    /// The gradient of the mean loss of the present batch, shard by shard.
    fn gradient(&mut self) {
        let Recipe { batch, augmentation, .. } = self.state.recipe;
        let (seed, epoch) = (self.state.seed, self.state.epoch);
        if self.order.as_ref().is_none_or(|(of, _)| *of != epoch) {
            self.order = Some((epoch, Epoch::new(self.train.images.count(), seed, epoch, augmentation)));
        }
        self.prepared.fill(&self.plan, &self.state.parameters);
        let order = self.order.as_ref().map(|(_, order)| order);
        let (plan, prepared, state, train, scaling) =
            (&self.plan, &self.prepared, &self.state, self.train, &self.scaling);
        let first = usize::try_from(state.step).unwrap_or(usize::MAX) * batch;
        let parts = deal(&mut self.shards, self.memories.len());
        std::thread::scope(|scope| {
            for (memory, part) in self.memories.iter_mut().zip(parts) {
                scope.spawn(move || {
                    for (index, shard) in part {
                        let start = first + index * SHARD;
                        let mut labels = [0; SHARD];
                        let images = order.into_iter().flat_map(|order| order.at(start..start + SHARD));
                        for (place, (image, variation)) in images.enumerate() {
                            memory.put(plan, place, scaling.varied(&train.images, image, variation));
                            labels[place] = train.labels[image];
                        }
                        memory.forward(plan, prepared, &state.parameters, Mode::Train);
                        shard.tally = cross_entropy(memory, plan, &labels, 1.0 / batch as f64);
                        shard.gradients.iter_mut().for_each(|gradient| gradient.fill(0.0));
                        memory.backward(plan, prepared, &state.parameters, &mut shard.gradients);
                        shard.moments.clone_from(&memory.moments);
                    }
                });
            }
        });
    }

    /// Nesterov's momentum: $v \gets \mu v + g + \lambda w$, $w \gets w - \eta (g + \lambda w + \mu v)$.
    fn descend(&mut self, rate: f32) {
        let Recipe { momentum, decay, .. } = self.state.recipe;
        let lists =
            self.state.parameters.iter_mut().zip(&mut self.state.velocities).zip(&self.plan.parameters);
        for (list, ((weights, velocities), specification)) in lists.enumerate() {
            let decay = if specification.decays { decay } else { 0.0 };
            for (index, (w, v)) in weights.iter_mut().zip(velocities).enumerate() {
                let gradient: f32 = self.shards.iter().map(|shard| shard.gradients[list][index]).sum();
                let g = gradient + decay * *w;
                *v = momentum * *v + g;
                *w -= rate * (g + momentum * *v);
            }
        }
    }

    /// Moves the averages of batch norm towards the mean of the shards' moments.
    fn follow(&mut self) {
        let share = FOLLOW / self.shards.len() as f32;
        for (norm, averages) in self.state.averages.iter_mut().enumerate() {
            for (channel, average) in averages.iter_mut().enumerate() {
                let of = |part: fn(&Moments) -> f32| -> f32 {
                    self.shards.iter().map(|shard| part(&shard.moments[norm][channel])).sum()
                };
                average.mean = (1.0 - FOLLOW) * average.mean + share * of(|moments| moments.mean);
                average.variance = (1.0 - FOLLOW) * average.variance + share * of(|moments| moments.variance);
            }
        }
    }
}

/// Deals items to hands in turn, each with its index.
fn deal<T>(items: &mut [T], hands: usize) -> Vec<Vec<(usize, &mut T)>> {
    let mut parts: Vec<Vec<(usize, &mut T)>> = (0..hands).map(|_| Vec::new()).collect();
    for (index, item) in items.iter_mut().enumerate() {
        parts[index % hands].push((index, item));
    }
    parts
}
