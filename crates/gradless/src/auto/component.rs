//! What `auto` does beside looking and stepping.

use serde::{Deserialize, Serialize};

/// One of the things `auto` does, to be left out: so that anybody can measure what it is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Component {
    /// Slopes of coordinates that were looked at before are remembered. Without: block coordinate descent.
    Memory,
    /// A new slope enters the memory of an old one only in part.
    Averaging,
    /// Two looks at a coordinate tell how slopes change with it.
    Curvature,
    /// Slopes are taken to change as those of the coordinates beside them, where these are alike.
    Neighbours,
    /// What the slopes got wrong along a step is added to them.
    Correction,
    /// Directions through all coordinates tell which to look at first.
    Surveys,
    /// A step that loses too much of what $l$ has to lose is taken back. Without: only one that raises the objective is.
    Watching,
    /// Where a descent has ended another begins.
    Descents,
    /// It begins near the best point first. Without: always at the start.
    Returns,
    /// What the looks find is taken out of what the surveys before them said.
    Rehearing,
    /// Where slopes cancel between the sides of a point, one side is looked at alone.
    OneSide,
    /// Where short differences find no way down any more, longer ones are tried.
    LongDifferences,
}

impl Component {
    /// All of them, with the words they go by.
    pub const ALL: [(Self, &'static str); 12] = [
        (Self::Memory, "memory"),
        (Self::Averaging, "averaging"),
        (Self::Curvature, "curvature"),
        (Self::Neighbours, "neighbours"),
        (Self::Correction, "correction"),
        (Self::Surveys, "surveys"),
        (Self::Watching, "watching"),
        (Self::Descents, "descents"),
        (Self::Returns, "returns"),
        (Self::Rehearing, "rehearing"),
        (Self::OneSide, "one-side"),
        (Self::LongDifferences, "long-differences"),
    ];
}
