//! How much disturbance an answer survives: what is asked, and what was found on fresh draws.

use serde::{Deserialize, Serialize};

/// Whether an answer must survive small random disturbances of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stability {
    /// The input is asked as it is.
    Off,
    /// It must; the answer is checked once at the end, on so many fresh draws.
    On {
        /// Draws of the last check, and as many with noise alone for the certificate.
        draws: usize,
    },
}

impl Default for Stability {
    /// With 100 draws, all of which hold, at least 97 % of all disturbed copies do.
    fn default() -> Self {
        Self::On { draws: 100 }
    }
}

/// What disturbed copies of an answer were found to be. Checked once, on draws that the search has not seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Survival {
    /// How the copies were disturbed, in words.
    pub disturbance: String,
    /// What the noise was multiplied with, so that the input itself survives.
    pub strength: f64,
    /// Copies that were asked.
    pub draws: usize,
    /// Those that have the class of the answer.
    pub held: usize,
    /// At least this share of all copies has it, with a probability of 95 % (Clopper & Pearson 1934).
    pub lower_bound: f64,
    /// The share of disturbed copies of the input itself that keep its class.
    pub input_held: f64,
    /// Under noise alone most copies of every input within this $\ell_2$ distance have the class, with a probability of 95 %
    /// (Cohen, Rosenfeld & Kolter 2019).
    pub radius: Option<f64>,
    /// A few of the copies, to look at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<Copy>,
}

/// A disturbed copy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Copy {
    /// What the model says of it.
    pub class: usize,
    /// Whether that is the class of the answer.
    pub holds: bool,
    /// What the model was shown.
    pub input: Vec<f64>,
}

impl Survival {
    /// In a sentence.
    pub fn sentence(&self) -> String {
        let Self { draws, held, lower_bound, disturbance, .. } = self;
        let strength = match self.strength {
            1.0 => String::new(),
            strength => {
                format!(", with {strength} of that noise, because the input itself does not survive more")
            }
        };
        let own = match self.input_held {
            1.0 => String::new(),
            share => format!("; of the input itself {:.0} % do", 100.0 * share),
        };
        let radius = self.radius.map_or_else(String::new, |radius| {
            format!(". Most noisy copies keep it for every change below {radius:.2} in l2")
        });
        format!(
            "{held} of {draws} disturbed copies keep its class, at least {:.1} % of all with 95 % confidence \
             ({disturbance}{strength}{own}){radius}",
            (1000.0 * lower_bound).floor() / 10.0
        )
    }
}
