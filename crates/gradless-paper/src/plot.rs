//! Line plots as SVG: panels side by side under one legend, linear or logarithmic axes, markers, labels at the line ends.

use std::fmt::{self, Write as _};

/// Okabe & Ito 2008: eight colours that the colour-blind can tell apart; black and yellow are left out.
const COLOURS: [&str; 6] = ["#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"];
const INK: &str = "#222222";
const GRID: &str = "#E2E2E2";

/// Sizes in pixels.
const PANEL: (f64, f64) = (330.0, 300.0);
const LEFT: f64 = 74.0;
/// Between panels and after the last: room for the labels at the line ends and the next axis.
const RIGHT: f64 = 96.0;
const TOP: f64 = 84.0;
const BOTTOM: f64 = 58.0;
/// No two labels at line ends are closer than this.
const LABEL_GAP: f64 = 14.0;
/// A generous guess: no font metrics are at hand.
const LETTER: f64 = 7.0;
/// Roughly how many steps a linear axis has.
const LINEAR_STEPS: f64 = 5.0;

/// A figure: one or more panels that share their axes.
#[derive(Clone, Debug)]
pub struct Plot {
    /// Above everything.
    pub title: String,
    /// Horizontally.
    pub x: Axis,
    /// Vertically.
    pub y: Axis,
    /// From left to right.
    pub panels: Vec<Panel>,
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
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_svg(&mut out);
        out
    }

    fn write_svg(&self, out: &mut String) -> fmt::Result {
        let width = self.panels.len() as f64 * (LEFT + PANEL.0 + RIGHT);
        let height = TOP + PANEL.1 + BOTTOM;
        writeln!(
            out,
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="Helvetica, Arial, sans-serif" font-size="13" fill="{INK}">"#
        )?;
        writeln!(out, "<title>{}</title>", escaped(&self.title))?;
        writeln!(out, r##"<rect width="{width}" height="{height}" fill="#FFFFFF"/>"##)?;
        writeln!(out, r#"<text x="{LEFT}" y="24" font-size="16">{}</text>"#, escaped(&self.title))?;
        let names = self.names();
        write_legend(out, &names)?;
        let (x, y) = (self.ruler(&self.x, |point| point.0), self.ruler(&self.y, |point| point.1));
        for (index, panel) in self.panels.iter().enumerate() {
            let left = LEFT + index as f64 * (LEFT + PANEL.0 + RIGHT);
            writeln!(out, r#"<g transform="translate({left} {TOP})">"#)?;
            write_frame(out, panel, &self.x.label, &self.y.label, (x, y))?;
            write_lines(out, panel, &names, (x, y))?;
            writeln!(out, "</g>")?;
        }
        writeln!(out, "</svg>")
    }

    fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for series in self.panels.iter().flat_map(|panel| &panel.series) {
            if !names.contains(&series.name.as_str()) {
                names.push(&series.name);
            }
        }
        names
    }

    fn ruler(&self, axis: &Axis, pick: fn(&(f64, f64)) -> f64) -> Ruler {
        let series = self.panels.iter().flat_map(|panel| &panel.series);
        Ruler::around(axis.scale, series.flat_map(|series| series.points.iter().map(pick)))
    }
}

/// A scale with its ends, which are ticks.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ruler {
    scale: Scale,
    /// The ends on the scale: numbers, or their decimal logarithms.
    low: f64,
    high: f64,
    /// Between ticks, on the scale.
    step: f64,
}

impl Ruler {
    /// The smallest ruler with round ends that holds all values; from 0 to 1 on the scale if there are none.
    fn around(scale: Scale, values: impl Iterator<Item = f64>) -> Self {
        let on_scale = values.map(|value| scale.of(value)).filter(|value| value.is_finite());
        let (mut low, mut high) =
            on_scale.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        let step = match scale {
            Scale::Log => 1.0,
            Scale::Linear => round_step((high - low) / LINEAR_STEPS),
        };
        // The tolerance keeps a value that is a tick up to rounding from asking for one tick more.
        let low = (low / step + 1e-9).floor() * step;
        let high = (high / step - 1e-9).ceil() * step;
        Self { scale, low, high: if high > low { high } else { low + step }, step }
    }

    /// Where a value lies between the ends, 0 to 1.
    fn share(self, value: f64) -> f64 {
        (self.scale.of(value) - self.low) / (self.high - self.low)
    }

    /// Where the ticks lie between the ends, and what is written there.
    fn ticks(self) -> Vec<(f64, String)> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a handful, from round ends"
        )]
        let count = ((self.high - self.low) / self.step).round() as usize;
        let tick = |i: usize| {
            let text = self.text(self.low + i as f64 * self.step);
            (i as f64 / count as f64, text)
        };
        (0..=count).map(tick).collect()
    }

    fn text(self, on_scale: f64) -> String {
        match self.scale {
            Scale::Log => format!(r#"10<tspan dy="-5" font-size="10">{on_scale:.0}</tspan>"#),
            Scale::Linear => {
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few digits")]
                let digits = (-self.step.log10().floor()).max(0.0) as usize;
                format!("{on_scale:.digits$}")
            }
        }
    }
}

impl Scale {
    fn of(self, value: f64) -> f64 {
        match self {
            Self::Linear => value,
            Self::Log => value.log10(),
        }
    }
}

/// The number 1, 2 or 5 times a power of ten that is next above.
fn round_step(wanted: f64) -> f64 {
    if wanted <= 0.0 {
        return 1.0;
    }
    let power = 10_f64.powf(wanted.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .map(|factor| factor * power)
        .into_iter()
        .find(|&step| step >= wanted)
        .unwrap_or(power)
}

/// Moves heights apart so that neighbours keep their distance; each group of neighbours stays around its mean.
fn spread(heights: &mut [f64], gap: f64) {
    let mut order: Vec<usize> = (0..heights.len()).collect();
    order.sort_by(|&a, &b| heights[a].total_cmp(&heights[b]));
    // Groups of labels that touch: how many, and where their middle is.
    let mut groups: Vec<(usize, f64)> = Vec::new();
    for &index in &order {
        let mut group = (1, heights[index]);
        while let Some(&(count, middle)) = groups.last() {
            let reach = 0.5 * gap * (count + group.0) as f64;
            if group.1 - middle >= reach {
                break;
            }
            groups.pop();
            let total = (count + group.0) as f64;
            group = (count + group.0, (count as f64 * middle + group.0 as f64 * group.1) / total);
        }
        groups.push(group);
    }
    let placed = groups.into_iter().flat_map(|(count, middle)| {
        (0..count).map(move |i| middle + gap * (i as f64 - 0.5 * (count - 1) as f64))
    });
    for (index, height) in order.into_iter().zip(placed) {
        heights[index] = height;
    }
}

fn write_legend(out: &mut String, names: &[&str]) -> fmt::Result {
    let mut x = LEFT;
    for (index, name) in names.iter().enumerate() {
        let colour = COLOURS[index % COLOURS.len()];
        writeln!(
            out,
            r#"<line x1="{x}" y1="44" x2="{}" y2="44" stroke="{colour}" stroke-width="2"/>"#,
            x + 26.0
        )?;
        write_marker(out, index, (x + 13.0, 44.0))?;
        writeln!(out, r#"<text x="{}" y="48.5">{}</text>"#, x + 33.0, escaped(name))?;
        x += 33.0 + LETTER * name.chars().count() as f64 + 26.0;
    }
    Ok(())
}

fn write_frame(out: &mut String, panel: &Panel, x: &str, y: &str, rulers: (Ruler, Ruler)) -> fmt::Result {
    let (width, height) = PANEL;
    writeln!(
        out,
        r#"<text x="{}" y="-8" text-anchor="middle">{}</text>"#,
        0.5 * width,
        escaped(&panel.title)
    )?;
    for (share, text) in rulers.0.ticks() {
        let at = share * width;
        writeln!(out, r#"<line x1="{at:.1}" y1="0" x2="{at:.1}" y2="{height}" stroke="{GRID}"/>"#)?;
        writeln!(out, r#"<text x="{at:.1}" y="{}" text-anchor="middle">{text}</text>"#, height + 20.0)?;
    }
    for (share, text) in rulers.1.ticks() {
        let at = (1.0 - share) * height;
        writeln!(out, r#"<line x1="0" y1="{at:.1}" x2="{width}" y2="{at:.1}" stroke="{GRID}"/>"#)?;
        writeln!(out, r#"<text x="-8" y="{:.1}" text-anchor="end">{text}</text>"#, at + 4.5)?;
    }
    writeln!(out, r#"<rect width="{width}" height="{height}" fill="none" stroke="{INK}"/>"#)?;
    writeln!(
        out,
        r#"<text x="{}" y="{}" text-anchor="middle">{}</text>"#,
        0.5 * width,
        height + 44.0,
        escaped(x)
    )?;
    let middle = 0.5 * height;
    writeln!(
        out,
        r#"<text transform="translate(-50 {middle}) rotate(-90)" text-anchor="middle">{}</text>"#,
        escaped(y)
    )
}

fn write_lines(out: &mut String, panel: &Panel, names: &[&str], rulers: (Ruler, Ruler)) -> fmt::Result {
    let place = |&(x, y): &(f64, f64)| (rulers.0.share(x) * PANEL.0, (1.0 - rulers.1.share(y)) * PANEL.1);
    let mut labels = Vec::new();
    for series in &panel.series {
        let index = names.iter().position(|&name| name == series.name).unwrap_or(0);
        let colour = COLOURS[index % COLOURS.len()];
        let places: Vec<(f64, f64)> = series.points.iter().map(place).collect();
        let path: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        writeln!(
            out,
            r#"<polyline points="{}" fill="none" stroke="{colour}" stroke-width="2"/>"#,
            path.join(" ")
        )?;
        for &place in &places {
            write_marker(out, index, place)?;
        }
        if let Some(&end) = places.last().filter(|_| !series.label.is_empty()) {
            labels.push((end, index, &series.label));
        }
    }
    // Only labels whose lines end together can be in each other's way.
    let ends: Vec<f64> = labels.iter().map(|&((x, _), ..)| x).collect();
    let mut heights: Vec<f64> = labels.iter().map(|&((_, y), ..)| y).collect();
    for &end in &ends {
        let together: Vec<usize> = (0..ends.len()).filter(|&i| ends[i] == end).collect();
        let mut group: Vec<f64> = together.iter().map(|&i| heights[i]).collect();
        spread(&mut group, LABEL_GAP);
        together.into_iter().zip(group).for_each(|(i, height)| heights[i] = height);
    }
    // In ink, which is easier to read than the paler colours; where several lines end together a marker says whose label
    // it is.
    for (((x, _), index, label), y) in labels.into_iter().zip(heights) {
        let alone = ends.iter().filter(|&&end| end == x).count() == 1;
        if !alone {
            write_marker(out, index, (x + 15.0, y))?;
        }
        let left = x + if alone { 9.0 } else { 23.0 };
        writeln!(out, r#"<text x="{left:.1}" y="{:.1}" font-size="12">{}</text>"#, y + 4.0, escaped(label))?;
    }
    Ok(())
}

/// Circle, square, diamond, triangle: the shape tells the series apart where the colour does not.
fn write_marker(out: &mut String, index: usize, (x, y): (f64, f64)) -> fmt::Result {
    let colour = COLOURS[index % COLOURS.len()];
    let shape = match index % 4 {
        0 => return writeln!(out, r#"<circle cx="{x:.1}" cy="{y:.1}" r="4" fill="{colour}"/>"#),
        1 => [(-3.6, -3.6), (3.6, -3.6), (3.6, 3.6), (-3.6, 3.6)].as_slice(),
        2 => &[(0.0, -5.2), (5.2, 0.0), (0.0, 5.2), (-5.2, 0.0)],
        _ => &[(0.0, -5.0), (4.8, 3.8), (-4.8, 3.8)],
    };
    let corners: Vec<String> = shape.iter().map(|(dx, dy)| format!("{:.1},{:.1}", x + dx, y + dy)).collect();
    writeln!(out, r#"<polygon points="{}" fill="{colour}"/>"#, corners.join(" "))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(ruler: Ruler) -> Vec<String> {
        ruler.ticks().into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn a_log_axis_ends_at_powers_of_ten() {
        let ruler = Ruler::around(Scale::Log, [342.0, 2e5, 1e3].into_iter());
        assert_eq!((ruler.low, ruler.high, ruler.ticks().len()), (2.0, 6.0, 5));
        assert!((ruler.share(1e4) - 0.5).abs() < 1e-12);
        assert!(texts(ruler)[0].contains(">2<"));
        let exact = Ruler::around(Scale::Log, [1e2, 1e6].into_iter());
        assert_eq!((exact.low, exact.high), (2.0, 6.0));
    }

    #[test]
    fn a_linear_axis_has_round_steps_and_no_spare_digits() {
        let ruler = Ruler::around(Scale::Linear, [0.03, 0.94].into_iter());
        assert_eq!(texts(ruler), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert!((ruler.share(0.25) - 0.25).abs() < 1e-12);
        let large = Ruler::around(Scale::Linear, [-130.0, 260.0].into_iter());
        assert_eq!(texts(large), ["-200", "-100", "0", "100", "200", "300"]);
    }

    #[test]
    fn steps_are_one_two_five_times_a_power_of_ten() {
        let cases = [(0.9, 1.0), (1.0, 1.0), (1.1, 2.0), (0.03, 0.05), (70.0, 100.0), (0.0, 1.0)];
        for (wanted, step) in cases {
            assert!((round_step(wanted) - step).abs() < 1e-12, "{wanted}");
        }
    }

    #[test]
    fn an_axis_of_nothing_or_one_value_has_a_length() {
        for values in [vec![], vec![5.0], vec![0.0], vec![f64::NAN]] {
            for scale in [Scale::Linear, Scale::Log] {
                let ruler = Ruler::around(scale, values.iter().copied());
                assert!(ruler.high > ruler.low && ruler.low.is_finite(), "{values:?} {scale:?}");
            }
        }
    }

    #[test]
    fn labels_keep_their_distance_and_their_order() {
        let mut heights = [10.0, 50.0, 12.0, 11.0];
        spread(&mut heights, 4.0);
        assert_eq!(heights, [7.0, 50.0, 15.0, 11.0]);
        let mut chain = [0.0, 5.0, 6.0];
        spread(&mut chain, 4.0);
        // The last two part to 3.5 and 7.5, which touches the first: all three around their mean 11/3.
        assert!((chain[0] + 1.0 / 3.0).abs() < 1e-12 && (chain[2] - 23.0 / 3.0).abs() < 1e-12, "{chain:?}");
    }

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
        };
        let svg = plot.to_svg();
        assert!(svg.contains("x &lt; y") && svg.matches("a &amp; b").count() == 1);
        assert_eq!(svg.matches("<polyline").count(), 4);
        // Circles: one in the legend; two points and one label in each panel.
        assert_eq!(svg.matches("<circle").count(), 7);
        assert_eq!(svg.matches("<g ").count(), svg.matches("</g>").count());
    }
}
