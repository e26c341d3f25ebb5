//! Numbers that a command writes into a page, between markers: nobody copies them by hand, so they cannot go stale by hand.

use std::path::{Path, PathBuf};

use crate::Fallible;

/// A page of this repository, by its path from the root.
pub fn of_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// Puts `text` between the markers of `name` in a page. They look like `<!-- name: written by ... -->` and `<!-- end of name -->`;
/// a page without them is an error, for nobody would miss the number.
pub fn put(page: &Path, name: &str, text: &str) -> Fallible<()> {
    let old = std::fs::read_to_string(page).map_err(|error| format!("{}: {error}", page.display()))?;
    let new = replaced(&old, name, text)
        .ok_or_else(|| format!("{} has no place for '{name}': <!-- {name}: ... -->", page.display()))?;
    Ok(std::fs::write(page, new)?)
}

fn replaced(page: &str, name: &str, text: &str) -> Option<String> {
    let begin = page.find(&format!("<!-- {name}: "))?;
    let from = begin + page[begin..].find("-->")? + "-->".len();
    let to = from + page[from..].find(&format!("<!-- end of {name} -->"))?;
    Some(format!("{}{text}{}", &page[..from], &page[to..]))
}

#[cfg(test)]
mod tests {
    use super::replaced;

    #[test]
    fn what_stands_between_the_markers_is_replaced_and_nothing_else() {
        let page = "It takes <!-- cost: written by `x` -->5<!-- end of cost --> and <!-- other: y -->6<!-- end of other -->.";
        assert_eq!(replaced(page, "cost", "7").unwrap(), page.replace(">5<", ">7<"));
        assert_eq!(replaced(page, "price", "7"), None);
    }
}
