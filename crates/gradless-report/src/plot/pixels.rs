//! A drawing as PNG, with a font of its own: the same pixels on every machine.

use tiny_skia::{
    Color, FillRule, LineJoin, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, StrokeDash, Transform,
};
use ttf_parser::{Face, OutlineBuilder};

use super::drawing::{Anchor, Drawing, INK, POWER_SIZE, RAISED, Shape, Text};

/// Pixels per unit of the drawing.
const SCALE: f32 = 2.0;

impl Drawing {
    /// The drawing as PNG; `None` if there is nothing to draw on.
    pub(super) fn to_png(&self) -> Option<Vec<u8>> {
        let pixels = |length: f64| u32::try_from((length * f64::from(SCALE)).round() as i64).ok();
        let mut sheet = Pixmap::new(pixels(self.width)?, pixels(self.height)?)?;
        sheet.fill(Color::WHITE);
        let face = Face::parse(epaint_default_fonts::UBUNTU_LIGHT, 0).ok()?;
        let whole = Transform::from_scale(SCALE, SCALE);
        for shape in &self.shapes {
            shape.draw(&mut sheet, &face, whole);
        }
        for group in &self.groups {
            let moved = whole.pre_translate(group.at.0 as f32, group.at.1 as f32);
            for shape in &group.shapes {
                shape.draw(&mut sheet, &face, moved);
            }
        }
        sheet.encode_png().ok()
    }
}

impl Shape {
    fn draw(&self, sheet: &mut Pixmap, face: &Face<'_>, transform: Transform) {
        let mut fill = |path: Option<Path>, colour| {
            if let Some(path) = path {
                sheet.fill_path(&path, &paint(colour), FillRule::Winding, transform, None);
            }
        };
        match self {
            Self::Circle { centre: (x, y), radius, colour } => {
                fill(PathBuilder::from_circle(*x as f32, *y as f32, *radius as f32), colour);
            }
            Self::Polygon { corners, colour } => fill(path(corners, true), colour),
            Self::Text(text) => fill(text.outline(face), INK),
            Self::Line { points, stroke } => {
                let dashes = stroke.dashes.iter().map(|&length| length as f32).collect();
                let drawn = Stroke {
                    width: stroke.width as f32,
                    line_join: LineJoin::Round,
                    dash: StrokeDash::new(dashes, 0.0),
                    ..Stroke::default()
                };
                if let Some(path) = path(points, false) {
                    sheet.stroke_path(&path, &paint(stroke.colour), &drawn, transform, None);
                }
            }
            Self::Frame { width, height } => {
                if let Some(frame) = Rect::from_xywh(0.0, 0.0, *width as f32, *height as f32) {
                    let path = PathBuilder::from_rect(frame);
                    sheet.stroke_path(&path, &paint(INK), &Stroke::default(), transform, None);
                }
            }
        }
    }
}

fn path(points: &[(f64, f64)], closed: bool) -> Option<Path> {
    let mut builder = PathBuilder::new();
    // What is nowhere (the logarithm of 0) is not drawn.
    for (i, &(x, y)) in points.iter().filter(|(x, y)| x.is_finite() && y.is_finite()).enumerate() {
        if i == 0 { builder.move_to(x as f32, y as f32) } else { builder.line_to(x as f32, y as f32) }
    }
    if closed {
        builder.close();
    }
    builder.finish()
}

/// A colour written as `#RRGGBB`.
fn paint(colour: &str) -> Paint<'static> {
    let part =
        |from| colour.get(from..from + 2).and_then(|hex| u8::from_str_radix(hex, 16).ok()).unwrap_or(0);
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color_rgba8(part(1), part(3), part(5), 255);
    paint
}

impl Text {
    /// The outline of all letters where they stand.
    fn outline(&self, face: &Face<'_>) -> Option<Path> {
        let (words, power) = (width(face, &self.words, self.size), width(face, &self.power, POWER_SIZE));
        let back = match self.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => 0.5 * (words + power),
            Anchor::End => words + power,
        };
        let mut pen = Pen { builder: PathBuilder::new(), at: (0.0, 0.0), scale: 0.0 };
        pen.write(face, &self.words, self.size, (-back, 0.0));
        pen.write(face, &self.power, POWER_SIZE, (words - back, -RAISED as f32));
        let placed = Transform::from_translate(self.at.0 as f32, self.at.1 as f32);
        let placed = if self.turned { placed.pre_rotate(-90.0) } else { placed };
        pen.builder.finish()?.transform(placed)
    }
}

fn width(face: &Face<'_>, words: &str, size: f64) -> f32 {
    words.chars().map(|letter| advance(face, letter)).sum::<f32>() * scale(face, size)
}

fn scale(face: &Face<'_>, size: f64) -> f32 {
    size as f32 / f32::from(face.units_per_em())
}

fn advance(face: &Face<'_>, letter: char) -> f32 {
    f32::from(face.glyph_index(letter).and_then(|glyph| face.glyph_hor_advance(glyph)).unwrap_or(0))
}

/// Writes letters into a path; fonts count upwards, drawings downwards.
struct Pen {
    builder: PathBuilder,
    at: (f32, f32),
    scale: f32,
}

impl Pen {
    fn write(&mut self, face: &Face<'_>, words: &str, size: f64, at: (f32, f32)) {
        (self.at, self.scale) = (at, scale(face, size));
        for letter in words.chars() {
            if let Some(glyph) = face.glyph_index(letter) {
                face.outline_glyph(glyph, self);
            }
            self.at.0 += advance(face, letter) * self.scale;
        }
    }

    fn place(&self, x: f32, y: f32) -> (f32, f32) {
        (self.at.0 + self.scale * x, self.at.1 - self.scale * y)
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.builder.move_to(x, y);
    }
    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.builder.line_to(x, y);
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.place(x1, y1), self.place(x, y));
        self.builder.quad_to(x1, y1, x, y);
    }
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.place(x1, y1), self.place(x2, y2), self.place(x, y));
        self.builder.cubic_to(x1, y1, x2, y2, x, y);
    }
    fn close(&mut self) {
        self.builder.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_drawn_without_any_font_on_the_machine() {
        let drawing = |words: &str| Drawing {
            title: String::new(),
            width: 60.0,
            height: 20.0,
            shapes: vec![Shape::Text(Text { power: "2".into(), ..Text::new((2.0, 15.0), words) })],
            groups: Vec::new(),
        };
        let (blank, words) = (drawing(" ").to_png().unwrap(), drawing("PN 0.5").to_png().unwrap());
        assert!(blank != words && words.starts_with(b"\x89PNG"));
        let sheet = Pixmap::decode_png(&words).unwrap();
        assert_eq!((sheet.width(), sheet.height()), (120, 40));
        assert!(sheet.pixels().iter().filter(|pixel| pixel.red() < 128).count() > 100);
    }
}
