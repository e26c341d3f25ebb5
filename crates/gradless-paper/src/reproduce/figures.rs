//! The paper's figures: main comparison, impact of the step size, zooms; and the main comparison by oracle calls.

use gradless_report::plot::{Axes, Axis, Look, Markers, Panel, Plot, Scale, Series};

use super::arm::Family;
use super::experiment::Experiment;
use super::question::Mode;
use super::summary::{Cell, Summary};
use crate::data::DataSet;

/// A figure with one or more panels.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Its file's name, without ending.
    pub name: &'static str,
    /// Under it.
    pub caption: String,
    /// As it is in its file.
    pub plot: Plot,
}

impl Figure {
    /// Every panel as a figure of its own, for narrow screens.
    pub fn panels(&self) -> Vec<String> {
        let alone = |panel: &Panel| Plot {
            title: panel.title.clone(),
            panels: vec![Panel { title: String::new(), ..panel.clone() }],
            ..self.plot.clone()
        };
        self.plot.panels.iter().map(|panel| alone(panel).to_svg()).collect()
    }
}

/// All figures that the runs allow.
pub fn figures(experiment: &Experiment, summary: &Summary) -> Vec<Figure> {
    let set = experiment.set;
    let main = |name, x: &str, series: fn(&Cell) -> Series, caption: &str| {
        let panel = |mode| panel_of(mode, summary.main(mode).into_iter().map(series).collect());
        let panels = summary.modes().into_iter().map(panel).collect();
        let by = if x == "iteration" { "" } else { ", by oracle calls" };
        let title = format!("{}: every method at its best step size{by}", set.title());
        let plot = plot(title, x, Scale::Log, panels);
        Figure { name, caption: format!("{caption} {}", choices(summary)), plot }
    };
    let mut figures = vec![
        main(
            "main",
            "iteration",
            by_iteration,
            "Mean over the images of F after t steps, as a share of F at the start.",
        ),
        main(
            "main-by-calls",
            "oracle calls",
            by_calls,
            "The same against the calls of the network that it took.",
        ),
    ];
    for (name, family) in [
        ("steps-psgd", Family::ZoPsgd),
        ("steps-acc-zom", Family::AccZom),
        ("steps-exp-grad", Family::ZoExpGrad),
    ] {
        figures.extend(steps(set, summary, name, family));
    }
    figures.extend(zooms(set, summary));
    figures.retain(|figure| !figure.plot.panels.is_empty());
    figures
}

/// One method with all its step sizes.
fn steps(set: DataSet, summary: &Summary, name: &'static str, family: Family) -> Option<Figure> {
    let series = |cell: &Cell| Series { name: cell.arm.parameter(), ..by_iteration(cell) };
    let panel = |mode| {
        let cells = summary.of(mode).filter(|cell| cell.arm.family == family);
        panel_of(mode, cells.map(series).collect())
    };
    let panels: Vec<Panel> = summary.modes().into_iter().map(panel).collect();
    // One step size alone has no impact to show.
    if panels.iter().all(|panel| panel.series.len() < 2) {
        return None;
    }
    let title = format!("{}: impact of the step size on {}", set.title(), family.name());
    let mut plot = plot(title, "iteration", Scale::Log, panels);
    plot.look.order = Vec::new();
    let what = if family == Family::AccZom { "gamma" } else { "lr, the reciprocal of the weight eta" };
    Some(Figure { name, caption: format!("{} with several values of {what}.", family.name()), plot })
}

/// The proposed methods from close by.
fn zooms(set: DataSet, summary: &Summary) -> Option<Figure> {
    let windows = match set {
        DataSet::Mnist => {
            [(Mode::Pn, 25, 30), (Mode::Pn, 100, 200), (Mode::Pp, 25, 30), (Mode::Pp, 190, 200)]
        }
        DataSet::Cifar10 => {
            [(Mode::Pn, 10, 20), (Mode::Pn, 190, 200), (Mode::Pp, 25, 30), (Mode::Pp, 100, 200)]
        }
    };
    let panel = |(mode, from, to): (Mode, usize, usize)| {
        let inside = |cell: &Cell| {
            let mut series = by_iteration(cell);
            series.points.retain(|&(t, _)| (from as f64..=to as f64).contains(&t));
            series
        };
        let cells = summary.main(mode).into_iter().filter(|cell| cell.arm.family >= Family::ZoExpGrad);
        let series: Vec<Series> = cells.map(inside).filter(|series| series.points.len() > 1).collect();
        let title = format!("{}, steps {from} to {to}", title(mode));
        (!series.is_empty()).then_some(Panel { title, series })
    };
    let panels: Vec<Panel> = windows.into_iter().filter_map(panel).collect();
    let title = format!("{}: the proposed methods from close by", set.title());
    let mut plot = plot(title, "iteration", Scale::Linear, panels);
    plot.look.columns = 2;
    (!plot.panels.is_empty()).then_some(Figure {
        name: "zoom",
        caption: "The exponentiated-gradient family alone; every panel has its own axes.".to_owned(),
        plot,
    })
}

fn plot(title: String, x: &str, scale: Scale, panels: Vec<Panel>) -> Plot {
    let panels = panels.into_iter().filter(|panel| !panel.series.is_empty()).collect();
    Plot {
        title,
        x: Axis { label: x.to_owned(), scale: Scale::Linear },
        y: Axis { label: "mean of F(x) / F(start)".to_owned(), scale },
        panels,
        look: Look {
            axes: Axes::Own,
            markers: Markers::Few,
            columns: 0,
            order: Family::ALL.map(|family| family.name().to_owned()).to_vec(),
        },
    }
}

fn panel_of(mode: Mode, series: Vec<Series>) -> Panel {
    Panel { title: title(mode).to_owned(), series }
}

fn title(mode: Mode) -> &'static str {
    match mode {
        Mode::Pn => "Pertinent negatives (PN)",
        Mode::Pp => "Pertinent positives (PP)",
    }
}

fn by_iteration(cell: &Cell) -> Series {
    let points = cell.mean.iter().enumerate().map(|(t, &mean)| (t as f64, mean)).collect();
    Series { name: cell.arm.family.name().to_owned(), label: String::new(), points }
}

fn by_calls(cell: &Cell) -> Series {
    let points = cell.calls.iter().zip(&cell.mean).map(|(&calls, &mean)| (calls as f64, mean)).collect();
    Series { points, ..by_iteration(cell) }
}

/// Which step sizes were best here.
fn choices(summary: &Summary) -> String {
    let of = |mode| {
        let tuned = summary.main(mode).into_iter().filter(|cell| cell.arm.step.is_some());
        let arms: Vec<String> = tuned.map(|cell| cell.arm.to_string()).collect();
        (!arms.is_empty()).then(|| format!("{}: {}", mode.name().to_uppercase(), arms.join(", ")))
    };
    let modes: Vec<String> = summary.modes().into_iter().filter_map(of).collect();
    if modes.is_empty() { String::new() } else { format!("Best here, {}.", modes.join("; ")) }
}
