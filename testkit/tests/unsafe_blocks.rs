//! Every use of `unsafe` in the workspace is listed, with its argument, in `docs/reliability-files.md`.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

/// Uses of `unsafe` by file, below a folder; targets of builds and hidden folders are left out.
fn uses(root: &Path, folder: &Path, found: &mut BTreeMap<String, usize>) -> Result<(), Box<dyn Error>> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() {
            if !name.starts_with('.') && !["target", "data", "gradless-out", "training"].contains(&name) {
                uses(root, &path, found)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path)?;
            let words = ["{", "fn ", "impl ", "extern ", "trait "].map(|word| format!("{} {word}", "unsafe"));
            let count = words.iter().map(|word| text.matches(word.as_str()).count()).sum();
            if count > 0 {
                found.insert(path.strip_prefix(root)?.display().to_string().replace('\\', "/"), count);
            }
        }
    }
    Ok(())
}

#[test]
fn every_unsafe_block_is_listed_with_its_argument() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = BTreeMap::new();
    uses(&root, &root, &mut found).unwrap();
    let page = std::fs::read_to_string(root.join("docs/reliability-files.md")).unwrap();
    let (_, rest) = page.split_once("<!-- unsafe -->\n").expect("the page has a list");
    let (list, _) = rest.split_once("<!-- end -->").unwrap();
    let mut listed = BTreeMap::new();
    for row in list.lines().skip(2) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [file, count, argument] = cells[..] else { panic!("{row}") };
        assert!(argument.len() > 40, "{file} needs an argument");
        listed.insert(file.trim_matches('`').to_owned(), count.parse().unwrap());
    }
    assert_eq!(listed, found);
}
