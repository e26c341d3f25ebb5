//! One page with everything: figures, tables, settings, images, cost. Nothing in it leads outside.

mod sections;

use super::results::Results;
use sections::{conventions, figure, images, pairs, record, table};

/// The page's own style and nothing else: no script, no fetching.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// Writes formatted text to the end of a page. A page is a `String`, which takes all.
macro_rules! put {
    ($page:expr, $($text:tt)*) => {{
        use std::fmt::Write as _;
        let _ = write!($page, $($text)*);
    }};
}
pub(super) use put;

/// The page of an experiment.
pub fn page(results: &Results) -> String {
    let Results { experiment, summary, .. } = results;
    let title = format!("The comparison of methods on {}, repeated", experiment.set.title());
    let style = include_str!("page.css");
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title} · gradless</title>\n<style>\n{style}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    put!(
        page,
        "<p>The experiments of Shao, Sivrikaya &amp; Albayrak, <i>Adaptive Stochastic Optimisation of Nonconvex Composite \
         Objectives</i>: for {} images, {} per class, a small change that alters the network's answer (pertinent negative, PN) \
         or a small part that keeps it (pertinent positive, PP) is searched by {} oracle calls or more. Lower is \
         better; 1 is the start. The objective hides whether the class condition is met, so its share stands in the tables.</p>\n",
        results.images.len(),
        experiment.per_class,
        experiment.iterations * (experiment.batch as u64 + 1)
    );
    if summary.done < summary.jobs {
        put!(
            page,
            "<p class=\"partial\"><b>Not complete:</b> {} of {} jobs are done. Means are over the images each arm has seen.</p>\n",
            summary.done,
            summary.jobs
        );
    }
    if !summary.failed.is_empty() {
        put!(
            page,
            "<p class=\"partial\"><b>{} jobs did not reach their end</b> and are left out:",
            summary.failed.len()
        );
        for (mode, arm, image, reason) in &summary.failed {
            put!(page, " {} {arm}, image {image}: {};", mode.name(), escape(reason));
        }
        page.push_str("</p>\n");
    }
    page.push_str("<h2>Figures</h2>\n");
    for drawn in super::figures::figures(experiment, summary) {
        figure(&mut page, &drawn);
    }
    page.push_str("<h2>Beside the paper</h2>\n");
    for mode in summary.modes() {
        table(&mut page, results, mode);
    }
    page.push_str(
        "<p class=\"note\">Bold: the smallest mean after the last step among the step sizes of its method, chosen on these \
         images. An asterisk marks the paper's choice. Below each mean in grey: the paper's figure, where it could be read. Another \
         network than the authors' (`gradless data authors`) has other levels.</p>\n",
    );
    page.push_str("<h2>Who is ahead</h2>\n");
    for mode in summary.modes() {
        pairs(&mut page, results, mode);
    }
    page.push_str("<h2>Where text and scripts differ</h2>\n");
    conventions(&mut page, results);
    page.push_str("<h2>Record</h2>\n");
    record(&mut page, results);
    images(&mut page, results);
    page.push_str("</body>\n</html>\n");
    page
}

/// Any text, safe between tags and inside quoted attributes.
pub(super) fn escape(text: &str) -> String {
    let safe = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    safe.replace('"', "&quot;").replace('\'', "&#39;")
}
