//! What frames the answers: the headline above, and below all that is needed to repeat the run.

use super::Page;
use crate::format::seconds;
use crate::html::{escape, isolated, put};

pub(super) fn header(page_data: &Page, page: &mut String) {
    put!(
        page,
        "<header>\n<p class=\"brow\">{}</p>\n<h1>{}</h1>\n<div class=\"headline\">\n",
        if page_data.is_attack() { "Attack" } else { "Contrastive explanation" },
        isolated(&page_data.title)
    );
    for answer in &page_data.answers {
        if answer.valid {
            put!(page, "<p>{}</p>\n", isolated(&answer.sentence));
        } else {
            let term = if answer.is_part() { "Nothing found that is enough." } else { "No change found." };
            put!(page, "<p class=\"missed\"><strong>{term}</strong> {}</p>\n", isolated(&answer.sentence));
        }
        if let Some(hint) = &answer.hint {
            put!(page, "<p class=\"note\">Hint: {}</p>\n", isolated(hint));
        }
    }
    // The same for every question.
    if let Some(warning) = page_data.answers.first().and_then(|answer| answer.warning.as_ref()) {
        put!(page, "<p class=\"note\">Note: {}</p>\n", isolated(warning));
    }
    if page_data.answers.is_empty() {
        page.push_str("<p class=\"missed\"><strong>Nothing was searched for.</strong></p>\n");
    }
    page.push_str("</div>\n</header>\n");
}

pub(super) fn write(page_data: &Page, page: &mut String) {
    page.push_str(
        "<section class=\"record\" aria-labelledby=\"record\">\n<h2 id=\"record\">The record</h2>\n",
    );
    page.push_str("<h3>To repeat it</h3>\n");
    put!(page, "<pre><code>{}</code></pre>\n<div class=\"columns two\">\n", escape(&page_data.command));
    let run = [
        ("seed", page_data.seed.to_string()),
        ("time", seconds(page_data.seconds)),
        ("gradless", page_data.version.clone()),
    ];
    let run = run.map(|(name, value)| (name.to_owned(), value));
    table("Settings", page_data.settings.iter().chain(&run), page);
    table("Model", page_data.model.iter(), page);
    page.push_str("</div>\n</section>\n");
}

pub(crate) fn table<'a>(caption: &str, rows: impl Iterator<Item = &'a (String, String)>, page: &mut String) {
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return;
    }
    put!(page, "<table class=\"pairs\">\n<caption>{caption}</caption>\n<tbody>\n");
    for (name, value) in rows {
        put!(page, "<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", isolated(name), isolated(value));
    }
    page.push_str("</tbody>\n</table>\n");
}
