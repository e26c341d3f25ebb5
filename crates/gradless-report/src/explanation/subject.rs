//! What an input is, if it is no picture: a row of a table, or a text with its words marked.

use gradless_explain::Answer;
use serde::{Deserialize, Serialize};

use super::Page;
use crate::format::number;
use crate::html::{LONGEST_NAME, escape, isolated, name, put};

/// What the page shows of an input.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    /// Its picture.
    #[default]
    Picture,
    /// Its columns.
    Table(Row),
    /// Its words.
    Text(Text),
}

/// A row of a table, its values as people write them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Names and values of all columns.
    pub columns: Vec<(String, String)>,
    /// For every answer what it keeps or changes.
    pub answers: Vec<Vec<Lever>>,
}

/// A column that an answer keeps or changes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lever {
    /// Its name.
    pub column: String,
    /// Its value before; for a part the typical one.
    pub before: String,
    /// Its value in the answer.
    pub after: String,
    /// What the change costs, in units of the column.
    pub cost: Option<f64>,
}

/// A text in pieces.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Text {
    /// Pieces in their order: the text of each, and its switch if it has one.
    pub pieces: Vec<(String, Option<usize>)>,
    /// What may stand in place of the words of every switch.
    pub candidates: Vec<Vec<String>>,
}

/// The row, and for every answer its levers.
pub(super) fn write_row(page_data: &Page, row: &Row, page: &mut String) {
    page.push_str("<section class=\"strip\" aria-label=\"Columns\">\n<div class=\"group one\">\n<p class=\"label\">Input</p>\n");
    page.push_str("<table class=\"levers\">\n<thead><tr><th scope=\"col\">column</th><th scope=\"col\">value</th></tr></thead>\n<tbody>\n");
    for (column, value) in &row.columns {
        put!(
            page,
            "<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n",
            name(column, LONGEST_NAME),
            isolated(value)
        );
    }
    page.push_str("</tbody>\n</table>\n</div>\n");
    for (answer, levers) in page_data.answers.iter().zip(&row.answers) {
        put!(page, "<div class=\"group two\">\n<p class=\"label\">{}</p>\n", title(answer));
        if levers.is_empty() {
            page.push_str("<p class=\"note\">Nothing.</p>\n</div>\n");
            continue;
        }
        let heads =
            if answer.is_part() { ["column", "kept", "typical"] } else { ["column", "before", "after"] };
        let heads = heads.map(|head| format!("<th scope=\"col\">{head}</th>")).concat();
        let costs = !answer.is_part() && levers.iter().any(|lever| lever.cost.is_some());
        let cost = if costs { "<th scope=\"col\">cost</th>" } else { "" };
        put!(page, "<table class=\"levers\">\n<thead><tr>{heads}{cost}</tr></thead>\n<tbody>\n");
        for lever in levers {
            let (first, second) = if answer.is_part() {
                (format!("<mark class=\"kept\">{}</mark>", isolated(&lever.after)), isolated(&lever.before))
            } else {
                (isolated(&lever.before), format!("<mark class=\"added\">{}</mark>", isolated(&lever.after)))
            };
            let cost = match lever.cost {
                _ if !costs => String::new(),
                Some(cost) => format!("<td class=\"number\">{}</td>", number(cost)),
                None => "<td></td>".to_owned(),
            };
            let column = name(&lever.column, LONGEST_NAME);
            put!(page, "<tr><th scope=\"row\">{column}</th><td>{first}</td><td>{second}</td>{cost}</tr>\n");
        }
        page.push_str("</tbody>\n</table>\n</div>\n");
    }
    page.push_str("</section>\n");
}

/// The text once for every answer, its words marked.
pub(super) fn write_text(page_data: &Page, text: &Text, page: &mut String) {
    page.push_str("<section class=\"strip\" aria-label=\"Text\">\n");
    for answer in &page_data.answers {
        put!(
            page,
            "<div class=\"group text\">\n<p class=\"label\">{}</p>\n<p class=\"words\">",
            title(answer)
        );
        for (piece, switch) in &text.pieces {
            marked(answer, text, piece, *switch, page);
        }
        page.push_str("</p>\n</div>\n");
    }
    page.push_str("</section>\n");
}

/// One piece, and what became of it.
fn marked(answer: &Answer, text: &Text, piece: &str, switch: Option<usize>, page: &mut String) {
    let shown = escape(piece);
    let Some(switch) = switch else {
        page.push_str(&shown);
        return;
    };
    // A switch is off at 0, as it is at 1, and replaced by one of its candidates from 2 on.
    let state = answer.after.get(switch).copied().unwrap_or(1.0);
    let is_used = answer.used.contains(&switch);
    match (is_used, answer.is_part()) {
        (true, true) => put!(page, "<mark class=\"kept\">{shown}</mark>"),
        (false, true) => put!(page, "<span class=\"absent\">{shown}</span>"),
        (false, false) => page.push_str(&shown),
        (true, false) => {
            put!(page, "<del class=\"removed\">{shown}</del>");
            let candidates = text.candidates.get(switch).map_or(&[][..], Vec::as_slice);
            let new = candidates.iter().zip(2_u32..).find(|(_, number)| f64::from(*number) == state.round());
            if let Some((new, _)) = new {
                put!(page, " <ins class=\"added\">{}</ins>", escape(new));
            }
        }
    }
}

/// What an answer is called; the second and later ones to the same question are told apart.
pub(super) fn title(answer: &Answer) -> String {
    match answer.alternative {
        0 => answer.question.title().to_owned(),
        other => format!("{}: another answer ({})", answer.question.title(), other + 1),
    }
}
