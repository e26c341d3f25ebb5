//! What is compared: both questions, as they are asked by default and as they were before.

use bench::Fallible;
use gradless_explain::{Question, Stability};

/// One way to ask one question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The smallest part that has the class.
    SmallestPart,
    /// A part, as by default.
    Part,
    /// The smallest change that alters the class.
    SmallestChange,
    /// A change that begins at an example.
    ChangeWithExamples,
    /// A change without examples.
    ChangeWithout,
}

impl Kind {
    pub(crate) const ALL: [Self; 5] =
        [Self::SmallestPart, Self::Part, Self::SmallestChange, Self::ChangeWithout, Self::ChangeWithExamples];

    pub(crate) fn named(word: &str) -> Fallible<Self> {
        let names = || Self::ALL.map(Self::word).join(", ");
        Self::ALL
            .into_iter()
            .find(|kind| kind.word() == word)
            .ok_or_else(|| format!("{word}: there are {}", names()).into())
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::SmallestPart => "smallest-part",
            Self::Part => "part",
            Self::SmallestChange => "smallest-change",
            Self::ChangeWithExamples => "change",
            Self::ChangeWithout => "change-without",
        }
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::SmallestPart => "part, `--confidence 0 --stability off`",
            Self::Part => "**part**",
            Self::SmallestChange => "change, `--confidence 0 --stability off`",
            Self::ChangeWithExamples => "**change, with examples**",
            Self::ChangeWithout => "**change, without examples**",
        }
    }

    pub(crate) fn question(self) -> Question {
        match self {
            Self::SmallestPart | Self::Part => Question::Part,
            Self::SmallestChange | Self::ChangeWithExamples | Self::ChangeWithout => Question::CHANGE,
        }
    }

    pub(crate) fn is_smallest(self) -> bool {
        matches!(self, Self::SmallestPart | Self::SmallestChange)
    }

    pub(crate) fn stability(self, asked: Stability) -> Stability {
        if self.is_smallest() { Stability::Off } else { asked }
    }
}
