//! One run as a line of a table: the same for ours and for others.

use std::fmt::Write as _;
use std::path::Path;

use bench::Fallible;

/// After how many queries the best objective is told.
pub(crate) const LOOKS: [u64; 9] = [100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 40_000];
pub(crate) const OURS: &str = "ours.csv";
pub(crate) const PEERS: &str = "peers.csv";

/// What came of a run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Measured {
    pub(crate) problem: String,
    pub(crate) dim: usize,
    pub(crate) instance: String,
    pub(crate) method: String,
    pub(crate) seed: u64,
    pub(crate) budget: u64,
    /// Queries made.
    pub(crate) queries: u64,
    pub(crate) seconds: f64,
    /// Why it did not use its budget, or why it was not run.
    pub(crate) note: String,
    /// The objective at the start.
    pub(crate) start: f64,
    /// The best objective after [`LOOKS`], of the point returned where values are noisy; infinite where it is not known.
    pub(crate) best: [f64; LOOKS.len()],
}

/// The first line of a table.
pub(crate) fn header() -> String {
    let looks = LOOKS.map(|queries| format!("at_{queries}")).join(",");
    format!("problem,dim,instance,method,seed,budget,queries,seconds,note,start,{looks}\n")
}

impl Measured {
    /// As a line of a table. Words have no commas: they are names and short notes.
    pub(crate) fn line(&self) -> String {
        let Self { problem, dim, instance, method, seed, budget, queries, seconds, note, start, best } = self;
        let mut line = format!(
            "{problem},{dim},{instance},{method},{seed},{budget},{queries},{seconds:.3},{note},{start}"
        );
        for best in best {
            // Writing to a string does not fail.
            let _ = if best.is_finite() { write!(line, ",{best}") } else { write!(line, ",") };
        }
        line + "\n"
    }

    fn parse(line: &str) -> Fallible<Self> {
        let cells: Vec<&str> = line.split(',').collect();
        let [problem, dim, instance, method, seed, budget, queries, seconds, note, start, best @ ..] =
            &cells[..]
        else {
            return Err("too few cells".into());
        };
        let best: Vec<f64> = best
            .iter()
            .map(|cell| if cell.is_empty() { Ok(f64::INFINITY) } else { cell.parse() })
            .collect::<Result<_, _>>()?;
        Ok(Self {
            problem: (*problem).to_owned(),
            dim: dim.parse()?,
            instance: (*instance).to_owned(),
            method: (*method).to_owned(),
            seed: seed.parse()?,
            budget: budget.parse()?,
            queries: queries.parse()?,
            seconds: seconds.parse()?,
            note: (*note).to_owned(),
            start: start.parse()?,
            best: best.try_into().map_err(|_| "as many cells as in the first line are needed")?,
        })
    }
}

/// The runs of a table; none if there is no such file.
pub(crate) fn read(path: &Path) -> Fallible<Vec<Measured>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(path)?;
    if !text.starts_with(&header()) {
        return Err(format!("{} has another first line: remove it and run again", path.display()).into());
    }
    let line = |(number, line): (usize, &str)| {
        Measured::parse(line)
            .map_err(|error| format!("{}, line {}: {error}", path.display(), number + 1).into())
    };
    text.lines().enumerate().skip(1).filter(|(_, line)| !line.is_empty()).map(line).collect()
}

#[cfg(test)]
pub(crate) fn example(problem: &str, method: &str, seed: u64, best: f64) -> Measured {
    Measured {
        problem: problem.into(),
        dim: 100,
        instance: format!("{problem}-100"),
        method: method.into(),
        seed,
        budget: 40_000,
        queries: 40_000,
        seconds: 1.5,
        note: String::new(),
        start: 5.0,
        best: [4.0, 4.0, 3.0, 3.0, 2.0, 2.0, 2.0, 2.0, best],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_can_be_read_again() {
        let mut run = example("quadratic", "pycma", 3, 0.1);
        run.best[7] = f64::INFINITY;
        run.best[8] = f64::INFINITY;
        run.note = "time limit".into();
        assert_eq!(Measured::parse(run.line().trim_end()).unwrap(), run);
        assert_eq!(header().matches(',').count(), run.line().matches(',').count());
        assert!(Measured::parse("a,b").is_err());
    }
}
