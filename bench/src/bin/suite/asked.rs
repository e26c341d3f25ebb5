//! What the command line asks for.

use std::path::PathBuf;

use bench::Fallible;
use bench::contender::Contender;

/// What is run unless said otherwise: our default, and the paper's methods with the paper's settings.
const METHODS: &str = "auto,zo-ada-exp-grad+,zo-ada-exp-grad+:seed,zo-ada-exp-grad:seed,zo-exp-grad:seed,zo-exp-storm:seed,\
     ao-exp-grad:seed,zo-psgd:seed:lr=0.01,acc-zom:seed:lr=0.01";

/// Which of the three steps.
pub(crate) enum Step {
    Dump(PathBuf),
    Run(PathBuf),
    Report(PathBuf),
}

pub(crate) struct Asked {
    pub(crate) step: Step,
    pub(crate) data: Option<PathBuf>,
    pub(crate) methods: Vec<Contender>,
    /// All problems if `None`.
    pub(crate) problems: Option<Vec<String>>,
    /// All dimensions if `None`.
    pub(crate) dims: Option<Vec<usize>>,
    pub(crate) seeds: u64,
    pub(crate) budget: u64,
    pub(crate) threads: usize,
    pub(crate) out: Option<PathBuf>,
}

impl Asked {
    pub(crate) fn read(mut words: impl Iterator<Item = String>) -> Fallible<Self> {
        let mut step = None;
        let mut asked = Self {
            step: Step::Report(PathBuf::new()),
            data: None,
            methods: Contender::list(METHODS)?,
            problems: None,
            dims: None,
            seeds: 10,
            budget: 40_000,
            threads: 1,
            out: None,
        };
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
            match word.as_str() {
                "--dump" => step = Some(Step::Dump(value()?.into())),
                "--run" => step = Some(Step::Run(value()?.into())),
                "--report" => step = Some(Step::Report(value()?.into())),
                "--data" => asked.data = Some(value()?.into()),
                "--methods" => asked.methods = Contender::list(&value()?)?,
                "--problems" => asked.problems = Some(value()?.split(',').map(str::to_owned).collect()),
                "--dims" => asked.dims = Some(value()?.split(',').map(str::parse).collect::<Result<_, _>>()?),
                "--seeds" => asked.seeds = value()?.parse()?,
                "--budget" => asked.budget = value()?.parse()?,
                "--threads" => asked.threads = value()?.parse()?,
                "--out" => asked.out = Some(value()?.into()),
                other => return Err(format!("{other} is not understood").into()),
            }
        }
        asked.step = step.ok_or("say --dump DIR, --run DIR or --report DIR")?;
        Ok(asked)
    }
}
