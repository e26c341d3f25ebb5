//! Answers that are made of regions: pictures of where they lie, of what the model is shown, and of how much each region matters.

use gradless_explain::Answer;
use gradless_explain::answer::{Heat, Located};

use super::strip::{alone, drawn, figure};
use super::{Frame, Page};
use crate::format::{count, number, plural};
use crate::html::image;
use crate::picture::{Outline, Picture, PictureError, heat, outlined};

impl Frame {
    /// The regions of an answer, drawn on its input.
    ///
    /// # Errors
    ///
    /// When the input is no picture of this frame.
    pub fn outlined(
        &self,
        input: &[f64],
        answer: &Answer,
        located: &Located,
    ) -> Result<Picture, PictureError> {
        let marked: Vec<bool> =
            (0..located.regions.len()).map(|pixel| located.has(pixel, &answer.used)).collect();
        let outline = if answer.is_part() { Outline::Kept } else { Outline::Removed };
        outlined(&self.picture(input)?, &marked, outline)
    }

    /// How much every region matters, drawn on the input; nothing if that is not known.
    pub fn heat(&self, input: &[f64], located: &Located) -> Option<Result<Picture, PictureError>> {
        let Heat { importance, error, .. } = located.heat.as_ref()?;
        let map = |numbers: &[f64]| Heat::map(numbers, &located.regions);
        Some(self.picture(input).and_then(|picture| heat(&picture, &map(importance), &map(error))))
    }
}

/// The figures of an answer.
pub(super) fn figures(page_data: &Page, answer: &Answer, located: &Located) -> String {
    let class = page_data.class_name(answer.explanation.class);
    let area = percent(located.area);
    let (swatch, title, alt) = if answer.is_part() {
        (
            "kept",
            "Where it lies",
            "The original in dark grey; what is kept, in its own colours, within a yellow line",
        )
    } else {
        ("removed", "What is taken away", "The original; what is taken away, in blue")
    };
    let caption = format!(
        "<span class=\"key\"><span class=\"swatch {swatch}\"></span>{} of {}, {area} of the picture</span>\
         <span class=\"key\">in {}</span>",
        plural(answer.features.used, "region"),
        count(answer.features.total as u64),
        plural(located.pieces, "piece")
    );
    let lies = drawn(page_data.frame.outlined(&page_data.input, answer, located), alt);
    let shown = if answer.is_part() {
        ("On its own", "The kept regions alone")
    } else {
        ("What is left", "The picture without them")
    };
    figure(&lies, title, &caption) + &alone(page_data, answer, &class, shown.0, shown.1)
}

/// The heat map of an answer; nothing if it has none.
pub(super) fn heat_figure(page_data: &Page, located: &Located) -> Option<String> {
    let heat = located.heat.as_ref()?;
    let alt = "The original in dark grey; the more a region speaks for the class, the redder it is; against it, the bluer";
    let picture = match page_data.frame.heat(&page_data.input, located)? {
        Ok(picture) => image(&picture, alt),
        failed => drawn(failed, alt),
    };
    let typical = median(&heat.error);
    let most = heat.importance.iter().copied().fold(0.0, f64::max);
    let caption = format!(
        "<span class=\"key\"><span class=\"swatch for\"></span>speaks for the class</span>\
         <span class=\"key\"><span class=\"swatch against\"></span>against it</span>\
         <span class=\"key\">from the {} queries of the search; at most {} in log odds, standard error {} in the median</span>",
        count(heat.queries as u64),
        number(most),
        number(typical)
    );
    Some(figure(&picture, "How much each region matters", &caption))
}

/// A share as people write it.
pub(super) fn percent(share: f64) -> String {
    if share < 0.0995 { format!("{:.1} %", 100.0 * share) } else { format!("{:.0} %", 100.0 * share) }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}
