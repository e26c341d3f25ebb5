//! The model's scores before and after, as a table with bars.

use gradless_explain::Answer;

use super::Page;
use crate::format::{aligned, count, decimals};
use crate::html::{LONGEST_NAME, name, put};

/// Up to this many classes all are shown, in their own order.
const ALL: usize = 10;

/// Of more classes this many are shown, beside the two that matter.
const TOP: usize = 5;

pub(super) fn write(page_data: &Page, answer: &Answer, page: &mut String) {
    let classes = answer.original.scores.len().max(answer.explanation.scores.len());
    if classes == 0 || answer.scores_are == "labels" {
        page.push_str("<p class=\"note\">The model answers labels only: there are no scores to show.</p>\n");
        return;
    }
    let shown = shown(answer, classes);
    let scale = Scale::of(shown.iter().flat_map(|&class| [before(answer, class), after(answer, class)]));
    let decimals = decimals(scale.high.max(-scale.low));
    let short = shown.iter().all(|&class| page_data.class_name(class).chars().count() <= 4);
    let size = if short { "scores short" } else { "scores" };
    let (first, second) = ("Original", if answer.is_part() { "Alone" } else { "Changed" });
    put!(
        page,
        "<table class=\"{size}\">\n<caption>Class scores before and after</caption>\n<thead><tr>\
         <th scope=\"col\">Class</th>\
         <td class=\"bars\"></td>\
         <th scope=\"col\" class=\"number\"><span class=\"swatch before\"></span>{first}</th>\
         <th scope=\"col\" class=\"number\"><span class=\"swatch after\"></span>{second}</th></tr></thead>\n<tbody>\n"
    );
    for &class in &shown {
        let (before, after) = (before(answer, class), after(answer, class));
        let row = if matters(answer, class) { " class=\"matters\"" } else { "" };
        put!(
            page,
            "<tr{row}><th scope=\"row\">{}</th><td class=\"bars\"><svg aria-hidden=\"true\">{}{}{}</svg></td>\
             <td class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n",
            name(&page_data.class_name(class), LONGEST_NAME),
            scale.bar("before", 2, before),
            scale.bar("after", 10, after),
            scale.zero(),
            aligned(before, decimals),
            aligned(after, decimals)
        );
    }
    page.push_str("</tbody>\n");
    if shown.len() < classes {
        let left = count((classes - shown.len()) as u64);
        put!(page, "<tfoot><tr><td colspan=\"4\">{left} other classes are not shown</td></tr></tfoot>\n");
    }
    page.push_str("</table>\n");
}

fn before(answer: &Answer, class: usize) -> f64 {
    answer.original.scores.get(class).copied().unwrap_or(f64::NAN)
}

fn after(answer: &Answer, class: usize) -> f64 {
    answer.explanation.scores.get(class).copied().unwrap_or(f64::NAN)
}

/// Whether it is the class before or after.
fn matters(answer: &Answer, class: usize) -> bool {
    class == answer.original.class || class == answer.explanation.class
}

/// All classes if they are few; else the highest of either column and the two that matter, highest first.
fn shown(answer: &Answer, classes: usize) -> Vec<usize> {
    let mut ranked: Vec<usize> = (0..classes).collect();
    if classes <= ALL {
        return ranked;
    }
    // NaN loses against any number in `max`, and two of them are put last.
    let highest = |class: usize| before(answer, class).max(after(answer, class)).max(f64::NEG_INFINITY);
    ranked.sort_by(|&a, &b| highest(b).total_cmp(&highest(a)));
    let top = ranked.iter().take(TOP);
    let rest = ranked.iter().skip(TOP).filter(|&&class| matters(answer, class));
    top.chain(rest).copied().collect()
}

/// The range of the bars, zero included.
struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    fn of(scores: impl Iterator<Item = f64>) -> Self {
        let (low, high) = scores
            .filter(|score| score.abs() < 1e150)
            .fold((0.0_f64, 0.0_f64), |(low, high), score| (low.min(score), high.max(score)));
        if low == high { Self { low, high: low + 1.0 } } else { Self { low, high } }
    }

    /// Where a score lies, in percent of the width.
    fn at(&self, score: f64) -> f64 {
        100.0 * (score.clamp(self.low, self.high) - self.low) / (self.high - self.low)
    }

    fn bar(&self, class: &str, top: u32, score: f64) -> String {
        if score.is_nan() {
            return String::new();
        }
        let (zero, end) = (self.at(0.0), self.at(score));
        // A score near zero still leaves a sliver, so that every row is seen to have two bars.
        let (left, width) = (zero.min(end), (zero - end).abs().max(0.6));
        format!("<rect class=\"{class}\" x=\"{left:.1}%\" y=\"{top}\" width=\"{width:.1}%\" height=\"6\"/>")
    }

    fn zero(&self) -> String {
        let zero = self.at(0.0);
        format!("<line x1=\"{zero:.1}%\" x2=\"{zero:.1}%\" y1=\"0\" y2=\"18\"/>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_start_at_zero_and_go_both_ways() {
        let scale = Scale::of([-1.0, f64::NAN, 3.0].into_iter());
        assert!(scale.bar("after", 0, 3.0).contains("x=\"25.0%\" y=\"0\" width=\"75.0%\""));
        assert!(scale.bar("after", 0, -1.0).contains("x=\"0.0%\" y=\"0\" width=\"25.0%\""));
        assert_eq!(scale.bar("after", 0, f64::NAN), "");
        assert!(scale.bar("after", 0, f64::INFINITY).contains("width=\"75.0%\""));
    }
}
