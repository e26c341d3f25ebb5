//! The table of faults in the documentation.

use std::fmt::Write as _;
use std::path::Path;

use crate::faults::FAULTS;

pub(crate) const PAGE: &str = "docs/testing.md";
const BEGIN: &str = "<!-- faults: written by `cargo run -p testkit --bin mutations -- --write` -->\n";
const END: &str = "<!-- end of faults -->";

/// All faults, each with the test that catches it.
pub(crate) fn table() -> String {
    let mut out = String::from("| part | fault | caught by |\n|---|---|---|\n");
    for fault in FAULTS {
        // Writing to a string does not fail.
        let _ = writeln!(out, "| {} | {} | {} |", fault.part, fault.what, fault.test);
    }
    out
}

/// Puts the table between its markers.
pub(crate) fn write(page: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(page).map_err(|error| error.to_string())?;
    let (before, rest) = text.split_once(BEGIN).ok_or("the page has no mark for the table")?;
    let (_, after) = rest.split_once(END).ok_or("the page has no mark for the end of the table")?;
    std::fs::write(page, format!("{before}{BEGIN}{}{END}{after}", table())).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_lists_the_faults_that_are_tried() {
        let page = std::fs::read_to_string(crate::root().join(PAGE)).unwrap();
        assert!(
            page.contains(&format!("{BEGIN}{}{END}", table())),
            "`cargo run -p testkit --bin mutations -- --write` writes the table"
        );
    }
}
