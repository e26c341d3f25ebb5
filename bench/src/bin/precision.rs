//! Does single precision make Acc-ZOM fail on photographs? The paper's runs of it, and of ZO-ExpStorm, at larger radii.
//! And how much of what differs from the paper is the network's confidence?
//!
//! `cargo run --release -p bench --bin precision -- --data DIR [--images N] [--modes pn,pp] [--factors 1,100] [--confidence 1,2]
//! [--methods acc-zom:0.001,zo-exp-storm] [--engine rten|ort] [--threads N] [--seed S] [--out DIR]`
//!
//! At their radius of about 1e-5 the rounding of ResNet20's scores is as large as a difference of two of them; at a hundred
//! times that it is not. Everything else stays as the authors' scripts have it. `--images` is a number in all, in the order
//! of the reproduction. Without `--methods`: Acc-ZOM with the paper's choice of gamma for each mode, and ZO-ExpStorm.
//! `--confidence` multiplies all scores: a network that classifies the same, only surer of it.

#![expect(clippy::print_stdout, reason = "a program that reports")]

use std::fmt::Write as _;
use std::path::PathBuf;

use bench::side_by_side::side_by_side;
use bench::{Fallible, network};
use gradless::model::{Inputs, Model, ModelError};
use gradless::{Driver, Radius, Solver};
use gradless_models::{Engine, Onnx};
use gradless_paper::data::{DataSet, Labelled, Split};
use gradless_paper::reproduce::{
    Arm, BATCH, Chosen, Conventions, Family, ITERATIONS, Mode, Order, Question, choose, loss,
};

const SET: DataSet = DataSet::Cifar10;
/// After how many steps the objective is told.
const LOOKS: [usize; 5] = [10, 25, 50, 100, 200];

struct Asked {
    data: PathBuf,
    images: usize,
    modes: Vec<Mode>,
    factors: Vec<f64>,
    confidences: Vec<f64>,
    methods: Vec<Arm>,
    engine: Engine,
    threads: usize,
    seed: u64,
    out: Option<PathBuf>,
}

impl Asked {
    fn read(mut words: impl Iterator<Item = String>) -> Fallible<Self> {
        let mut asked = Self {
            data: PathBuf::from("data"),
            images: 5,
            modes: vec![Mode::Pn, Mode::Pp],
            factors: vec![1.0, 100.0],
            confidences: vec![1.0],
            methods: Vec::new(),
            engine: Engine::Rten,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            seed: 1,
            out: None,
        };
        while let Some(word) = words.next() {
            let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
            let list = || value.split(',').map(str::trim);
            match word.as_str() {
                "--data" => asked.data = value.into(),
                "--images" => asked.images = value.parse()?,
                "--modes" => {
                    let mode = |name| match name {
                        "pn" => Ok(Mode::Pn),
                        "pp" => Ok(Mode::Pp),
                        other => Err(format!("there is no mode '{other}': pn or pp")),
                    };
                    asked.modes = list().map(mode).collect::<Result<_, _>>()?;
                }
                "--factors" => asked.factors = list().map(str::parse).collect::<Result<_, _>>()?,
                "--confidence" => asked.confidences = list().map(str::parse).collect::<Result<_, _>>()?,
                "--methods" => {
                    for words in list() {
                        asked.methods.extend(Arm::find(words)?);
                    }
                }
                "--engine" => {
                    asked.engine = match value.as_str() {
                        "rten" => Engine::Rten,
                        "ort" => Engine::Ort,
                        other => return Err(format!("there is no engine '{other}': rten or ort").into()),
                    }
                }
                "--threads" => asked.threads = value.parse()?,
                "--seed" => asked.seed = value.parse()?,
                "--out" => asked.out = Some(value.into()),
                other => return Err(format!("{other} is not understood").into()),
            }
        }
        Ok(asked)
    }

    /// The methods of a mode.
    fn arms(&self, mode: Mode) -> Vec<Arm> {
        if !self.methods.is_empty() {
            return self.methods.clone();
        }
        [Family::AccZom, Family::ZoExpStorm].map(|family| Arm::papers_choice(family, SET, mode)).to_vec()
    }
}

/// A network with all scores multiplied by a number: the same classes, other margins.
struct Surer<'a> {
    model: &'a Onnx,
    confidence: f64,
}

impl Model for Surer<'_> {
    fn shape(&self) -> &[usize] {
        self.model.shape()
    }
    fn classes(&self) -> usize {
        self.model.classes()
    }
    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        self.model.scores(inputs, scores)?;
        for score in scores {
            *score *= self.confidence;
        }
        Ok(())
    }
    fn preferred_rows(&self) -> usize {
        self.model.preferred_rows()
    }
}

/// A method on an image at so many times its radius, with so many times the scores.
#[derive(Clone, Copy)]
struct Job {
    mode: Mode,
    arm: Arm,
    factor: f64,
    confidence: f64,
    image: Chosen,
}

/// What came of it.
struct Curve {
    radius: f64,
    /// $F(x_1)$.
    start: f64,
    /// $F(0)$ over it.
    empty: f64,
    /// $F(x_{t+1})/F(x_1)$ after `LOOKS` steps.
    ratios: [f64; LOOKS.len()],
    valid: bool,
}

fn run(job: &Job, model: &Onnx, test: &Labelled, seed: u64) -> Fallible<Curve> {
    let model = Surer { model, confidence: job.confidence };
    let question =
        Question::new(&model, SET, (&test.images, job.image.index), job.mode, Conventions::AUTHORS)?;
    // The same directions at every radius.
    let seed = seed.wrapping_mul(1 << 32).wrapping_add(job.image.index as u64);
    let mut config = Conventions::AUTHORS.config(job.arm, BATCH, ITERATIONS, seed);
    let radius = job.factor * Solver::new(question.problem()?, config.clone())?.radius();
    config.recipe = config.recipe.with_radius(Radius::Fixed(radius));
    let outcome = Driver::default().run(Solver::new(question.problem()?, config)?, &question);
    let margin = question.margin(&outcome.last.x)?;
    let mut curve: Vec<f64> =
        outcome.history.iter().map(|record| record.objective.unwrap_or(f64::NAN)).collect();
    curve.push(loss(margin) + outcome.last.regulariser);
    let start = curve[0];
    let ratios = LOOKS.map(|t| curve.get(t).copied().unwrap_or(f64::NAN) / start);
    let empty = loss(question.margin(&vec![0.0; outcome.last.x.len()])?) / start;
    Ok(Curve { radius, start, empty, ratios, valid: margin > 0.0 })
}

fn main() -> Fallible<()> {
    let asked = Asked::read(std::env::args().skip(1))?;
    let commit = bench::commit();
    let model = network::load(SET, asked.engine)?;
    let test = network::images(&asked.data, SET, Split::Test)?;
    let images = choose(&model, SET, &test, &Order::Hashed, asked.images.div_ceil(10), asked.seed)?.images;
    let mut jobs = Vec::new();
    for &mode in &asked.modes {
        for arm in asked.arms(mode) {
            for (&factor, &confidence) in
                asked.factors.iter().flat_map(|factor| asked.confidences.iter().map(move |c| (factor, c)))
            {
                let job = |&image| Job { mode, arm, factor, confidence, image };
                jobs.extend(images.iter().take(asked.images).map(job));
            }
        }
    }
    let curves = side_by_side(&jobs, asked.threads, |job| run(job, &model, &test, asked.seed))?;
    let mut table =
        String::from("mode,method,factor,radius,confidence,image,valid,start,empty,t10,t25,t50,t100,t200\n");
    let mut page = format!(
        "Commit {commit}, seed {}, {} images, engine {:?}. Mean of F(x_t)/F(x_1).\n\n\
         | mode | method | radius | scores times | F(x_1) | F(0)/F(x_1) | t = 10 | 25 | 50 | 100 | 200 | valid |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|\n",
        asked.seed, asked.images, asked.engine
    );
    for (jobs, curves) in jobs.chunks(asked.images).zip(curves.chunks(asked.images)) {
        let Job { mode, arm, factor, confidence, .. } = jobs[0];
        let mode = mode.name();
        for (job, curve) in jobs.iter().zip(curves) {
            let Curve { radius, start, empty, ratios, valid } = curve;
            let ratios = ratios.map(|ratio| ratio.to_string()).join(",");
            let image = job.image.index;
            writeln!(
                table,
                "{mode},{arm},{factor},{radius},{confidence},{image},{valid},{start},{empty},{ratios}"
            )?;
        }
        let mean = |of: &dyn Fn(&Curve) -> f64| curves.iter().map(of).sum::<f64>() / curves.len() as f64;
        let (start, empty) = (mean(&|curve| curve.start), mean(&|curve| curve.empty));
        let digits = if mode == "pn" { 4 } else { 6 };
        let cells = [0, 1, 2, 3, 4].map(|look| format!("{:.digits$}", mean(&|curve| curve.ratios[look])));
        let (cells, radius) = (cells.join(" | "), curves[0].radius);
        let valid = curves.iter().filter(|curve| curve.valid).count();
        let runs = curves.len();
        writeln!(
            page,
            "| {mode} | {arm} | {radius:.1e} | {confidence} | {start:.2} | {empty:.digits$} | {cells} | {valid} of {runs} |"
        )?;
    }
    println!("{page}");
    if let Some(out) = asked.out {
        std::fs::create_dir_all(&out)?;
        std::fs::write(out.join("precision.csv"), table)?;
        std::fs::write(out.join("precision.md"), page)?;
    }
    Ok(())
}
