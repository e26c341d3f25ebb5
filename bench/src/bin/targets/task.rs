//! The three questions about an image.

use gradless_paper::reproduce::{Conventions, Mode};
use serde::{Deserialize, Serialize};

/// What is asked about an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Task {
    /// What would have to change? From the centre of the two-sided box for digits, from the image itself for photographs.
    Pn,
    /// What would have to be added to a digit? From the centre of what may be added.
    PnAdd,
    /// What of it suffices? From the image itself.
    Pp,
}

impl Task {
    pub(crate) const ALL: [Self; 3] = [Self::Pn, Self::PnAdd, Self::Pp];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Pn => "pn",
            Self::PnAdd => "pn-add",
            Self::Pp => "pp",
        }
    }

    pub(crate) fn mode(self) -> Mode {
        match self {
            Self::Pn | Self::PnAdd => Mode::Pn,
            Self::Pp => Mode::Pp,
        }
    }

    /// Set and start: of the authors' scripts, except where only adding is allowed, as in the text.
    pub(crate) fn conventions(self) -> Conventions {
        match self {
            Self::Pn | Self::Pp => Conventions::AUTHORS,
            Self::PnAdd => Conventions::SEED,
        }
    }
}
