//! A model that remembers its answers.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use gradless::{Inputs, Model, ModelError};
use sha2::{Digest, Sha256};

/// An input's name: the SHA-256 of its bits. Two inputs with the same name are not known to exist.
type Key = [u8; 32];

/// Answers an input it has seen before from memory.
///
/// Inputs are the same if all their bits are. Of a batch only what is new is sent, each input once and all in one batch.
/// Memory is bounded: beyond `capacity` inputs the oldest are forgotten; an input costs about 150 bytes and its scores.
/// Two threads that ask for the same new input at the same moment may both send it.
#[derive(Debug)]
pub struct Cached<M> {
    model: M,
    capacity: usize,
    memory: Mutex<Memory>,
}

#[derive(Debug, Default)]
struct Memory {
    answers: HashMap<Key, Box<[f64]>>,
    /// Oldest first.
    order: VecDeque<Key>,
    hits: Hits,
}

/// What the memory was good for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hits {
    /// Inputs answered from memory, repetitions within a batch included.
    pub hits: u64,
    /// Inputs sent.
    pub misses: u64,
}

impl<M> Cached<M> {
    /// Remembers up to `capacity` inputs.
    pub fn new(model: M, capacity: usize) -> Self {
        Self { model, capacity, memory: Mutex::default() }
    }

    /// What the memory was good for so far.
    pub fn hits(&self) -> Hits {
        self.memory().hits
    }

    /// The model inside.
    pub fn into_inner(self) -> M {
        self.model
    }

    /// The memory is whole after every step, so a panic elsewhere does not spoil it.
    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory {
    fn insert(&mut self, key: Key, scores: &[f64], capacity: usize) {
        if capacity == 0 || self.answers.insert(key, scores.into()).is_some() {
            return;
        }
        self.order.push_back(key);
        if self.order.len() > capacity
            && let Some(oldest) = self.order.pop_front()
        {
            self.answers.remove(&oldest);
        }
    }
}

/// Where the scores of a row come from.
enum Source {
    Memory,
    /// The row of this number among those sent.
    Sent(usize),
}

impl<M: Model> Model for Cached<M> {
    fn shape(&self) -> &[usize] {
        self.model.shape()
    }

    fn classes(&self) -> usize {
        self.model.classes()
    }

    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        self.check(inputs, scores)?;
        let classes = self.classes();
        let mut sent: Vec<(Key, &[f64])> = Vec::new();
        let mut place = HashMap::new();
        let keys: Vec<Key> = inputs.rows().map(key).collect();
        let mut sources = Vec::with_capacity(keys.len());
        {
            let memory = self.memory();
            for ((key, x), scores) in
                keys.into_iter().zip(inputs.rows()).zip(scores.chunks_exact_mut(classes))
            {
                sources.push(if let Some(answer) = memory.answers.get(&key) {
                    scores.copy_from_slice(answer);
                    Source::Memory
                } else {
                    Source::Sent(*place.entry(key).or_insert_with(|| {
                        sent.push((key, x));
                        sent.len() - 1
                    }))
                });
            }
        }
        let misses = sent.len();
        if misses == inputs.len() {
            // Nothing to leave out: the batch goes on as it is.
            self.model.scores(inputs, scores)?;
            let mut memory = self.memory();
            for ((key, _), scores) in sent.into_iter().zip(scores.chunks_exact(classes)) {
                memory.insert(key, scores, self.capacity);
            }
            memory.hits.misses += misses as u64;
            return Ok(());
        }
        let mut answers = vec![0.0; misses * classes];
        if misses > 0 {
            let points: Vec<f64> = sent.iter().flat_map(|(_, x)| x.iter().copied()).collect();
            self.model.scores(Inputs { points: &points, dim: inputs.dim }, &mut answers)?;
        }
        for (source, scores) in sources.iter().zip(scores.chunks_exact_mut(classes)) {
            if let Source::Sent(row) = source {
                scores.copy_from_slice(&answers[row * classes..][..classes]);
            }
        }
        let mut memory = self.memory();
        for ((key, _), scores) in sent.into_iter().zip(answers.chunks_exact(classes)) {
            memory.insert(key, scores, self.capacity);
        }
        memory.hits.misses += misses as u64;
        memory.hits.hits += (inputs.len() - misses) as u64;
        Ok(())
    }

    fn preferred_rows(&self) -> usize {
        self.model.preferred_rows()
    }
}

fn key(x: &[f64]) -> Key {
    let mut hasher = Sha256::new();
    // In pieces: one call per number would cost more than the hash.
    let mut bytes = [0; 512];
    for x in x.chunks(bytes.len() / 8) {
        for (bytes, x) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(x) {
            *bytes = x.to_bits().to_le_bytes();
        }
        hasher.update(&bytes[..8 * x.len()]);
    }
    hasher.finalize().into()
}
