//! Line plots as SVG and PNG: panels in a grid under one legend, linear or logarithmic axes, markers, labels at the line ends.

mod ruler;
mod drawing;
mod labels;
mod draw;
#[cfg(feature = "png-plots")]
#[expect(clippy::cast_possible_truncation, reason = "pixels: single precision is what the painter takes")]
mod pixels;

use draw::{LEGEND_ROW, frame, legend, legend_places, lines};
use drawing::{Drawing, Group, Shape, Text};
use ruler::Ruler;

/// Sizes in pixels.
const PANEL: (f64, f64) = (330.0, 300.0);
const LEFT: f64 = 74.0;
/// Right of a panel: room for the labels at the line ends, if there are any.
const RIGHT: f64 = 96.0;
const RIGHT_UNLABELLED: f64 = 26.0;
/// Above the first row of panels, with one row of legend.
const TOP: f64 = 84.0;
const BOTTOM: f64 = 58.0;
/// The title of a panel that has another above it.
const PANEL_TITLE: f64 = 26.0;
const TITLE_SIZE: f64 = 16.0;

/// A figure: one or more panels.
#[derive(Clone, Debug)]
pub struct Plot {
    /// Above everything.
    pub title: String,
    /// Horizontally.
    pub x: Axis,
    /// Vertically.
    pub y: Axis,
    /// From left to right, then downwards.
    pub panels: Vec<Panel>,
    /// How it is arranged.
    pub look: Look,
}

/// How a figure is arranged.
#[derive(Clone, Debug, Default)]
pub struct Look {
    /// Whether panels can be compared by eye.
    pub axes: Axes,
    /// Which points are marked.
    pub markers: Markers,
    /// Panels side by side; all of them if 0.
    pub columns: usize,
    /// Names of series whose colours are fixed whether they occur or not; others follow.
    pub order: Vec<String>,
}

/// Whether panels can be compared by eye.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Axes {
    /// All have the same axes.
    #[default]
    Shared,
    /// Each has axes that fit its lines.
    Own,
}

/// Which points are marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Markers {
    /// All.
    #[default]
    All,
    /// A few of each line.
    Few,
}

/// What an axis measures, and how.
#[derive(Clone, Debug)]
pub struct Axis {
    /// Written beside it.
    pub label: String,
    /// How numbers become lengths.
    pub scale: Scale,
}

/// How numbers become lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equal lengths.
    Linear,
    /// Equal ratios are equal lengths; numbers must be positive.
    Log,
}

/// One frame with its lines.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Above the frame.
    pub title: String,
    /// Drawn in this order.
    pub series: Vec<Series>,
}

/// One line. Series of the same name have the same colour and marker in every panel.
#[derive(Clone, Debug)]
pub struct Series {
    /// For the legend.
    pub name: String,
    /// Written at the end of the line; may be empty.
    pub label: String,
    /// In the order they are joined.
    pub points: Vec<(f64, f64)>,
}

impl Plot {
    /// The whole figure.
    pub fn to_svg(&self) -> String {
        self.drawing().to_svg()
    }

    /// The whole figure in pixels, two for each of the SVG's; `None` if it is too large for any memory.
    #[cfg(feature = "png-plots")]
    pub fn to_png(&self) -> Option<Vec<u8>> {
        self.drawing().to_png()
    }

    fn drawing(&self) -> Drawing {
        let labelled = self.series().any(|series| !series.label.is_empty());
        let (right, inset) = if labelled { (RIGHT, LEFT) } else { (RIGHT_UNLABELLED, 20.0) };
        let all = self.panels.len();
        let columns = if self.look.columns == 0 { all } else { self.look.columns.min(all) }.max(1);
        let rows = all.div_ceil(columns).max(1);
        let names = self.names();
        let width = columns as f64 * (LEFT + PANEL.0 + right);
        let room = width - inset - 8.0;
        let legend_rows = legend_places(&names, room).last().map_or(0, |&(_, row)| row);
        let top = TOP + LEGEND_ROW * legend_rows as f64;
        let order = self.order(&names);
        let mut shapes = vec![Shape::Text(Text::new((inset, 24.0), self.title.as_str()).sized(TITLE_SIZE))];
        shapes.extend(legend(&names, &order, (inset, room)));
        let group = |(index, panel): (usize, &Panel)| {
            let framed = match self.look.axes {
                Axes::Shared => &self.panels[..],
                Axes::Own => std::slice::from_ref(panel),
            };
            let (x, y) = (ruler(&self.x, framed, |point| point.0), ruler(&self.y, framed, |point| point.1));
            let mut shapes = frame(panel, &self.x.label, &self.y.label, (&x, &y));
            shapes.extend(lines(panel, &order, (&x, &y), self.look.markers));
            let left = LEFT + (index % columns) as f64 * (LEFT + PANEL.0 + right);
            let down = top + (index / columns) as f64 * (PANEL.1 + BOTTOM + PANEL_TITLE);
            Group { at: (left, down), shapes }
        };
        Drawing {
            title: self.title.clone(),
            width,
            height: top + rows as f64 * (PANEL.1 + BOTTOM) + (rows - 1) as f64 * PANEL_TITLE,
            shapes,
            groups: self.panels.iter().enumerate().map(group).collect(),
        }
    }

    fn series(&self) -> impl Iterator<Item = &Series> {
        self.panels.iter().flat_map(|panel| &panel.series)
    }

    /// The names that occur, fixed ones first.
    fn names(&self) -> Vec<&str> {
        let occurs = |name: &&str| self.series().any(|series| series.name == *name);
        let mut names: Vec<&str> = self.look.order.iter().map(String::as_str).filter(occurs).collect();
        for series in self.series() {
            if !names.contains(&series.name.as_str()) {
                names.push(&series.name);
            }
        }
        names
    }

    /// All names in the order of their colours.
    fn order<'a>(&'a self, names: &[&'a str]) -> Vec<&'a str> {
        let mut order: Vec<&str> = self.look.order.iter().map(String::as_str).collect();
        order.extend(names.iter().filter(|name| !self.look.order.iter().any(|fixed| fixed == *name)));
        order
    }
}

fn ruler(axis: &Axis, panels: &[Panel], pick: fn(&(f64, f64)) -> f64) -> Ruler {
    let series = panels.iter().flat_map(|panel| &panel.series);
    Ruler::around(axis.scale, series.flat_map(|series| series.points.iter().map(pick)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figure_holds_every_name_label_and_point_and_escapes_them() {
        let series = |name: &str| Series {
            name: name.into(),
            label: "0.2".into(),
            points: vec![(1.0, 2.0), (10.0, 3.0)],
        };
        let axis = |label: &str| Axis { label: label.into(), scale: Scale::Log };
        let panel = |title: &str| Panel { title: title.into(), series: vec![series("a & b"), series("c")] };
        let plot = Plot {
            title: "x < y".into(),
            x: axis("d"),
            y: axis("calls"),
            panels: vec![panel("left"), panel("right")],
            look: Look::default(),
        };
        let svg = plot.to_svg();
        assert!(svg.contains("x &lt; y") && svg.matches("a &amp; b").count() == 1);
        assert_eq!(svg.matches(r#"stroke-width="2""#).count(), 2 + 4, "the legend's lines and the panels'");
        // Circles: one in the legend; two points and one label in each panel.
        assert_eq!(svg.matches("<circle").count(), 7);
        assert_eq!(svg.matches("<g ").count(), svg.matches("</g>").count());
    }

    #[test]
    fn a_fixed_order_keeps_a_colour_whether_others_occur_or_not() {
        let series =
            Series { name: "third".into(), label: String::new(), points: vec![(0.0, 1.0), (1.0, 2.0)] };
        let axis = || Axis { label: String::new(), scale: Scale::Linear };
        let panel = || Panel { title: String::new(), series: vec![series.clone()] };
        let order = ["first", "second", "third"].map(String::from).to_vec();
        let look = Look { columns: 2, order, ..Look::default() };
        let plot = Plot {
            title: String::new(),
            x: axis(),
            y: axis(),
            panels: vec![panel(), panel(), panel()],
            look,
        };
        let svg = plot.to_svg();
        assert_eq!(
            svg.matches("#009E73").count(),
            11,
            "two for the legend; a line and two points in each panel"
        );
        assert!(!svg.contains("first") && svg.contains("translate(74 468)"), "{svg}");
    }
}
