//! The page over many reports: failures first, then one row each.

use gradless_explain::features::Kind;
use gradless_explain::{Answer, Attacked};
use serde::{Deserialize, Serialize};

use super::{Page, Subject};
use crate::format::{count, grouped, number, plural, seconds};
use crate::html::{LONGEST_NAME, escape, image, isolated, name, page, put, relative};
use crate::missing;
use crate::picture::{Picture, PictureError};

/// Pictures in the table are at most this wide and high.
const THUMBNAIL: usize = 96;

/// File names longer than this are cut.
const LONGEST_FILE: usize = 60;

/// One explained input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IndexEntry {
    /// What was explained, such as the file's name.
    pub name: String,
    /// Where its report is, from the index page's folder, with `/` between folders; empty if there is none.
    pub link: String,
    /// The input, if it could be read.
    pub picture: Option<Picture>,
    /// The name of the class the model gives it.
    pub class: String,
    /// What was searched for.
    pub outcomes: Vec<Outcome>,
    /// Why it could not be explained at all.
    pub error: Option<String>,
    /// Duration.
    #[serde(deserialize_with = "missing::number")]
    pub seconds: f64,
}

/// One answer in a row of the index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// `pp` for a part, `pn` for a change.
    pub mode: String,
    /// Whether a valid answer was found.
    pub valid: bool,
    /// The name of the class the model gives the answer.
    pub class: String,
    /// The answer drawn on the input.
    pub picture: Option<Picture>,
    /// What is kept or changed.
    #[serde(default)]
    pub kind: Kind,
    /// Pixels, columns or words kept or changed.
    pub pixels: usize,
    /// Sum of the absolute values.
    #[serde(deserialize_with = "missing::number")]
    pub norm_l1: f64,
    /// Queries asked.
    pub queries: u64,
    /// How small an attack has made its change, and when.
    #[serde(default)]
    pub attack: Option<Attacked>,
}

impl IndexEntry {
    /// The row of a report. Pictures are made small.
    pub fn of(page_data: &Page, name: impl Into<String>, link: impl Into<String>) -> Self {
        let is_picture = page_data.subject == Subject::Picture;
        let small = |drawn: Result<Picture, PictureError>| {
            drawn.ok().filter(|_| is_picture).map(|drawn| drawn.shrunk(THUMBNAIL))
        };
        let outcome = |answer: &Answer| {
            let overlay = page_data.frame.overlay(&page_data.input, answer);
            Outcome {
                mode: answer.mode.clone(),
                valid: answer.valid,
                class: page_data.class_name(answer.explanation.class),
                picture: small(overlay),
                kind: answer.features.kind,
                pixels: answer.pixels,
                norm_l1: answer.norm_l1,
                queries: answer.queries,
                attack: answer.attack.clone(),
            }
        };
        Self {
            name: name.into(),
            link: link.into(),
            picture: small(page_data.frame.picture(&page_data.input)),
            class: page_data.class_name(page_data.original_class()),
            outcomes: page_data.answers.iter().map(outcome).collect(),
            error: None,
            seconds: page_data.seconds,
        }
    }

    /// 0: not explained; 1: something was not found; 2: all is well.
    fn rank(&self) -> u8 {
        match &self.error {
            Some(_) => 0,
            None if self.outcomes.iter().any(|outcome| !outcome.valid) => 1,
            None => 2,
        }
    }
}

/// The index page: one HTML file that fetches nothing and runs nothing, with relative links to the reports.
///
/// Inputs that could not be explained come first, then those where something was not found, each in the order given.
pub fn index_html(entries: &[IndexEntry]) -> String {
    let mut sorted: Vec<&IndexEntry> = entries.iter().collect();
    sorted.sort_by_key(|entry| entry.rank());
    let title = plural(entries.len(), "image");
    let mut body = format!("<header>\n<p class=\"brow\">Contrastive explanations</p>\n<h1>{title}</h1>\n");
    summary(entries, &mut body);
    body.push_str("</header>\n<main>\n");
    if !entries.is_empty() {
        body.push_str(
            "<table class=\"index\">\n<caption>All inputs, failures first</caption>\n<thead><tr>\
             <th scope=\"col\">Input</th><th scope=\"col\">Class</th><th scope=\"col\">What is enough</th>\
             <th scope=\"col\">What would change it</th><th scope=\"col\" class=\"number\">Time</th></tr>\
             </thead>\n<tbody>\n",
        );
        for entry in sorted {
            row(entry, &mut body);
        }
        body.push_str("</tbody>\n</table>\n");
    }
    body.push_str("</main>\n");
    page(&title, &body)
}

fn summary(entries: &[IndexEntry], page: &mut String) {
    page.push_str("<div class=\"headline summary\">\n");
    for (mode, words) in [("pp", "What is enough"), ("pn", "What would change it")] {
        let outcomes =
            || entries.iter().flat_map(|entry| &entry.outcomes).filter(|outcome| outcome.mode == mode);
        let asked = outcomes().count();
        if asked == 0 {
            continue;
        }
        let valid = outcomes().filter(|outcome| outcome.valid).count();
        let rate = number((1000.0 * valid as f64 / asked as f64).floor() / 10.0);
        let mut sentence =
            format!("{words}: {} of {} valid ({rate} %).", count(valid as u64), count(asked as u64));
        let median_of =
            |value: fn(&Outcome) -> f64| median(outcomes().filter(|outcome| outcome.valid).map(value));
        if let (Some(pixels), Some(l1), Some(queries)) = (
            median_of(|outcome| outcome.pixels as f64),
            median_of(|outcome| outcome.norm_l1),
            median_of(|outcome| outcome.queries as f64),
        ) {
            let (pixels, l1, queries) = (number(pixels), number(l1), grouped(queries));
            put!(
                sentence,
                " <span class=\"caption\">Medians: {pixels} pixels, l1 {l1}, {queries} queries.</span>"
            );
        }
        put!(page, "<p>{sentence}</p>\n");
    }
    let failed = entries.iter().filter(|entry| entry.error.is_some()).count();
    if failed > 0 {
        put!(
            page,
            "<p class=\"missed\"><strong>{} could not be explained.</strong></p>\n",
            plural(failed, "input")
        );
    }
    page.push_str("</div>\n");
}

/// The middle value, or the mean of the two in the middle.
fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let high = *values.get(middle)?;
    Some(if values.len() % 2 == 1 { high } else { f64::midpoint(values[middle - 1], high) })
}

fn row(entry: &IndexEntry, page: &mut String) {
    let shown = name(&entry.name, LONGEST_FILE);
    let linked = match entry.link.as_str() {
        "" => shown,
        link => format!("<a href=\"{}\">{shown}</a>", escape(&relative(link))),
    };
    let thumbnail = thumbnail(entry.picture.as_ref(), "The input");
    put!(page, "<tr><th scope=\"row\"><div class=\"cell\">{thumbnail}<span>{linked}</span></div></th>");
    if let Some(error) = &entry.error {
        put!(
            page,
            "<td colspan=\"4\" data-label=\"Not explained\"><span class=\"missed\">{}</span></td></tr>\n",
            isolated(error)
        );
        return;
    }
    put!(page, "<td data-label=\"Class\">{}</td>", name(&entry.class, LONGEST_NAME));
    for (mode, label) in [("pp", "What is enough"), ("pn", "What would change it")] {
        put!(page, "<td data-label=\"{label}\">");
        for outcome in entry.outcomes.iter().filter(|outcome| outcome.mode == mode) {
            answer(outcome, page);
        }
        page.push_str("</td>");
    }
    put!(page, "<td class=\"number\" data-label=\"Time\">{}</td></tr>\n", seconds(entry.seconds));
}

fn answer(outcome: &Outcome, page: &mut String) {
    let (class, word) = if outcome.valid { ("found", "valid") } else { ("missed", "not found") };
    let becomes = match outcome.mode.as_str() {
        "pn" if outcome.valid => format!(" → {}", name(&outcome.class, LONGEST_NAME)),
        _ => String::new(),
    };
    put!(
        page,
        "<div class=\"cell\">{}<span><span class=\"state {class}\">{word}</span>{becomes}<br>\
         <span class=\"caption\">{}, l1 {}, {} queries</span></span></div>",
        thumbnail(outcome.picture.as_ref(), "The answer drawn on the input"),
        plural(outcome.pixels, "pixel"),
        number(outcome.norm_l1),
        count(outcome.queries)
    );
}

fn thumbnail(picture: Option<&Picture>, alt: &str) -> String {
    match picture {
        Some(picture) => image(&picture.shrunk(THUMBNAIL), alt),
        None => "<span class=\"empty\" aria-hidden=\"true\">?</span>".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn the_median_skips_what_is_not_a_number() {
        assert_eq!(median([3.0, f64::NAN, 1.0, 2.0].into_iter()), Some(2.0));
        assert_eq!(median([4.0, 1.0].into_iter()), Some(2.5));
        assert_eq!(median(std::iter::empty()), None);
    }
}
