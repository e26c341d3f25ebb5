//! Frames, lines, markers, legend: the shapes of a figure.

use super::drawing::{Anchor, GRID, Shape, Stroke, Text};
use super::labels::spread;
use super::ruler::{Ruler, Tick};
use super::{Markers, PANEL, Panel};

/// Okabe & Ito 2008: eight colours that the colour-blind can tell apart; yellow is left out.
const COLOURS: [&str; 7] = ["#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"];
/// Lines that lie on each other are told apart by the gaps of those drawn later.
const DASHES: [&[f64]; 7] = [&[], &[], &[], &[], &[9.0, 4.0], &[3.0, 3.0], &[10.0, 3.0, 2.0, 3.0]];
/// No two labels at line ends are closer than this.
const LABEL_GAP: f64 = 14.0;
const LABEL_SIZE: f64 = 12.0;
/// Generous guesses: no font metrics are at hand.
const LETTER: f64 = 7.0;
const CAPITAL: f64 = 9.5;
/// Between the rows of a legend.
pub(super) const LEGEND_ROW: f64 = 20.0;
/// Markers per line where not every point has one.
const FEW: usize = 6;

/// Where the entries of a legend stand: from the left, and in which row.
pub(super) fn legend_places(names: &[&str], width: f64) -> Vec<(f64, usize)> {
    let (mut x, mut row) = (0.0, 0);
    let mut places = Vec::new();
    for name in names {
        let needed = 33.0 + name.chars().map(letter_width).sum::<f64>();
        if x > 0.0 && x + needed > width {
            (x, row) = (0.0, row + 1);
        }
        places.push((x, row));
        x += needed + 26.0;
    }
    places
}

fn letter_width(letter: char) -> f64 {
    if letter.is_uppercase() || "mw+".contains(letter) { CAPITAL } else { LETTER }
}

pub(super) fn legend(names: &[&str], order: &[&str], (left, width): (f64, f64)) -> Vec<Shape> {
    let entry = |(name, (x, row)): (&&str, (f64, usize))| {
        let index = place(order, name);
        let (x, y) = (left + x, 44.0 + LEGEND_ROW * row as f64);
        let line = Shape::Line { points: vec![(x, y), (x + 26.0, y)], stroke: stroke(index) };
        [line, marker(index, (x + 13.0, y)), Shape::Text(Text::new((x + 33.0, y + 4.5), *name))]
    };
    names.iter().zip(legend_places(names, width)).flat_map(entry).collect()
}

fn place(order: &[&str], name: &str) -> usize {
    order.iter().position(|&other| other == name).unwrap_or(0)
}

fn stroke(index: usize) -> Stroke {
    Stroke { colour: COLOURS[index % COLOURS.len()], width: 2.0, dashes: DASHES[index % DASHES.len()] }
}

pub(super) fn frame(panel: &Panel, x: &str, y: &str, rulers: (&Ruler, &Ruler)) -> Vec<Shape> {
    let (width, height) = PANEL;
    let middle = |at, words: &str| Shape::Text(Text::new(at, words).anchored(Anchor::Middle));
    let line = |from, to| Shape::Line {
        points: vec![from, to],
        stroke: Stroke { colour: GRID, width: 1.0, dashes: &[] },
    };
    let tick = |at, Tick { text, power, .. }: &Tick, anchor| {
        Shape::Text(Text { power: power.clone(), ..Text::new(at, text.as_str()).anchored(anchor) })
    };
    let mut shapes = vec![middle((0.5 * width, -8.0), &panel.title)];
    for (share, text) in rulers.0.ticks() {
        let at = share * width;
        shapes.push(line((at, 0.0), (at, height)));
        shapes.push(tick((at, height + 20.0), text, Anchor::Middle));
    }
    for (share, text) in rulers.1.ticks() {
        let at = (1.0 - share) * height;
        shapes.push(line((0.0, at), (width, at)));
        shapes.push(tick((-8.0, at + 4.5), text, Anchor::End));
    }
    shapes.push(Shape::Frame { width, height });
    shapes.push(middle((0.5 * width, height + 44.0), x));
    let beside = Text::new((-50.0, 0.5 * height), y).anchored(Anchor::Middle);
    shapes.push(Shape::Text(Text { turned: true, ..beside }));
    shapes
}

pub(super) fn lines(panel: &Panel, order: &[&str], rulers: (&Ruler, &Ruler), markers: Markers) -> Vec<Shape> {
    let at = |&(x, y): &(f64, f64)| (rulers.0.share(x) * PANEL.0, (1.0 - rulers.1.share(y)) * PANEL.1);
    let mut shapes = Vec::new();
    let mut labels = Vec::new();
    for series in &panel.series {
        let index = place(order, &series.name);
        let points: Vec<(f64, f64)> = series.points.iter().map(at).collect();
        let step = match markers {
            Markers::All => 1,
            Markers::Few => points.len().div_ceil(FEW).max(1),
        };
        // Lines that lie on each other have their markers at different places.
        let first = step * (index % COLOURS.len() + 1) / (COLOURS.len() + 1);
        let marked: Vec<Shape> =
            points.iter().skip(first).step_by(step).map(|&spot| marker(index, spot)).collect();
        if let Some(&end) = points.last().filter(|_| !series.label.is_empty()) {
            labels.push((end, index, series.label.as_str()));
        }
        shapes.push(Shape::Line { points, stroke: stroke(index) });
        shapes.extend(marked);
    }
    shapes.extend(end_labels(&labels));
    shapes
}

/// In ink, which is easier to read than the paler colours; where several lines end together a marker says whose label
/// it is.
fn end_labels(labels: &[((f64, f64), usize, &str)]) -> Vec<Shape> {
    // Only labels whose lines end together can be in each other's way.
    let ends: Vec<f64> = labels.iter().map(|&((x, _), ..)| x).collect();
    let mut heights: Vec<f64> = labels.iter().map(|&((_, y), ..)| y).collect();
    for &end in &ends {
        let together: Vec<usize> = (0..ends.len()).filter(|&i| ends[i] == end).collect();
        let mut group: Vec<f64> = together.iter().map(|&i| heights[i]).collect();
        spread(&mut group, LABEL_GAP);
        together.into_iter().zip(group).for_each(|(i, height)| heights[i] = height);
    }
    let mut shapes = Vec::new();
    for (&((x, _), index, label), y) in labels.iter().zip(heights) {
        let alone = ends.iter().filter(|&&end| end == x).count() == 1;
        if !alone {
            shapes.push(marker(index, (x + 15.0, y)));
        }
        let left = x + if alone { 9.0 } else { 23.0 };
        shapes.push(Shape::Text(Text::new((left, y + 4.0), label).sized(LABEL_SIZE)));
    }
    shapes
}

/// Circle, square, diamond, triangle: the shape tells the series apart where the colour does not.
fn marker(index: usize, (x, y): (f64, f64)) -> Shape {
    let colour = COLOURS[index % COLOURS.len()];
    let corners = match index % 4 {
        0 => return Shape::Circle { centre: (x, y), radius: 4.0, colour },
        1 => [(-3.6, -3.6), (3.6, -3.6), (3.6, 3.6), (-3.6, 3.6)].as_slice(),
        2 => &[(0.0, -5.2), (5.2, 0.0), (0.0, 5.2), (-5.2, 0.0)],
        _ => &[(0.0, -5.0), (4.8, 3.8), (-4.8, 3.8)],
    };
    Shape::Polygon { corners: corners.iter().map(|(dx, dy)| (x + dx, y + dy)).collect(), colour }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_capitals_go_to_the_next_row_earlier() {
        let rows = |name: &str| legend_places(&[name; 2], 240.0).last().map(|&(_, row)| row);
        assert_eq!(rows("sepcsaes"), Some(0));
        assert_eq!(rows("SEPCSAES"), Some(1));
    }
}
