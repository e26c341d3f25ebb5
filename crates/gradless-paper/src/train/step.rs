//! The steps other than convolutions, each with its way back.

pub(super) mod average;
pub(super) mod flatten;
pub(super) mod max_pool;
pub(super) mod normalise;
pub(super) mod shortcut;
pub(super) mod tanh;
