//! The runs of an earlier contest, read from what it wrote.

use std::path::Path;

use bench::race::Goal;

use crate::Outcome;
use crate::contest::{AUTO, EXP_FAMILY, Family, PSGD, Tuning};
use crate::results::{Results, Run};

/// All runs in a folder but those of `auto`, the settings found by tuning, and the commit they were made at.
pub(crate) fn read(folder: &Path) -> Outcome<(Results, String)> {
    let text = |name: &str| {
        let path = folder.join(name);
        std::fs::read_to_string(&path)
            .map_err(|error| format!("{}: {error}; run the whole contest first", path.display()))
    };
    let (csv, page) = (text("dimension.csv")?, text("dimension.md")?);
    let runs = csv.lines().skip(1).map(run).collect::<Outcome<Vec<_>>>()?;
    let runs = runs.into_iter().filter(|run| run.method != AUTO).collect();
    let tunings = page.lines().filter_map(tuning).collect();
    let commit = page.lines().find_map(commit).ok_or("dimension.md does not say its commit")?;
    Ok((Results { runs, tunings }, commit.to_owned()))
}

/// One line: family, goal, method, dimension, seed and calls, which are missing where the goal was not reached.
fn run(line: &str) -> Outcome<Run> {
    let fields: Vec<&str> = line.split(',').collect();
    let &[family, goal, method, dim, seed, calls] = fields.as_slice() else {
        return Err(format!("'{line}' in dimension.csv has not six fields").into());
    };
    let unknown = |what: &str| format!("'{line}' in dimension.csv: unknown {what}");
    let methods = EXP_FAMILY.into_iter().chain([PSGD, AUTO]);
    Ok(Run {
        family: Family::ALL
            .into_iter()
            .find(|known| format!("{known:?}") == family)
            .ok_or_else(|| unknown("family"))?,
        goal: match goal {
            "objective" => Goal::Objective,
            "gradient-map" => Goal::GradientMap,
            _ => return Err(unknown("goal").into()),
        },
        method: methods.into_iter().find(|known| *known == method).ok_or_else(|| unknown("method"))?,
        dim: dim.parse()?,
        seed: seed.parse()?,
        calls: if calls.is_empty() { None } else { Some(calls.parse()?) },
    })
}

/// A row of the table of settings, if the line is one.
fn tuning(line: &str) -> Option<(Family, usize, Tuning)> {
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    let &[family, dim, setting] = cells.as_slice() else { return None };
    let family = Family::ALL.into_iter().find(|known| known.to_string() == family)?;
    let tuning = Tuning::GRID.into_iter().find(|known| known.to_string() == setting)?;
    Some((family, dim.replace(',', "").parse().ok()?, tuning))
}

/// The commit of all methods but `auto`, if the line says it.
fn commit(line: &str) -> Option<&str> {
    let said = line.strip_prefix("at commit ")?;
    let said = said.split_once("(the other methods at ").map_or(said, |(_, others)| others);
    said.split(['.', ')']).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_table_are_understood_and_others_refused() {
        let read = run("A,objective,zo-ada-exp-grad+,100,200,380").unwrap();
        assert_eq!(
            (read.family, read.method, read.dim, read.calls),
            (Family::A, "zo-ada-exp-grad+", 100, Some(380))
        );
        assert_eq!(run("C,gradient-map,auto,100,200,").unwrap().calls, None);
        for wrong in ["A,objective,auto,100,200", "B,objective,auto,100,200,3", "A,objective,sgd,100,200,3"] {
            assert!(run(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn settings_and_commits_are_found_in_the_page() {
        let found = tuning("| C (nonconvex) | 10,000 | m = d/50, c = 0.5 |").unwrap();
        assert_eq!(
            (found.0, found.1, found.2.to_string()),
            (Family::C, 10_000, "m = d/50, c = 0.5".to_owned())
        );
        assert_eq!(tuning("| A (quadratic) | auto | 380 | 741 |"), None);
        assert_eq!(commit("at commit 469ef3c2a63f. `--quick` repeats"), Some("469ef3c2a63f"));
        assert_eq!(commit("at commit 1 with local changes (the other methods at 2). More"), Some("2"));
    }
}
