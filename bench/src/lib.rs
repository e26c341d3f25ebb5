//! What the benchmark programs share: methods by their names, running one until it has reached a goal, medians and slopes.
//!
//! | Program | Question | Result |
//! |---|---|---|
//! | `--bin dimension` | how do oracle calls grow with the number of coordinates? | `docs/benchmarks/dimension.md` |
//! | `--bin noise` | how far does `auto` come where answers are noisy, rounded or missing? | `docs/benchmarks/noise.md` |
//! | `--bin memory` | how much memory does a run in ten million dimensions take? | `docs/benchmarks/memory.md` |
//! | `--bin engines` | how fast do the engines run the two networks, beside Python's onnxruntime? | `docs/benchmarks/engines.md` |
//! | `--bin operators` | which ONNX operators do the engines run? | `docs/benchmarks/onnx-operators.md` |
//! | `--bin precision` | does rounding make Acc-ZOM fail on CIFAR-10, and what does a surer network change? | `docs/reproduction` |
//! | `--bin explanations` | how many explanations are valid, how small are they, what do they cost? | `docs/benchmarks/explanations.md` |
//! | `--bin meaning` | do explanations mean something to other networks, and what do they survive? | `docs/benchmarks/meaning.md`, README |
//! | `--bin sheet` | the sheet of digits that the command carries | `assets/digits/sheet.png` |
//! | `--bin http_load` | how much of a service's speed does a driver get? | `docs/benchmarks/http.md` |
//! | `--bin soak` | does anything grow while a service fails one time in twenty? | `docs/reliability-http.md` |
//! | `--bin targets` | how many queries until the value that the paper's method reaches in 40,200? | `targets.md` where asked |
//! | `--bin suite` | how do ours compare with other optimisers on the same problems? | `docs/benchmarks/peers.md` |
//! | `--bench overhead` | what does the optimiser cost beside the black box? | `docs/benchmarks/overhead.md`, README |
//! | `--bench directions` | what do 64 directions cost? | on the terminal |

pub mod network;
pub mod page;
pub mod service;
pub mod descent;
pub mod idea;
pub mod contender;
pub mod race;
pub mod fit;
pub mod profile;
pub mod side_by_side;

/// What a program does, or why it cannot.
pub type Fallible<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// The commit a result was measured at, as git tells it; "unknown" outside a repository.
pub fn commit() -> String {
    let git = |arguments: &[&str]| std::process::Command::new("git").args(arguments).output().ok();
    let head = git(&["rev-parse", "--short=12", "HEAD"]).filter(|output| output.status.success());
    let clean = git(&["diff", "--quiet", "HEAD"]).is_some_and(|output| output.status.success());
    match head {
        None => "unknown".to_owned(),
        Some(head) => {
            let changes = if clean { "" } else { " with local changes" };
            format!("{}{changes}", String::from_utf8_lossy(&head.stdout).trim())
        }
    }
}

/// Digits in groups of three.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn digits_come_in_threes() {
        let cases = [(0, "0"), (999, "999"), (1_000, "1,000"), (2_290_229, "2,290,229")];
        for (number, text) in cases {
            assert_eq!(grouped(number), text);
        }
    }
}
