//! The pictures side by side: the input, what is enough, what would change it.

use gradless_explain::Answer;

use super::subject::title;
use super::{Page, regions};
use crate::format::{count, plural};
use crate::html::{LONGEST_NAME, image, isolated, name, put};
use crate::picture::{Picture, PictureError};

pub(super) fn write(page_data: &Page, page: &mut String) {
    page.push_str("<section class=\"strip\" aria-label=\"Pictures\">\n");
    let class = page_data.class_name(page_data.original_class());
    let original = figure(
        &drawn(page_data.frame.picture(&page_data.input), &format!("The original, classified as {class}")),
        "Original",
        &format!("classified as {}", name(&class, LONGEST_NAME)),
    );
    group("one", "Input", &original, page);
    for answer in &page_data.answers {
        if let Some(located) = &answer.located {
            group("two", &title(answer), &regions::figures(page_data, answer, located), page);
            continue;
        }
        let class = page_data.class_name(answer.explanation.class);
        let (first, second) = if answer.is_part() {
            let alone = alone(page_data, answer, &class, "On its own", "The kept pixels alone");
            (kept(page_data, answer), alone)
        } else {
            let alone = alone(page_data, answer, &class, "Result", "The changed image");
            (change(page_data, answer), alone)
        };
        group("two", &title(answer), &(first + &second), page);
    }
    let first = page_data.answers.first().and_then(|answer| answer.located.as_ref());
    if let Some(heat) = first.and_then(|located| regions::heat_figure(page_data, located)) {
        group("one", "Heat map", &heat, page);
    }
    page.push_str("</section>\n");
}

fn group(size: &str, title: &str, figures: &str, page: &mut String) {
    put!(
        page,
        "<div class=\"group {size}\">\n<p class=\"label\">{title}</p>\n<div class=\"figures\">\n{figures}</div>\n</div>\n"
    );
}

pub(super) fn figure(image: &str, title: &str, caption: &str) -> String {
    format!(
        "<figure>{image}<figcaption><strong>{title}</strong>\
         <span class=\"caption\">{caption}</span></figcaption></figure>\n"
    )
}

/// A picture, or why it cannot be drawn.
pub(super) fn drawn(picture: Result<Picture, PictureError>, alt: &str) -> String {
    match picture {
        Ok(picture) => image(&picture, alt),
        Err(error) => format!("<p class=\"note\">Not drawn: {}</p>", isolated(&error.to_string())),
    }
}

pub(super) fn alone(page_data: &Page, answer: &Answer, class: &str, title: &str, alt: &str) -> String {
    let miss = if answer.valid { "" } else { "closest miss, " };
    let image = drawn(page_data.frame.picture(&answer.after), &format!("{alt}, {miss}classified as {class}"));
    figure(&image, title, &format!("{miss}classified as {}", name(class, LONGEST_NAME)))
}

fn kept(page_data: &Page, answer: &Answer) -> String {
    let (brighter, darker) = page_data.frame.marked(answer);
    let kept = plural(brighter + darker, "pixel");
    let caption = format!(
        "<span class=\"key\"><span class=\"swatch kept\"></span>{kept} of {}</span>",
        count((page_data.frame.rows * page_data.frame.columns) as u64)
    );
    let alt = format!("The original in dark grey with {kept} kept, in yellow");
    marked(page_data, answer, "Where it lies", &caption, &alt)
}

fn change(page_data: &Page, answer: &Answer) -> String {
    let (brighter, darker) = page_data.frame.marked(answer);
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
    marked(page_data, answer, "The change", &caption, &alt)
}

fn marked(page_data: &Page, answer: &Answer, title: &str, caption: &str, alt: &str) -> String {
    match page_data.frame.overlay(&page_data.input, answer) {
        Ok(overlay) => figure(&image(&overlay, alt), title, caption),
        failed => figure(&drawn(failed, alt), title, ""),
    }
}
