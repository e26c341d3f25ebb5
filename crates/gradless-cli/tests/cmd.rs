//! The documents in `tests/cmd`: commands, what they write, and their exit codes.
//!
//! `TRYCMD=overwrite cargo test -p gradless-cli --test cmd` writes what is now true; numbers that a better search would
//! change are then put back to `[..]` by hand.

#[test]
fn the_command_line_is_as_documented() {
    trycmd::TestCases::new().env("GRADLESS_ENGINE", "rten").case("tests/cmd/*.md");
}
