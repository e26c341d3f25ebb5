//! A quantity against queries, as a line chart.

mod axis;
mod thin;

use gradless_explain::{Answer, Step};

use self::axis::Axis;
use self::thin::thinned;
use crate::format::{count, number};
use crate::html::put;

/// The drawing's own size. A column of the page is about as wide, so its text comes out near its nominal size.
const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 210.0;
const LEFT: f64 = 44.0;
const RIGHT: f64 = 350.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 178.0;

/// What a chart shows.
pub(super) struct Curve {
    /// Its title, which names the quantity.
    pub(super) title: &'static str,
    /// The quantity.
    pub(super) value: fn(&Step) -> f64,
    /// Whether the axis begins at zero.
    pub(super) from_zero: bool,
}

/// A point of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    queries: f64,
    value: f64,
    valid: bool,
}

/// When the points became valid.
#[derive(Clone, Copy)]
struct Marks {
    first: Option<u64>,
    best: Option<u64>,
}

/// Draws the best objective so far.
pub(super) fn descent(points: &[(u64, f64)], page: &mut String) {
    let finite = points.iter().filter(|(_, value)| value.abs() < 1e100);
    let point = |&(queries, value): &(u64, f64)| Point { queries: queries as f64, value, valid: true };
    draw("Best objective", false, finite.map(point).collect(), None, page);
}

/// A chart; `marks` where it matters whether points are valid.
fn draw(title: &str, from_zero: bool, points: Vec<Point>, marks: Option<Marks>, page: &mut String) {
    let points = thinned(points);
    let (Some(start), Some(last)) = (points.first(), points.last()) else {
        put!(
            page,
            "<figure class=\"chart\"><figcaption>{title} against queries</figcaption>\
             <p class=\"note\">No number was recorded.</p></figure>\n"
        );
        return;
    };
    let Marks { first, best } = marks.unwrap_or(Marks { first: None, best: None });
    let end = [first, best].into_iter().flatten().fold(last.queries, |end, at| end.max(at as f64));
    let x = Axis::linear(0.0, end, LEFT, RIGHT);
    let y = Axis::fitting(points.iter().map(|point| point.value), from_zero, BOTTOM, TOP + 8.0);
    let y = if from_zero { y } else { y.padded() };
    let scale = if y.is_log() { ", logarithmic" } else { "" };
    let label = format!(
        "{title} against queries: from {} to {} after {} queries{}",
        number(start.value),
        number(last.value),
        number(last.queries),
        marks.map(valid_words).unwrap_or_default()
    );
    put!(
        page,
        "<figure class=\"chart\"><figcaption>{title} against queries{scale}</figcaption>\n\
         <svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{label}\">\n"
    );
    grid(&x, &y, page);
    if let Some(at) = first {
        mark("first", x.at(at as f64), page);
    }
    if let Some(at) = best {
        mark("best", x.at(at as f64), page);
    }
    lines(&points, &x, &y, page);
    page.push_str("</svg>\n");
    if let Some(marks) = marks {
        key(&points, marks, page);
    }
    page.push_str("</figure>\n");
}

impl Curve {
    pub(super) fn write(&self, answer: &Answer, page: &mut String) {
        let marks = Marks { first: answer.first_valid, best: answer.best_valid };
        draw(self.title, self.from_zero, self.points(&answer.steps), Some(marks), page);
    }

    /// The points that can be drawn, in the order of queries. Huge values would leave no room for the others.
    fn points(&self, steps: &[Step]) -> Vec<Point> {
        let point = |step: &Step| {
            let value = (self.value)(step);
            (value.abs() < 1e100).then_some(Point {
                queries: step.queries as f64,
                value,
                valid: step.best.is_some(),
            })
        };
        let mut points: Vec<Point> = steps.iter().filter_map(point).collect();
        points.sort_by(|a, b| a.queries.total_cmp(&b.queries));
        points
    }
}

fn grid(x: &Axis, y: &Axis, page: &mut String) {
    for (value, label) in y.ticks(4) {
        let at = y.at(value);
        put!(
            page,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>\n",
            LEFT - 6.0,
            at + 4.0
        );
    }
    for (value, label) in x.ticks(4) {
        let at = x.at(value);
        put!(
            page,
            "<line class=\"tick\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{BOTTOM}\" y2=\"{:.1}\"/>\
             <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>\n",
            BOTTOM + 4.0,
            BOTTOM + 18.0
        );
    }
    put!(
        page,
        "<line class=\"axis\" x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{BOTTOM}\" y2=\"{BOTTOM}\"/>\
         <text x=\"{RIGHT}\" y=\"{:.1}\" text-anchor=\"end\">queries</text>\n",
        BOTTOM + 31.0
    );
}

fn mark(class: &str, at: f64, page: &mut String) {
    put!(
        page,
        "<line class=\"mark {class}\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{BOTTOM}\"/>\
         <path class=\"mark {class}\" d=\"M{:.1} {:.1}h10l-5 8z\"/>\n",
        at - 5.0,
        TOP - 8.0
    );
}

/// The whole line thin; over it, thick, where the points are valid.
fn lines(points: &[Point], x: &Axis, y: &Axis, page: &mut String) {
    let path = |points: &[Point]| {
        let mut path = String::new();
        for (index, point) in points.iter().enumerate() {
            let letter = if index == 0 { 'M' } else { 'L' };
            put!(path, "{letter}{:.1} {:.1}", x.at(point.queries), y.at(point.value));
        }
        // Round ends make a dot of a line without length.
        if let [only] = points {
            put!(path, "L{:.1} {:.1}", x.at(only.queries), y.at(only.value));
        }
        path
    };
    put!(page, "<path class=\"line\" d=\"{}\"/>\n", path(points));
    let runs = points.chunk_by(|a, b| a.valid == b.valid).filter(|run| run[0].valid);
    let valid: String = runs.map(path).collect();
    if !valid.is_empty() {
        put!(page, "<path class=\"line valid\" d=\"{valid}\"/>\n");
    }
}

fn key(points: &[Point], marks: Marks, page: &mut String) {
    let symbol = |class: &str, path: &str| {
        format!(
            "<svg class=\"symbol\" viewBox=\"0 0 12 10\" aria-hidden=\"true\">\
             <path class=\"{class}\" d=\"{path}\"/></svg>"
        )
    };
    let triangle = |class: &str| symbol(&format!("mark {class}"), "M1 1h10l-5 8z");
    let line = |class: &str| symbol(&format!("line {class}"), "M1 5H11");
    page.push_str("<p class=\"keys\">");
    if points.iter().any(|point| point.valid) {
        put!(page, "<span class=\"key\">{}valid</span>", line("valid"));
        put!(page, "<span class=\"key\">{}not valid</span>", line(""));
    }
    if let Some(at) = marks.first {
        put!(page, "<span class=\"key\">{}first valid {}</span>", triangle("first"), count(at));
    }
    if let Some(at) = marks.best {
        put!(page, "<span class=\"key\">{}best valid {}</span>", triangle("best"), count(at));
    }
    if marks.first.is_none() && marks.best.is_none() {
        page.push_str("<span class=\"key\">no valid point was found</span>");
    }
    page.push_str("</p>\n");
}

fn valid_words(marks: Marks) -> String {
    let mut words = String::new();
    if let Some(at) = marks.first {
        put!(words, "; first valid at {}", count(at));
    }
    if let Some(at) = marks.best {
        put!(words, "; best valid at {}", count(at));
    }
    words
}
