//! Drawings and masks as PNG files, which is what the command reads.

/// A grey picture of 8 bits, row after row, as a PNG file; `None` where the bytes do not fill it.
pub(crate) fn grey_png(columns: u32, rows: u32, pixels: &[u8]) -> Option<Vec<u8>> {
    if u64::from(columns) * u64::from(rows) != pixels.len() as u64 {
        return None;
    }
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, columns, rows);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header().ok()?.write_image_data(pixels).ok()?;
    Some(file)
}

/// A mask that is white at these places.
pub(crate) fn mask_png(columns: u32, rows: u32, places: &[usize]) -> Option<Vec<u8>> {
    let mut pixels = vec![0; usize::try_from(u64::from(columns) * u64::from(rows)).ok()?];
    for &place in places {
        *pixels.get_mut(place)? = 255;
    }
    grey_png(columns, rows, &pixels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_comes_back_as_it_was() {
        let pixels: Vec<u8> = (0..12).map(|i| i * 20).collect();
        let file = grey_png(4, 3, &pixels).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
        let mut back = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut back).unwrap();
        assert_eq!((info.width, info.height, &back[..12]), (4, 3, &pixels[..]));
    }

    #[test]
    fn what_does_not_fit_is_no_picture() {
        assert_eq!(grey_png(28, 28, &[0; 783]), None);
        assert_eq!(mask_png(4, 3, &[12]), None);
        assert!(mask_png(4, 3, &[0, 11]).is_some());
    }
}
