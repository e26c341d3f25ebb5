//! A drawing before it is a file: shapes in groups, to be written as SVG or filled with pixels.

use std::fmt::{self, Write as _};

pub(super) const INK: &str = "#222222";
pub(super) const GRID: &str = "#E2E2E2";
/// The size of text that says nothing else.
pub(super) const FONT_SIZE: f64 = 13.0;

/// Everything on a white sheet.
#[derive(Clone, Debug)]
pub(super) struct Drawing {
    pub(super) title: String,
    pub(super) width: f64,
    pub(super) height: f64,
    /// On the sheet itself.
    pub(super) shapes: Vec<Shape>,
    /// Panels.
    pub(super) groups: Vec<Group>,
}

/// Shapes that are moved together.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) at: (f64, f64),
    pub(super) shapes: Vec<Shape>,
}

#[derive(Clone, Debug)]
pub(super) enum Shape {
    Line {
        points: Vec<(f64, f64)>,
        stroke: Stroke,
    },
    /// A frame of ink.
    Frame {
        width: f64,
        height: f64,
    },
    Circle {
        centre: (f64, f64),
        radius: f64,
        colour: &'static str,
    },
    Polygon {
        corners: Vec<(f64, f64)>,
        colour: &'static str,
    },
    Text(Text),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Stroke {
    pub(super) colour: &'static str,
    pub(super) width: f64,
    /// Lengths of dashes and gaps; none for a whole line.
    pub(super) dashes: &'static [f64],
}

#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) at: (f64, f64),
    pub(super) words: String,
    /// Raised and smaller, behind the words.
    pub(super) power: String,
    pub(super) size: f64,
    pub(super) anchor: Anchor,
    /// Read from below.
    pub(super) turned: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Text {
    pub(super) fn new(at: (f64, f64), words: impl Into<String>) -> Self {
        let (power, size, anchor) = (String::new(), FONT_SIZE, Anchor::Start);
        Self { at, words: words.into(), power, size, anchor, turned: false }
    }

    pub(super) fn anchored(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }

    pub(super) fn sized(self, size: f64) -> Self {
        Self { size, ..self }
    }
}

/// How far a power is raised, and its size.
pub(super) const RAISED: f64 = 5.0;
pub(super) const POWER_SIZE: f64 = 10.0;

impl Drawing {
    pub(super) fn to_svg(&self) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        let Self { width, height, .. } = self;
        writeln!(
            out,
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="Helvetica, Arial, sans-serif" font-size="{FONT_SIZE}" fill="{INK}">"#
        )?;
        writeln!(out, "<title>{}</title>", escaped(&self.title))?;
        writeln!(out, r##"<rect width="{width}" height="{height}" fill="#FFFFFF"/>"##)?;
        self.shapes.iter().try_for_each(|shape| shape.write(out))?;
        for Group { at: (x, y), shapes } in &self.groups {
            writeln!(out, r#"<g transform="translate({x} {y})">"#)?;
            shapes.iter().try_for_each(|shape| shape.write(out))?;
            writeln!(out, "</g>")?;
        }
        writeln!(out, "</svg>")
    }
}

impl Shape {
    fn write(&self, out: &mut String) -> fmt::Result {
        match self {
            Self::Line { points, stroke: Stroke { colour, width, dashes } } => {
                let points = joined(points);
                write!(
                    out,
                    r#"<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-linejoin="round""#
                )?;
                if !dashes.is_empty() {
                    let dashes: Vec<String> = dashes.iter().map(ToString::to_string).collect();
                    write!(out, r#" stroke-dasharray="{}""#, dashes.join(" "))?;
                }
                writeln!(out, "/>")
            }
            Self::Frame { width, height } => {
                writeln!(out, r#"<rect width="{width}" height="{height}" fill="none" stroke="{INK}"/>"#)
            }
            Self::Circle { centre: (x, y), radius, colour } => {
                writeln!(out, r#"<circle cx="{x:.1}" cy="{y:.1}" r="{radius}" fill="{colour}"/>"#)
            }
            Self::Polygon { corners, colour } => {
                writeln!(out, r#"<polygon points="{}" fill="{colour}"/>"#, joined(corners))
            }
            Self::Text(text) => text.write(out),
        }
    }
}

impl Text {
    fn write(&self, out: &mut String) -> fmt::Result {
        let (x, y) = self.at;
        if self.turned {
            write!(out, r#"<text transform="translate({x:.1} {y:.1}) rotate(-90)""#)?;
        } else {
            write!(out, r#"<text x="{x:.1}" y="{y:.1}""#)?;
        }
        if self.size != FONT_SIZE {
            write!(out, r#" font-size="{}""#, self.size)?;
        }
        match self.anchor {
            Anchor::Start => (),
            Anchor::Middle => out.push_str(r#" text-anchor="middle""#),
            Anchor::End => out.push_str(r#" text-anchor="end""#),
        }
        write!(out, ">{}", escaped(&self.words))?;
        if !self.power.is_empty() {
            write!(
                out,
                r#"<tspan dy="-{RAISED}" font-size="{POWER_SIZE}">{}</tspan>"#,
                escaped(&self.power)
            )?;
        }
        writeln!(out, "</text>")
    }
}

fn joined(points: &[(f64, f64)]) -> String {
    let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    points.join(" ")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
