//! What the command line asks for.

use std::path::PathBuf;

use bench::contender::Contender;
use bench::{Fallible, network};
use gradless_models::Engine;
use gradless_paper::data::{DataSet, Split};

use crate::references::Circumstances;
use crate::task::Task;

/// What is run unless said otherwise.
const METHODS: &str = "zo-ada-exp-grad+,zo-ada-exp-grad+:seed,zo-exp-grad:seed,ao-exp-grad";
/// Where reference values are kept unless said otherwise.
const REFERENCES: &str = "target/targets-references.jsonl";

/// Where the images come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The training set: for choosing constants.
    Tuning,
    /// The test set: for what is told.
    HeldOut,
}

impl Part {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Tuning => "tuning",
            Self::HeldOut => "held-out",
        }
    }

    pub(crate) fn split(self) -> Split {
        match self {
            Self::Tuning => Split::Train,
            Self::HeldOut => Split::Test,
        }
    }
}

pub(crate) struct Asked {
    pub(crate) data: PathBuf,
    pub(crate) set: DataSet,
    /// The file of the network, if not the one of the repository.
    pub(crate) network: Option<PathBuf>,
    pub(crate) part: Part,
    pub(crate) per_class: usize,
    /// No more images than this in all.
    pub(crate) at_most: Option<usize>,
    pub(crate) tasks: Vec<Task>,
    pub(crate) methods: Vec<Contender>,
    pub(crate) budget: u64,
    pub(crate) whole: bool,
    pub(crate) seed: u64,
    pub(crate) engine: Engine,
    pub(crate) threads: usize,
    pub(crate) references: PathBuf,
    pub(crate) out: Option<PathBuf>,
}

impl Asked {
    pub(crate) fn read(mut words: impl Iterator<Item = String>) -> Fallible<Self> {
        let mut asked = Self {
            data: std::env::var_os("GRADLESS_DATA").unwrap_or_else(|| "data".into()).into(),
            set: DataSet::Mnist,
            network: None,
            part: Part::Tuning,
            per_class: 1,
            at_most: None,
            tasks: Vec::new(),
            methods: Contender::list(METHODS)?,
            budget: 40_200,
            whole: false,
            seed: 0,
            engine: Engine::default(),
            threads: 1,
            references: REFERENCES.into(),
            out: None,
        };
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
            match word.as_str() {
                "--data" => asked.data = value()?.into(),
                "--set" => {
                    asked.set = one_of(&word, &value()?, &[DataSet::Mnist, DataSet::Cifar10], DataSet::name)?;
                }
                "--network" => asked.network = Some(value()?.into()),
                "--part" => {
                    asked.part = one_of(&word, &value()?, &[Part::Tuning, Part::HeldOut], Part::name)?;
                }
                "--images" => asked.per_class = value()?.parse()?,
                "--at-most" => asked.at_most = Some(value()?.parse()?),
                "--tasks" => {
                    let task = |name: &str| one_of(&word, name, &Task::ALL, Task::name);
                    asked.tasks = value()?.split(',').map(task).collect::<Fallible<_>>()?;
                }
                "--methods" => asked.methods = Contender::list_with_ideas(&value()?)?,
                "--budget" => asked.budget = value()?.parse()?,
                "--whole" => asked.whole = true,
                "--seed" => asked.seed = value()?.parse()?,
                "--engine" => {
                    asked.engine = one_of(&word, &value()?, &[Engine::Rten, Engine::Ort], Engine::name)?;
                }
                "--threads" => asked.threads = value()?.parse()?,
                "--references" => asked.references = value()?.into(),
                "--out" => asked.out = Some(value()?.into()),
                other => return Err(format!("{other} is not understood").into()),
            }
        }
        match (asked.set, asked.tasks.contains(&Task::PnAdd)) {
            (DataSet::Cifar10, true) => {
                return Err("pn-add is a question about digits: leave it out for cifar10".into());
            }
            (DataSet::Cifar10, false) if asked.tasks.is_empty() => asked.tasks = vec![Task::Pn, Task::Pp],
            (DataSet::Mnist, _) if asked.tasks.is_empty() => asked.tasks = Task::ALL.to_vec(),
            _ => {}
        }
        Ok(asked)
    }

    /// The file of the network.
    pub(crate) fn network(&self) -> PathBuf {
        self.network.clone().unwrap_or_else(|| network::file(self.set).into())
    }

    /// What a reference value depends on besides image and task.
    pub(crate) fn circumstances(&self) -> Fallible<Circumstances> {
        Ok(Circumstances {
            set: self.set.name().to_owned(),
            part: self.part.name().to_owned(),
            engine: self.engine.name().to_owned(),
            model: network::hash(self.network())?,
        })
    }

    /// The command that repeats the run, on any machine: without folders and threads.
    pub(crate) fn command(&self) -> String {
        let join = |words: Vec<String>| words.join(",");
        format!(
            "cargo run --release -p bench --bin targets -- --set {}{} --part {} --images {}{} --tasks {} --methods {} --budget {}{} --seed {} --engine {}",
            self.set.name(),
            self.network.as_ref().map_or(String::new(), |path| format!(" --network {}", path.display())),
            self.part.name(),
            self.per_class,
            self.at_most.map_or(String::new(), |number| format!(" --at-most {number}")),
            join(self.tasks.iter().map(|task| task.name().to_owned()).collect()),
            join(self.methods.iter().map(ToString::to_string).collect()),
            self.budget,
            if self.whole { " --whole" } else { "" },
            self.seed,
            self.engine.name(),
        )
    }
}

/// The one of this name.
fn one_of<T: Copy>(word: &str, name: &str, all: &[T], named: impl Fn(T) -> &'static str) -> Fallible<T> {
    all.iter().copied().find(|&one| named(one) == name).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|&one| named(one)).collect();
        format!("{word} {name}: there are {}", names.join(", ")).into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &str) -> Fallible<Asked> {
        Asked::read(words.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn the_command_repeats_itself() {
        let words = "--set cifar10 --part held-out --images 3 --at-most 7 --methods zo-psgd:seed:lr=0.1 --budget 500 --whole --seed 4";
        let asked = read(words).unwrap();
        assert_eq!((asked.part, asked.per_class, asked.tasks.len()), (Part::HeldOut, 3, 2));
        let command = asked.command();
        let again = read(command.split_once(" -- ").unwrap().1).unwrap();
        assert_eq!((again.command(), again.methods), (command, asked.methods));
    }

    #[test]
    fn what_cannot_be_asked_is_refused() {
        for words in
            ["--set imagenet", "--tasks pn,px", "--budget", "--set cifar10 --tasks pn-add", "--quick"]
        {
            assert!(read(words).is_err(), "{words}");
        }
    }
}
