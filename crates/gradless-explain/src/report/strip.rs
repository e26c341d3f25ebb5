//! The pictures side by side: the input, what is enough, what would change it.

use super::format::{count, plural};
use super::html::{LONGEST_NAME, image, isolated, name, put};
use super::{Case, Mode, Report};
use crate::picture::{Marks, overlay};

pub(super) fn write(report: &Report, page: &mut String) {
    page.push_str("<section class=\"strip\" aria-label=\"Pictures\">\n");
    let class = report.class_name(report.original_class);
    let original = figure(
        &image(&report.original, &format!("The original, classified as {class}")),
        "Original",
        &format!("classified as {}", name(&class, LONGEST_NAME)),
    );
    group("one", "Input", &original, page);
    for case in &report.cases {
        let class = report.class_name(case.class);
        let (title, first, second) = match case.mode {
            Mode::PertinentPositive => (
                "What is enough",
                kept(report, case),
                alone(case, &class, "On its own", "The kept pixels alone"),
            ),
            Mode::PertinentNegative => (
                "What would change it",
                change(report, case),
                alone(case, &class, "Result", "The changed image"),
            ),
        };
        group("two", title, &(first + &second), page);
    }
    page.push_str("</section>\n");
}

fn group(size: &str, title: &str, figures: &str, page: &mut String) {
    put!(
        page,
        "<div class=\"group {size}\">\n<p class=\"label\">{title}</p>\n<div class=\"figures\">\n{figures}</div>\n</div>\n"
    );
}

fn figure(image: &str, title: &str, caption: &str) -> String {
    format!(
        "<figure>{image}<figcaption><strong>{title}</strong>\
         <span class=\"caption\">{caption}</span></figcaption></figure>\n"
    )
}

fn alone(case: &Case, class: &str, title: &str, alt: &str) -> String {
    let miss = if case.valid { "" } else { "closest miss, " };
    let image = image(&case.picture, &format!("{alt}, {miss}classified as {class}"));
    figure(&image, title, &format!("{miss}classified as {}", name(class, LONGEST_NAME)))
}

fn kept(report: &Report, case: &Case) -> String {
    let (brighter, darker) = report.marked_pixels(case);
    let kept = plural(brighter + darker, "pixel");
    let caption = format!(
        "<span class=\"key\"><span class=\"swatch kept\"></span>{kept} of {}</span>",
        count(report.original.pixels() as u64)
    );
    let alt = format!("The original in dark grey with {kept} kept, in yellow");
    marked(report, case, Marks::Kept, "Where it lies", &caption, &alt)
}

fn change(report: &Report, case: &Case) -> String {
    let (brighter, darker) = report.marked_pixels(case);
    let key = |class: &str, pixels: usize, word: &str| {
        if pixels == 0 {
            return String::new();
        }
        let pixels = plural(pixels, "pixel");
        format!("<span class=\"key\"><span class=\"swatch {class}\"></span>{pixels} {word}</span>")
    };
    let caption = match brighter + darker {
        0 => "nothing changed".to_owned(),
        _ => key("added", brighter, "added (brighter)") + &key("removed", darker, "removed (darker)"),
    };
    let alt = format!(
        "The original in dark grey with the change: {} brighter, in orange; {} darker, in blue",
        plural(brighter, "pixel"),
        plural(darker, "pixel")
    );
    marked(report, case, Marks::Change, "The change", &caption, &alt)
}

fn marked(report: &Report, case: &Case, marks: Marks, title: &str, caption: &str, alt: &str) -> String {
    match overlay(&report.original, &report.marked(case), marks) {
        Ok(drawn) => figure(&image(&drawn, alt), title, caption),
        Err(error) => {
            let note = format!("<p class=\"note\">Not drawn: {}</p>", isolated(&error.to_string()));
            figure(&note, title, "")
        }
    }
}
