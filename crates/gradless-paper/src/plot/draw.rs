//! Frames, lines, markers, legend: SVG text.

use std::fmt::{self, Write as _};

use super::labels::spread;
use super::ruler::Ruler;
use super::{GRID, INK, Markers, PANEL, Panel};

/// Okabe & Ito 2008: eight colours that the colour-blind can tell apart; yellow is left out.
const COLOURS: [&str; 7] = ["#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"];
/// Lines that lie on each other are told apart by the gaps of those drawn later.
const DASHES: [&str; 7] = ["", "", "", "", "9 4", "3 3", "10 3 2 3"];
/// No two labels at line ends are closer than this.
const LABEL_GAP: f64 = 14.0;
/// A generous guess: no font metrics are at hand.
const LETTER: f64 = 7.0;
/// Between the rows of a legend.
pub(super) const LEGEND_ROW: f64 = 20.0;
/// Markers per line where not every point has one.
const FEW: usize = 6;

/// Where the entries of a legend stand: from the left, and in which row.
pub(super) fn legend_places(names: &[&str], width: f64) -> Vec<(f64, usize)> {
    let (mut x, mut row) = (0.0, 0);
    let mut places = Vec::new();
    for name in names {
        let needed = 33.0 + LETTER * name.chars().count() as f64;
        if x > 0.0 && x + needed > width {
            (x, row) = (0.0, row + 1);
        }
        places.push((x, row));
        x += needed + 26.0;
    }
    places
}

pub(super) fn write_legend(
    out: &mut String,
    names: &[&str],
    order: &[&str],
    (left, width): (f64, f64),
) -> fmt::Result {
    for (name, (x, row)) in names.iter().zip(legend_places(names, width)) {
        let index = place(order, name);
        let (x, y) = (left + x, 44.0 + LEGEND_ROW * row as f64);
        let line = stroke(index);
        writeln!(out, r#"<line x1="{x}" y1="{y}" x2="{}" y2="{y}" {line}/>"#, x + 26.0)?;
        write_marker(out, index, (x + 13.0, y))?;
        writeln!(out, r#"<text x="{}" y="{}">{}</text>"#, x + 33.0, y + 4.5, escaped(name))?;
    }
    Ok(())
}

fn place(order: &[&str], name: &str) -> usize {
    order.iter().position(|&other| other == name).unwrap_or(0)
}

fn stroke(index: usize) -> String {
    let colour = COLOURS[index % COLOURS.len()];
    match DASHES[index % DASHES.len()] {
        "" => format!(r#"stroke="{colour}" stroke-width="2""#),
        dash => format!(r#"stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}""#),
    }
}

pub(super) fn write_frame(
    out: &mut String,
    panel: &Panel,
    x: &str,
    y: &str,
    rulers: (&Ruler, &Ruler),
) -> fmt::Result {
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

pub(super) fn write_lines(
    out: &mut String,
    panel: &Panel,
    order: &[&str],
    rulers: (&Ruler, &Ruler),
    markers: Markers,
) -> fmt::Result {
    let at = |&(x, y): &(f64, f64)| (rulers.0.share(x) * PANEL.0, (1.0 - rulers.1.share(y)) * PANEL.1);
    let mut labels = Vec::new();
    for series in &panel.series {
        let index = place(order, &series.name);
        let line = stroke(index);
        let places: Vec<(f64, f64)> = series.points.iter().map(at).collect();
        let path: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        writeln!(
            out,
            r#"<polyline points="{}" fill="none" {line} stroke-linejoin="round"/>"#,
            path.join(" ")
        )?;
        let step = match markers {
            Markers::All => 1,
            Markers::Few => places.len().div_ceil(FEW),
        };
        // Lines that lie on each other have their markers at different places.
        for &spot in places.iter().skip(step * (index + 1) / (COLOURS.len() + 1)).step_by(step.max(1)) {
            write_marker(out, index, spot)?;
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

pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
