//! What frames the answers: the headline above, and below all that is needed to repeat the run.

use super::format::seconds;
use super::html::{escape, isolated, put};
use super::{Mode, Report};

pub(super) fn header(report: &Report, page: &mut String) {
    put!(
        page,
        "<header>\n<p class=\"brow\">Contrastive explanation</p>\n<h1>{}</h1>\n<div class=\"headline\">\n",
        isolated(&report.title)
    );
    for case in &report.cases {
        if case.valid {
            put!(page, "<p>{}</p>\n", isolated(&case.explanation));
        } else {
            let term = match case.mode {
                Mode::PertinentPositive => "Nothing found that is enough.",
                Mode::PertinentNegative => "No change found.",
            };
            put!(page, "<p class=\"missed\"><strong>{term}</strong> {}</p>\n", isolated(&case.explanation));
        }
    }
    if report.cases.is_empty() {
        page.push_str("<p class=\"missed\"><strong>Nothing was searched for.</strong></p>\n");
    }
    page.push_str("</div>\n</header>\n");
}

pub(super) fn write(report: &Report, page: &mut String) {
    page.push_str(
        "<section class=\"record\" aria-labelledby=\"record\">\n<h2 id=\"record\">The record</h2>\n",
    );
    page.push_str("<h3>To repeat it</h3>\n");
    put!(page, "<pre><code>{}</code></pre>\n<div class=\"columns two\">\n", escape(&report.command));
    let run = [
        ("seed", report.seed.to_string()),
        ("time", seconds(report.seconds)),
        ("gradless", report.version.clone()),
    ];
    let run = run.map(|(name, value)| (name.to_owned(), value));
    table("Settings", report.settings.iter().chain(&run), page);
    table("Model", report.model.iter(), page);
    page.push_str("</div>\n</section>\n");
}

pub(super) fn table<'a>(caption: &str, rows: impl Iterator<Item = &'a (String, String)>, page: &mut String) {
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
