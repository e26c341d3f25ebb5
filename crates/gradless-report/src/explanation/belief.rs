//! Whether to believe an answer: how sure the model is, what disturbed copies are, what others say.

use gradless_explain::Answer;
use gradless_explain::condition::Survival;

use super::Page;
use super::subject::Subject;
use crate::format::number;
use crate::html::{LONGEST_NAME, image, isolated, name, put};

/// Copies with more columns than this are drawn larger.
const WIDE: usize = 64;

/// Bars of the margin, a strip of disturbed copies, the certificate, and other opinions.
pub(super) fn write(page_data: &Page, answer: &Answer, page: &mut String) {
    page.push_str("<div class=\"belief\">\n");
    bars(answer, page);
    if let Some(survival) = &answer.stability {
        copies(page_data, survival, page);
    }
    opinions(page_data, answer, page);
    page.push_str("</div>\n");
}

/// The margin of the answer beside that of the input, and what was asked.
fn bars(answer: &Answer, page: &mut String) {
    let Some(share) = answer.confidence.share.filter(|share| share.is_finite()) else { return };
    let asked = match answer.confidence.asked {
        gradless_explain::Confidence::Share(asked) if asked > 0.0 => Some(asked),
        _ => None,
    };
    let most = share.max(1.0).max(asked.unwrap_or(0.0));
    let width = |share: f64| 100.0 * share.clamp(0.0, most) / most;
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    page.push_str("<table class=\"sure\">\n<caption>Margin of the class, as a share of the input's</caption>\n<tbody>\n");
    let probability = |p: Option<f64>| p.map_or_else(String::new, |p| format!(" (p = {p:.2})"));
    let rows = [
        ("input", "before", 1.0, probability(answer.confidence.original)),
        ("answer", "after", share, probability(answer.confidence.answer)),
    ];
    for (label, class, value, p) in rows {
        let mark = asked.map_or_else(String::new, |asked| {
            format!("<line x1=\"{0:.1}\" x2=\"{0:.1}\" y1=\"0\" y2=\"18\"/>", width(asked))
        });
        put!(
            page,
            "<tr><th scope=\"row\">{label}</th><td class=\"bars\"><svg viewBox=\"0 0 100 18\" preserveAspectRatio=\"none\" \
             aria-hidden=\"true\"><rect class=\"{class}\" x=\"0\" y=\"3\" width=\"{:.1}\" height=\"12\"/>{mark}</svg></td>\
             <td class=\"number\">{}{p}</td></tr>\n",
            width(value),
            percent(value)
        );
    }
    let note = asked.map_or_else(String::new, |asked| {
        format!(
            "<tfoot><tr><td colspan=\"3\">The line marks what was asked: {}.</td></tr></tfoot>\n",
            percent(asked)
        )
    });
    put!(page, "</tbody>\n{note}</table>\n");
}

/// A few disturbed copies with the class of each, and what all of them say.
fn copies(page_data: &Page, survival: &Survival, page: &mut String) {
    let wide = if page_data.frame.columns > WIDE { " wide" } else { "" };
    put!(page, "<section class=\"copies{wide}\">\n<h3>Disturbed copies</h3>\n<div class=\"row\">\n");
    let drawn = page_data.subject == Subject::Picture;
    for copy in survival.copies.iter().filter(|_| drawn) {
        let class = page_data.class_name(copy.class);
        let (state, word) = if copy.holds { ("found", "holds") } else { ("missed", "lost") };
        let picture = match page_data.frame.picture(&copy.input) {
            Ok(picture) => image(&picture, &format!("A disturbed copy, classified as {class}: {word}")),
            Err(_) => String::new(),
        };
        put!(
            page,
            "<figure>{picture}<figcaption class=\"state {state}\">{}</figcaption></figure>\n",
            name(&class, 12)
        );
    }
    put!(page, "</div>\n<p class=\"note\">{}.</p>\n</section>\n", isolated(&survival.sentence()));
}

/// How plausible the answer is, and what other models say of it.
fn opinions(page_data: &Page, answer: &Answer, page: &mut String) {
    match &answer.plausibility {
        Some(plausibility) => {
            put!(page, "<p class=\"note\">Plausibility: {}.</p>\n", isolated(&plausibility.sentence()));
        }
        None if !answer.is_part()
            && answer.stability.is_some()
            && answer.located.is_none()
            && page_data.subject == Subject::Picture => page.push_str(
            "<p class=\"note\">No examples were given. With inputs like this one (<code>--examples DIR</code>) a change is made of \
             what occurs in them, and other models agree with it more often.</p>\n",
        ),
        None => {}
    }
    if answer.second_opinions.is_empty() {
        return;
    }
    page.push_str(
        "<table class=\"opinions\">\n<caption>What other models say; the search does not know them</caption>\n<thead><tr>\
         <th scope=\"col\">model</th><th scope=\"col\">of the input</th><th scope=\"col\">of the answer</th></tr></thead>\n<tbody>\n",
    );
    for opinion in &answer.second_opinions {
        let class = |class: usize| name(&page_data.class_name(class), LONGEST_NAME);
        let (state, word) = if opinion.agrees { ("found", "agrees") } else { ("missed", "disagrees") };
        put!(
            page,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{} <span class=\"state {state}\">{word}</span></td></tr>\n",
            isolated(&opinion.model),
            class(opinion.original),
            class(opinion.answer)
        );
    }
    page.push_str("</tbody>\n</table>\n");
}

/// The lower bound and the radius in the figures of an answer.
pub(super) fn bound(survival: &Survival) -> (String, String) {
    let radius =
        survival.radius.map_or_else(String::new, |radius| format!(" (l2 radius: {})", number(radius)));
    (
        format!("hold when disturbed, at least{radius}"),
        format!("{:.1} %", (1000.0 * survival.lower_bound).floor() / 10.0),
    )
}
