//! SVG to PNG, with a font of its own: the same pixels on every machine.

use std::sync::{Arc, LazyLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

/// Pixels per unit of the drawing.
const SCALE: f32 = 2.0;

static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(epaint_default_fonts::UBUNTU_LIGHT.to_vec());
    let family = fonts.faces().next().and_then(|face| face.families.first()).map(|(name, _)| name.clone());
    if let Some(family) = family {
        fonts.set_sans_serif_family(family);
    }
    Arc::new(fonts)
});

/// The drawing as PNG; `None` if it cannot be drawn.
pub(super) fn png(svg: &str) -> Option<Vec<u8>> {
    let options = Options { fontdb: Arc::clone(&FONTS), ..Options::default() };
    let tree = Tree::from_str(svg, &options).ok()?;
    let size = tree.size().to_int_size().scale_by(SCALE)?;
    let mut pixels = Pixmap::new(size.width(), size.height())?;
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    pixels.encode_png().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_drawn_without_any_font_on_the_machine() {
        let svg = |text: &str| {
            format!(
                r#"<svg xmlns="http://www.w3.org/2000/svg" width="60" height="20" font-family="Helvetica, sans-serif">
                   <text x="2" y="15">{text}</text></svg>"#
            )
        };
        let (empty, words) = (png(&svg("")).unwrap(), png(&svg("PN 0.5")).unwrap());
        assert_ne!(empty, words);
        assert!(words.starts_with(b"\x89PNG"));
        assert_eq!(png("no drawing"), None);
    }
}
