//! A CSV file as columns of texts.

use std::path::Path;

use anyhow::{Context, bail, ensure};

/// Files larger than this are not read.
const MOST_BYTES: u64 = 1 << 30;
/// What stands for a missing value.
const MISSING: [&str; 8] = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None"];

/// A table of texts.
#[derive(Clone, Debug)]
pub(crate) struct Sheet {
    /// The names of the columns, in order.
    pub(crate) names: Vec<String>,
    /// The cells, row after row; nothing where a value is missing.
    cells: Vec<Option<String>>,
}

impl Sheet {
    /// Reads a file whose first line names the columns; those in `dropped` are left out. Columns are separated by commas, semicolons or tabs,
    /// whichever the first line has most of.
    pub(crate) fn read(path: &Path, dropped: &[String]) -> anyhow::Result<Self> {
        let read = || {
            let length = std::fs::metadata(path).context("cannot be read")?.len();
            ensure!(length <= MOST_BYTES, "has {length} bytes: tables of up to {MOST_BYTES} are read");
            let bytes = std::fs::read(path).context("cannot be read")?;
            Self::parse(&bytes, dropped)
        };
        read().with_context(|| path.display().to_string())
    }

    fn parse(bytes: &[u8], dropped: &[String]) -> anyhow::Result<Self> {
        // Some programs begin a file of UTF-8 with a mark.
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let mut reader =
            csv::ReaderBuilder::new().delimiter(delimiter(bytes)).trim(csv::Trim::All).from_reader(bytes);
        let names: Vec<String> = reader.headers().context("is no table")?.iter().map(str::to_owned).collect();
        for (i, name) in names.iter().enumerate() {
            ensure!(!names[..i].contains(name), "has two columns named '{name}'");
        }
        if let Some(name) = dropped.iter().find(|name| !names.contains(name)) {
            bail!("has no column '{name}' to leave out; it has {}", names.join(", "));
        }
        let kept: Vec<usize> = (0..names.len()).filter(|&i| !dropped.contains(&names[i])).collect();
        ensure!(!kept.is_empty(), "has no columns");
        let mut cells = Vec::new();
        for record in reader.records() {
            let record = record.context("is damaged")?;
            cells.extend(kept.iter().map(|&i| {
                let text = record.get(i).unwrap_or_default();
                (!MISSING.contains(&text)).then(|| text.to_owned())
            }));
        }
        ensure!(!cells.is_empty(), "has no rows below its first line, which names the columns");
        Ok(Self { names: kept.into_iter().map(|i| names[i].clone()).collect(), cells })
    }

    /// How many rows there are; at least one.
    pub(crate) fn len(&self) -> usize {
        self.cells.len() / self.names.len()
    }

    /// A cell by row and column; nothing if its value is missing.
    pub(crate) fn cell(&self, row: usize, column: usize) -> Option<&str> {
        self.cells.get(row * self.names.len() + column)?.as_deref()
    }

    /// A cell by row and the name of its column.
    pub(crate) fn named_cell(&self, row: usize, name: &str) -> Option<&str> {
        self.cell(row, self.names.iter().position(|known| known == name)?)
    }

    /// All cells of a column.
    pub(crate) fn column(&self, name: &str) -> Option<Vec<Option<&str>>> {
        let column = self.names.iter().position(|known| known == name)?;
        Some((0..self.len()).map(|row| self.cell(row, column)).collect())
    }
}

fn delimiter(bytes: &[u8]) -> u8 {
    let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let count = |sign: &u8| line.split(|byte| byte == sign).count();
    // Among equals the comma.
    [b'\t', b';', b','].into_iter().max_by_key(count).unwrap_or(b',')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str, dropped: &[&str]) -> Result<Sheet, String> {
        let dropped: Vec<String> = dropped.iter().map(ToString::to_string).collect();
        Sheet::parse(text.as_bytes(), &dropped).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn commas_semicolons_and_tabs_separate() {
        for text in ["a,b\n1,x y\n,\"q, r\"\n", "\u{feff}a;b\n1;x y\n;\"q, r\"\n", "a\tb\n1\tx y\nNA\tq, r\n"]
        {
            let sheet = parsed(text, &[]).unwrap();
            assert_eq!((sheet.names.clone(), sheet.len()), (vec!["a".to_owned(), "b".to_owned()], 2));
            assert_eq!(
                (sheet.cell(0, 1), sheet.cell(1, 0), sheet.cell(1, 1)),
                (Some("x y"), None, Some("q, r"))
            );
        }
        assert_eq!(parsed("a,b,c\n1,2,3\n", &["b"]).unwrap().column("c"), Some(vec![Some("3")]));
    }

    #[test]
    fn what_is_no_table_is_refused() {
        for (text, dropped, part) in [
            ("", &[][..], "has no columns"),
            ("a,b\n", &[], "has no rows"),
            ("a,a\n1,2\n", &[], "two columns named 'a'"),
            ("a,b\n1\n", &[], "damaged"),
            ("a,b\n1,2\n", &["c"], "no column 'c'"),
            ("a\n1\n", &["a"], "has no columns"),
        ] {
            let error = parsed(text, dropped).unwrap_err();
            assert!(error.contains(part), "{text:?}: {error}");
        }
    }
}
