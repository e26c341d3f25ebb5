//! The part of the page about one question: numbers, scores, curves, how sure, what it cost.

use gradless_explain::answer::Counted;
use gradless_explain::features::Kind;
use gradless_explain::{Answer, Attacked, Confidence, Minimal, Norm, Step, Strategy};

use super::regions::percent;
use super::subject::{Subject, title};
use super::{Page, belief, scores};
use crate::curve::Curve;
use crate::format::{count, grouped, number, plural, seconds};
use crate::html::{isolated, name, put};

/// A curve of fewer steps shows nothing.
const FEWEST: usize = 3;

pub(super) fn write(page_data: &Page, answer: &Answer, index: usize, page: &mut String) {
    let (title, term) = (title(answer), answer.question.term());
    let (class, state) = if answer.valid { ("found", "valid") } else { ("missed", "not found") };
    put!(
        page,
        "<section class=\"case\" aria-labelledby=\"case-{index}\">\n<h2 id=\"case-{index}\">{title} \
         <span class=\"term\">{term}</span> <span class=\"state {class}\">{state}</span></h2>\n"
    );
    figures(page_data, answer, page);
    belief::write(page_data, answer, page);
    page.push_str("<div class=\"columns\">\n");
    scores::write(page_data, answer, page);
    if answer.steps.is_empty() {
        page.push_str("<p class=\"note\">No trace was recorded: there are no curves to show.</p>\n");
    } else if answer.located.is_some() {
        let cost = |step: &Step| 100.0 * step.objective.unwrap_or(f64::NAN);
        Curve { title: "Percent of the picture, more for pieces,", value: cost, from_zero: true }
            .write(answer, page);
        let regions = |step: &Step| step.nonzeros as f64;
        Curve { title: "Regions", value: regions, from_zero: true }.write(answer, page);
    } else if answer.steps.len() >= FEWEST {
        let objective = |step: &Step| step.objective.unwrap_or(f64::NAN);
        match &answer.attack {
            Some(Attacked { norm, .. }) => {
                Curve { title: smallest(*norm), value: objective, from_zero: true }.write(answer, page);
            }
            None => Curve { title: "Objective", value: objective, from_zero: false }.write(answer, page),
        }
        Curve { title: "l1 norm", value: |step| step.norm_l1, from_zero: true }.write(answer, page);
    }
    page.push_str("</div>\n<div class=\"columns two\">\n");
    sureness(answer, page);
    cost(answer, page);
    page.push_str("</div>\n</section>\n");
}

/// What the curve of an attack shows.
fn smallest(norm: Norm) -> &'static str {
    match norm {
        Norm::Pixels => "Fewest features changed",
        Norm::Numbers => "Fewest numbers changed",
        Norm::L1 => "Smallest l1 norm",
        Norm::L2 => "Smallest l2 norm",
        Norm::Linf => "Smallest largest change",
    }
}

/// The four numbers people look for first.
fn figures(page_data: &Page, answer: &Answer, page: &mut String) {
    let Counted { kind, used, .. } = answer.features;
    let unit = match (answer.is_part(), kind) {
        (true, _) => "kept",
        (false, Kind::Regions) => "taken away",
        (false, _) => "changed",
    };
    let values = match (&page_data.subject, page_data.frame.channels) {
        (Subject::Table(_) | Subject::Text(_), _) | (_, 1) => String::new(),
        _ if answer.located.is_some() => String::new(),
        _ => format!(", {}", plural(answer.nonzeros, "value")),
    };
    let [before, after] =
        [answer.original.class, answer.explanation.class].map(|class| name(&page_data.class_name(class), 20));
    let (label, class) = if answer.explanation.class == answer.original.class {
        ("class, as before", after)
    } else {
        ("class before → after", format!("{before} → {after}"))
    };
    let things = if used == 1 { kind.one() } else { kind.many() };
    let mut entries = vec![
        (format!("{things} {unit}{values}"), count(used as u64)),
        (label.to_owned(), class),
        ("margin".to_owned(), number(answer.margin)),
    ];
    entries.extend(answer.stability.as_ref().map(belief::bound));
    let linf =
        answer.attack.as_ref().map_or_else(String::new, |told| format!(", linf: {}", number(told.norm_linf)));
    entries.push(match &answer.located {
        Some(located) => {
            (format!("of the picture, in {}", plural(located.pieces, "piece")), percent(located.area))
        }
        None => (format!("l1 norm (l2: {}{linf})", number(answer.norm_l2)), number(answer.norm_l1)),
    });
    entries.push(("queries".to_owned(), count(answer.queries)));
    page.push_str("<dl class=\"figures-row\">\n");
    for (label, value) in entries {
        put!(page, "<div><dt>{label}</dt><dd>{value}</dd></div>\n");
    }
    page.push_str("</dl>\n");
}

fn sureness(answer: &Answer, page: &mut String) {
    page.push_str("<section>\n<h3>How sure</h3>\n<dl class=\"facts\">\n");
    fact("Margin", &margin(answer), page);
    if let Some(p) = answer.confidence.answer {
        let was =
            answer.confidence.original.map_or_else(String::new, |p| format!("; {} for the input", number(p)));
        fact("Probability of its class", &format!("{}{was}", number(p)), page);
    }
    match answer.confidence.asked {
        Confidence::Share(0.0) => {}
        Confidence::Share(share) => {
            fact("Confidence asked for", &format!("{} % of the input's margin", number(100.0 * share)), page);
        }
        Confidence::Probability(p) => fact("Confidence asked for", &format!("p = {}", number(p)), page),
    }
    if let Some(kappa) = answer.kappa {
        fact("Margin asked for", &format!("κ = {}", number(kappa)), page);
    }
    let minimal = match (answer.minimal, answer.is_part()) {
        (Minimal::Checked, _) if answer.strategy == Strategy::Eliminate => {
            "yes: without any one of its pieces it does not hold".to_owned()
        }
        (Minimal::Checked, true) if answer.located.is_some() => {
            "yes: without any one of these regions it does not hold".to_owned()
        }
        (Minimal::Checked, true) => {
            format!("yes: without any one of these {} the class is lost", answer.features.kind.many())
        }
        (Minimal::Checked, false) if answer.located.is_some() => {
            "yes: with any one of these regions back it does not hold".to_owned()
        }
        (Minimal::Checked, false) => "yes: with any one of these changes undone the class stays".to_owned(),
        (Minimal::BudgetEnded, _) => "not known: the search ended before every part was tried".to_owned(),
        (Minimal::NotAsked, _) => "not checked: it was not asked for".to_owned(),
    };
    fact("Nothing to spare", &minimal, page);
    let agreement = answer
        .agreement
        .as_ref()
        .map_or_else(|| "not asked for".to_owned(), |told| isolated(&told.sentence()));
    fact("Agreement over seeds", &agreement, page);
    page.push_str("</dl>\n</section>\n");
}

fn margin(answer: &Answer) -> String {
    let (margin, noise) = (number(answer.margin), number(answer.noise_floor));
    if !answer.margin.is_finite() {
        return "not known".to_owned();
    }
    if !answer.noise_floor.is_finite() {
        return format!("{margin}; the noise floor is not known");
    }
    if answer.noise_floor <= 0.0 {
        return format!("{margin}; the model has no measurable noise");
    }
    let times = answer.margin / answer.noise_floor;
    let relation = match times {
        1e6.. => format!("more than a million times the noise floor of {noise}"),
        2.0.. => format!("{} times the noise floor of {noise}", grouped(times)),
        1.0.. => format!("barely above the noise floor of {noise}"),
        0.0.. => format!("<strong>within the noise floor of {noise}</strong>"),
        _ => format!("<strong>the class condition fails</strong>; noise floor {noise}"),
    };
    format!("{margin}, {relation}")
}

fn cost(answer: &Answer, page: &mut String) {
    page.push_str("<section>\n<h3>What it cost</h3>\n<dl class=\"facts\">\n");
    let sent = match answer.sent {
        sent if sent == answer.queries => String::new(),
        sent if sent < answer.queries => format!(", {} of them sent: the others were known", count(sent)),
        sent => format!(", {} sent with repeats", count(sent)),
    };
    fact("Queries", &format!("{}{sent}", count(answer.queries)), page);
    let at = |queries: Option<u64>| {
        queries.map_or_else(|| "never".to_owned(), |at| format!("after {} queries", count(at)))
    };
    fact("First valid", &at(answer.first_valid), page);
    fact("Best valid", &at(answer.best_valid), page);
    fact("Time", &seconds(answer.seconds), page);
    fact("Ended because", &isolated(&answer.stop_reason), page);
    page.push_str("</dl>\n</section>\n");
}

fn fact(label: &str, value: &str, page: &mut String) {
    put!(page, "<div><dt>{label}</dt><dd>{value}</dd></div>\n");
}
