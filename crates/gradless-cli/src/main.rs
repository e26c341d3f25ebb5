//! The command `gradless`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(gradless_cli::run(std::env::args_os()))
}
