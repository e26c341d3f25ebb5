//! The parts of the page.

use super::super::arm::Arm;
use super::super::conventions::Source;
use super::super::figures::Figure;
use super::super::pairs::{Pair, Verdict};
use super::super::question::{Mode, weight};
use super::super::reference::reference;
use super::super::results::Results;
use super::super::summary::Cell;
use super::{escape, put};

pub(super) fn figure(page: &mut String, figure: &Figure) {
    put!(
        page,
        "<figure id=\"{}\">\n<h3>{}</h3>\n<div class=\"panels\">\n",
        figure.name,
        escape(&figure.plot.title)
    );
    for svg in figure.panels() {
        // Inside a page the name of the format is known, and no address needs to stand in it.
        page.push_str(&svg.replace(r#" xmlns="http://www.w3.org/2000/svg""#, ""));
    }
    put!(page, "</div>\n<figcaption>{}</figcaption>\n</figure>\n", escape(&figure.caption));
}

pub(super) fn table(page: &mut String, results: &Results, mode: Mode) {
    let set = results.experiment.set;
    let mut steps: Vec<usize> = results.summary.of(mode).flat_map(Cell::look_steps).collect();
    steps.sort_unstable();
    steps.dedup();
    put!(
        page,
        "<div class=\"wide\"><table>\n<caption>{}: mean of F(x)/F(start) after t steps</caption>\n",
        long(mode)
    );
    page.push_str("<thead><tr><th class=\"words\">method</th>");
    for t in &steps {
        put!(page, "<th>t = {t}</th>");
    }
    page.push_str(
        "<th>valid</th><th>not 0</th><th>l1</th><th>calls</th><th>images</th></tr></thead>\n<tbody>\n",
    );
    for cell in results.summary.of(mode) {
        let star = if Arm::papers_choice(cell.arm.family, set, mode) == cell.arm && cell.arm.step.is_some() {
            " *"
        } else {
            ""
        };
        let class = if cell.best { " class=\"best\"" } else { "" };
        put!(page, "<tr{class}><th>{}{star}</th>", escape(&cell.arm.to_string()));
        for &t in &steps {
            let theirs = reference(set, mode, cell.arm, t).map_or_else(|| "–".to_owned(), short);
            let ours = cell.mean.get(t).map_or_else(|| "–".to_owned(), |&mean| short(mean));
            put!(page, "<td>{ours}<span class=\"paper\">{theirs}</span></td>");
        }
        let look = cell.looks.last();
        put!(
            page,
            "<td>{:.0} %</td><td>{:.0}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
            100.0 * look.map_or(f64::NAN, |look| look.valid),
            look.map_or(f64::NAN, |look| look.nonzeros),
            short(cell.norm_l1),
            cell.calls.last().copied().unwrap_or(0),
            cell.images.len()
        );
    }
    page.push_str("</tbody></table></div>\n");
}

pub(super) fn pairs(page: &mut String, results: &Results, mode: Mode) {
    let pairs = Pair::all(&results.summary, mode, results.experiment.seed);
    if pairs.is_empty() {
        return;
    }
    put!(
        page,
        "<details open><summary>{}: differences after the last step on the same images</summary>\n<div class=\"wide\"><table>\n\
         <caption>Mean difference with its 95 % interval (bootstrap over images); equal where 0 is inside</caption>\n\
         <thead><tr><th class=\"words\">first</th><th class=\"words\">second</th><th>first - second</th><th>interval</th>\
         <th>of second</th><th class=\"words\">lower</th></tr></thead>\n<tbody>\n",
        long(mode)
    );
    for pair in pairs {
        let lower = match pair.verdict() {
            Verdict::First => escape(&pair.first),
            Verdict::Second => escape(&pair.second),
            Verdict::Equal => "equal".to_owned(),
        };
        put!(
            page,
            "<tr><th>{}</th><td class=\"words\">{}</td><td>{}</td><td>{} to {}</td><td>{:+.1} %</td><td class=\"words\">{lower}</td></tr>\n",
            escape(&pair.first),
            escape(&pair.second),
            signed(pair.difference),
            signed(pair.interval[0]),
            signed(pair.interval[1]),
            100.0 * pair.difference / pair.scale
        );
    }
    page.push_str("</tbody></table></div></details>\n");
}

pub(super) fn conventions(page: &mut String, results: &Results) {
    page.push_str(
        "<div class=\"wide\"><table>\n<thead><tr><th class=\"words\">point</th><th class=\"words\">the paper's text</th>\
         <th class=\"words\">its authors' scripts</th></tr></thead>\n<tbody>\n",
    );
    for point in results.experiment.conventions.differences() {
        let class = |source| if point.used == source { "words used" } else { "words" };
        put!(
            page,
            "<tr><td class=\"words\">{}</td><td class=\"{}\">{}</td><td class=\"{}\">{}</td></tr>\n",
            escape(point.what),
            class(Source::Text),
            escape(point.text),
            class(Source::Scripts),
            escape(point.scripts)
        );
    }
    page.push_str(
        "</tbody></table></div>\n<p class=\"note\">Shaded: what was used. The same in both: the curve is that of the iterates, its \
         last point is judged; the softplus and the step are computed without overflow; images are chosen apart from the \
         methods' randomness; calls made only to draw the curve (one, at the last point) are not counted.</p>\n",
    );
}

pub(super) fn record(page: &mut String, results: &Results) {
    let Results { experiment, model, summary, .. } = results;
    let calls: u64 =
        summary.cells.iter().map(|cell| cell.calls.last().unwrap_or(&0) * cell.images.len() as u64).sum();
    let weight = weight(experiment.set);
    let facts = [
        ("network", model.name.clone()),
        ("its SHA-256", model.sha256.clone()),
        ("engine", model.engine.clone()),
        ("m, T", format!("{}, {}", experiment.batch, experiment.iterations)),
        ("weights", format!("l1 = l2 = {weight}")),
        ("seed", experiment.seed.to_string()),
        ("version", format!("gradless {}", env!("CARGO_PKG_VERSION"))),
        ("jobs", format!("{} of {}", summary.done, summary.jobs)),
        ("oracle calls", format!("{:.1} million", calls as f64 / 1e6)),
    ];
    page.push_str("<dl>\n");
    for (name, value) in facts {
        put!(page, "<dt>{name}</dt><dd>{}</dd>\n", escape(&value));
    }
    put!(page, "</dl>\n<pre>{}</pre>\n", escape(&results.command));
}

pub(super) fn images(page: &mut String, results: &Results) {
    put!(
        page,
        "<details><summary>The {} images: class, and places in the test set counted from 0</summary>\n<dl>\n",
        results.images.len()
    );
    let mut classes: Vec<u8> = results.images.iter().map(|image| image.class).collect();
    classes.sort_unstable();
    classes.dedup();
    for class in classes {
        let of_class = results.images.iter().filter(|image| image.class == class);
        let places: Vec<String> = of_class.map(|image| image.index.to_string()).collect();
        put!(page, "<dt>class {class}</dt><dd>{}</dd>\n", places.join(", "));
    }
    page.push_str("</dl></details>\n");
}

fn long(mode: Mode) -> &'static str {
    match mode {
        Mode::Pn => "Pertinent negatives",
        Mode::Pp => "Pertinent positives",
    }
}

/// Four digits that matter.
fn short(value: f64) -> String {
    match value.abs() {
        size if !size.is_finite() => "–".to_owned(),
        size if size >= 1000.0 || (size < 0.001 && size > 0.0) => format!("{value:.2e}"),
        size if size >= 100.0 => format!("{value:.1}"),
        size if size >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    }
}

fn signed(value: f64) -> String {
    let sign = if value < 0.0 { "-" } else { "+" };
    if value.is_finite() { format!("{sign}{}", short(value.abs())) } else { "–".to_owned() }
}
