//! The part of the page about one question: numbers, scores, curves, how sure, what it cost.

use super::curve::Curve;
use super::format::{count, grouped, number, plural, seconds};
use super::html::{isolated, name, put};
use super::{Case, Minimal, Mode, Report, scores};

pub(super) fn write(report: &Report, case: &Case, index: usize, page: &mut String) {
    let (title, term) = match case.mode {
        Mode::PertinentPositive => ("What is enough", "pertinent positive"),
        Mode::PertinentNegative => ("What would change it", "pertinent negative"),
    };
    let (class, state) = if case.valid { ("found", "valid") } else { ("missed", "not found") };
    put!(
        page,
        "<section class=\"case\" aria-labelledby=\"case-{index}\">\n<h2 id=\"case-{index}\">{title} \
         <span class=\"term\">{term}</span> <span class=\"state {class}\">{state}</span></h2>\n"
    );
    figures(report, case, page);
    page.push_str("<div class=\"columns\">\n");
    scores::write(report, case, page);
    if case.trace.is_empty() {
        page.push_str("<p class=\"note\">No trace was recorded: there are no curves to show.</p>\n");
    } else {
        Curve { title: "Objective", value: |moment| moment.objective, from_zero: false }.write(case, page);
        Curve { title: "l1 norm", value: |moment| moment.norm_l1, from_zero: true }.write(case, page);
    }
    page.push_str("</div>\n<div class=\"columns two\">\n");
    sureness(case, page);
    cost(case, page);
    page.push_str("</div>\n</section>\n");
}

/// The four numbers people look for first.
fn figures(report: &Report, case: &Case, page: &mut String) {
    let (brighter, darker) = report.marked_pixels(case);
    let pixels = brighter + darker;
    let unit = match case.mode {
        Mode::PertinentPositive => "kept",
        Mode::PertinentNegative => "changed",
    };
    let values = match report.original.channels() {
        1 => String::new(),
        _ => format!(", {}", plural(case.nonzeros, "value")),
    };
    let [before, after] =
        [report.original_class, case.class].map(|class| name(&report.class_name(class), 20));
    let (label, class) = if case.class == report.original_class {
        ("class, as before", after)
    } else {
        ("class before → after", format!("{before} → {after}"))
    };
    let pixel = if pixels == 1 { "pixel" } else { "pixels" };
    let entries = [
        (format!("{pixel} {unit}{values}"), count(pixels as u64)),
        (label.to_owned(), class),
        ("margin".to_owned(), number(case.margin)),
        (format!("l1 norm (l2: {})", number(case.norm_l2)), number(case.norm_l1)),
        ("queries".to_owned(), count(case.queries)),
    ];
    page.push_str("<dl class=\"figures-row\">\n");
    for (label, value) in entries {
        put!(page, "<div><dt>{label}</dt><dd>{value}</dd></div>\n");
    }
    page.push_str("</dl>\n");
}

fn sureness(case: &Case, page: &mut String) {
    page.push_str("<section>\n<h3>How sure</h3>\n<dl class=\"facts\">\n");
    fact("Margin", &margin(case), page);
    if let Some(kappa) = case.kappa {
        fact("Margin asked for", &format!("κ = {}", number(kappa)), page);
    }
    let minimal = match (case.minimal, case.mode) {
        (Minimal::Checked, Mode::PertinentPositive) => {
            "yes: without any one of these pixels the class is lost"
        }
        (Minimal::Checked, Mode::PertinentNegative) => {
            "yes: with any one of these changes undone the class stays"
        }
        (Minimal::BudgetEnded, _) => "not known: the search ended before every part was tried",
        (Minimal::NotAsked, _) => "not checked: it was not asked for",
    };
    fact("Nothing to spare", minimal, page);
    let agreement = case.agreement.as_deref().map_or_else(|| "not asked for".to_owned(), isolated);
    fact("Agreement over seeds", &agreement, page);
    page.push_str("</dl>\n</section>\n");
}

fn margin(case: &Case) -> String {
    let (margin, noise) = (number(case.margin), number(case.noise));
    if !case.margin.is_finite() {
        return "not known".to_owned();
    }
    if !case.noise.is_finite() {
        return format!("{margin}; the noise floor is not known");
    }
    if case.noise <= 0.0 {
        return format!("{margin}; the model has no measurable noise");
    }
    let times = case.margin / case.noise;
    let relation = match times {
        1e6.. => format!("more than a million times the noise floor of {noise}"),
        2.0.. => format!("{} times the noise floor of {noise}", grouped(times)),
        1.0.. => format!("barely above the noise floor of {noise}"),
        0.0.. => format!("<strong>within the noise floor of {noise}</strong>"),
        _ => format!("<strong>the class condition fails</strong>; noise floor {noise}"),
    };
    format!("{margin}, {relation}")
}

fn cost(case: &Case, page: &mut String) {
    page.push_str("<section>\n<h3>What it cost</h3>\n<dl class=\"facts\">\n");
    let sent = match case.sent {
        sent if sent == case.queries => String::new(),
        sent => format!(", {} sent with repeats", count(sent)),
    };
    fact("Queries", &format!("{}{sent}", count(case.queries)), page);
    let at = |queries: Option<u64>| {
        queries.map_or_else(|| "never".to_owned(), |at| format!("after {} queries", count(at)))
    };
    fact("First valid", &at(case.first_valid), page);
    fact("Best valid", &at(case.best_valid), page);
    fact("Time", &seconds(case.seconds), page);
    fact("Ended because", &isolated(&case.stop_reason), page);
    page.push_str("</dl>\n</section>\n");
}

fn fact(label: &str, value: &str, page: &mut String) {
    put!(page, "<div><dt>{label}</dt><dd>{value}</dd></div>\n");
}
