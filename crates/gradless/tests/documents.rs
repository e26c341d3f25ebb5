//! What the documents say about the code must be so.

use gradless::METHODS;

#[test]
fn the_guide_lists_every_method_as_the_catalogue_has_it() {
    let guide = include_str!("../../../docs/how-to-choose.md");
    for method in METHODS.iter().filter(|method| !method.name.starts_with("fo-")) {
        let named = format!("`{}`", method.name);
        assert!(guide.contains(&named), "the guide does not name {named}");
        if method.name.contains("p-norm") {
            continue; // one row for all four
        }
        let row = guide.lines().find(|line| line.starts_with(&format!("| {named}"))).unwrap_or_default();
        for cell in [method.assumes, method.tuning, method.queries, method.rate, method.source] {
            assert!(row.contains(cell), "the row of {named} does not say '{cell}': {row}");
        }
    }
    assert!(
        METHODS.iter().filter(|method| method.name.starts_with("fo-")).count() == 8
            && guide.contains("`fo-...`")
    );
}
