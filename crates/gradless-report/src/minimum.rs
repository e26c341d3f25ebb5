//! The page of a minimisation: the descent, the point, and what it took.

use crate::curve;
use crate::explanation::table;
use crate::format::{aligned, count, decimals};
use crate::html::{self, LONGEST_NAME, escape, isolated, name, put};

/// All that the page of a minimisation shows. Strings may hold anything; they are escaped.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Minimum {
    /// What was minimised.
    pub title: String,
    /// The answer in a sentence.
    pub headline: String,
    /// The numbers that matter, each with its name.
    pub figures: Vec<(String, String)>,
    /// Queries and the objective there.
    pub trace: Vec<(u64, f64)>,
    /// Coordinates of the point that are worth showing, the largest first.
    pub coordinates: Vec<(String, f64)>,
    /// Coordinates that are not 0 and not shown.
    pub others: usize,
    /// How it was run.
    pub settings: Vec<(String, String)>,
    /// What went unusually.
    pub notices: Vec<String>,
    /// The command that repeats it.
    pub command: String,
}

impl Minimum {
    /// The page: one HTML file that fetches nothing and runs nothing.
    pub fn to_html(&self) -> String {
        let mut page = String::new();
        put!(
            page,
            "<header>\n<p class=\"brow\">Minimisation</p>\n<h1>{}</h1>\n\
             <div class=\"headline\"><p>{}</p></div>\n</header>\n<main>\n<dl class=\"figures-row\">\n",
            isolated(&self.title),
            isolated(&self.headline)
        );
        for (what, value) in &self.figures {
            put!(page, "<div><dt>{}</dt><dd>{}</dd></div>\n", isolated(what), isolated(value));
        }
        page.push_str("</dl>\n");
        for notice in &self.notices {
            put!(page, "<p class=\"note\">Note: {}</p>\n", isolated(notice));
        }
        page.push_str("<div class=\"columns two\">\n");
        curve::descent(&self.best_so_far(), &mut page);
        self.point(&mut page);
        put!(
            page,
            "</div>\n<section class=\"record\" aria-labelledby=\"record\">\n<h2 id=\"record\">The record</h2>\n\
             <h3>To repeat it</h3>\n<pre><code>{}</code></pre>\n<div class=\"columns two\">\n",
            escape(&self.command)
        );
        table("Settings", self.settings.iter(), &mut page);
        page.push_str("</div>\n</section>\n</main>\n");
        html::page(&self.title, &page)
    }

    fn best_so_far(&self) -> Vec<(u64, f64)> {
        let mut best = f64::INFINITY;
        let known = self.trace.iter().filter(|(_, value)| !value.is_nan());
        known
            .map(|&(queries, value)| {
                best = best.min(value);
                (queries, best)
            })
            .collect()
    }

    /// The point as bars, to the right of zero or to its left.
    fn point(&self, page: &mut String) {
        if self.coordinates.is_empty() {
            page.push_str("<p class=\"note\">Every coordinate of the point is 0.</p>\n");
            return;
        }
        let values = || self.coordinates.iter().map(|(_, value)| *value);
        let (low, high) = (values().fold(0.0, f64::min), values().fold(0.0, f64::max));
        let decimals = decimals(high.max(-low));
        let percent = |value: f64| if high > low { 100.0 * (value - low) / (high - low) } else { 0.0 };
        let zero = percent(0.0);
        page.push_str(
            "<table class=\"scores\">\n<caption>The point: its largest coordinates</caption>\n<tbody>\n",
        );
        for (label, value) in &self.coordinates {
            let (from, to) = (percent(value.min(0.0)), percent(value.max(0.0)));
            put!(
                page,
                "<tr><th scope=\"row\">{}</th><td class=\"bars\"><svg aria-hidden=\"true\">\
                 <rect class=\"after\" x=\"{from:.2}%\" y=\"4\" width=\"{:.2}%\" height=\"10\"/>\
                 <line x1=\"{zero:.2}%\" x2=\"{zero:.2}%\" y1=\"0\" y2=\"18\"/></svg></td>\
                 <td class=\"number\">{}</td></tr>\n",
                name(label, LONGEST_NAME),
                to - from,
                aligned(*value, decimals)
            );
        }
        page.push_str("</tbody>\n");
        if self.others > 0 {
            let left = count(self.others as u64);
            put!(page, "<tfoot><tr><td colspan=\"3\">{left} smaller ones are not shown</td></tr></tfoot>\n");
        }
        page.push_str("</table>\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minimum() -> Minimum {
        Minimum {
            title: "<P.toml>".to_owned(),
            trace: vec![(1, 3.0), (5, f64::NAN), (9, 1.0), (13, 2.0)],
            coordinates: vec![("a & b".to_owned(), -2.0), ("c".to_owned(), 1.0)],
            others: 3,
            ..Minimum::default()
        }
    }

    #[test]
    fn the_curve_shows_the_best_so_far_and_leaves_out_what_is_not_known() {
        assert_eq!(minimum().best_so_far(), [(1, 3.0), (9, 1.0), (13, 1.0)]);
    }

    #[test]
    fn a_page_is_whole_and_safe_even_if_there_is_nothing_to_show() {
        let page = minimum().to_html();
        assert!(page.contains("&lt;P.toml&gt;") && page.contains("a &amp; b") && !page.contains("<P.toml>"));
        assert!(page.contains("x=\"0.00%\"") && page.contains("width=\"66.67%\""), "{page}");
        let page = Minimum::default().to_html();
        assert!(page.contains("No number was recorded") && page.ends_with("</html>\n"));
    }
}
