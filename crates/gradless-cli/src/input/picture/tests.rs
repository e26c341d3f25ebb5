use image::{ImageBuffer, Luma, LumaA, Rgb, RgbImage, Rgba};
use png::{BitDepth, ColorType};

use super::*;

fn space(shape: [usize; 3], resize: bool) -> Space {
    Space { shape: shape.to_vec(), range: [-0.5, 0.5], resize: resize.then_some(Resize::Squash) }
}

/// A picture in which no two pixels are alike.
fn gradient(side: u32) -> RgbImage {
    RgbImage::from_fn(side, side, |x, y| Rgb([x * 9, y * 9, x * y].map(|value| value.to_le_bytes()[0])))
}

fn encoded(image: impl Into<DynamicImage>, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image.into().write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

/// A PNG file of a kind the encoder above does not write.
fn raw_png(
    size: [u32; 2],
    colour: ColorType,
    depth: BitDepth,
    palette: Option<&[u8]>,
    data: &[u8],
) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, size[0], size[1]);
    encoder.set_color(colour);
    encoder.set_depth(depth);
    if let Some(palette) = palette {
        encoder.set_palette(palette.to_vec());
    }
    encoder.write_header().unwrap().write_image_data(data).unwrap();
    bytes
}

fn numbers(bytes: &[u8], space: &Space) -> anyhow::Result<Vec<f64>> {
    Picture::decode(bytes)?.numbers(space)
}

#[track_caller]
fn refused(bytes: &[u8], space: &Space, words: &[&str]) {
    let told = format!("{:#}", numbers(bytes, space).unwrap_err());
    for word in words {
        assert!(told.contains(word), "'{word}' is not in: {told}");
    }
}

/// What a byte stands for; written out, since round trips depend on its bits.
fn number(byte: u8) -> f64 {
    -0.5 + (0.5 - -0.5) * f64::from(byte) / 255.0
}

#[test]
fn every_byte_stands_for_exactly_its_number() {
    let bytes: Vec<u8> = (0..=255).collect();
    let png = encoded(GrayImage::from_raw(16, 16, bytes.clone()).unwrap(), ImageFormat::Png);
    let expected: Vec<f64> = bytes.iter().map(|&byte| number(byte)).collect();
    assert_eq!(numbers(&png, &space([1, 16, 16], false)).unwrap(), expected);
    // A grey picture for a colour model: three equal channels.
    assert_eq!(numbers(&png, &space([3, 16, 16], false)).unwrap(), expected.repeat(3));
    // The right size already: allowing to resize changes nothing.
    assert_eq!(numbers(&png, &space([1, 16, 16], true)).unwrap(), expected);
}

#[test]
fn every_kind_of_png_is_read_and_alpha_left_out() {
    let two = [10, 200].map(number).to_vec();
    let red_blue = [255, 0, 0, 0, 0, 255].map(number).to_vec();
    let (grey, colour) = (space([1, 1, 2], false), space([3, 1, 2], false));
    let grey_alpha = ImageBuffer::from_fn(2, 1, |x, _| LumaA([[10, 0_u8], [200, 255]][x as usize]));
    let rgba = ImageBuffer::from_fn(2, 1, |x, _| Rgba([[255, 0, 0, 0_u8], [0, 0, 255, 9]][x as usize]));
    let rgb = ImageBuffer::from_fn(2, 1, |x, _| Rgb([[255, 0, 0_u8], [0, 0, 255]][x as usize]));
    assert_eq!(numbers(&encoded(grey_alpha, ImageFormat::Png), &grey).unwrap(), two);
    assert_eq!(numbers(&encoded(rgb, ImageFormat::Png), &colour).unwrap(), red_blue);
    assert_eq!(numbers(&encoded(rgba, ImageFormat::Png), &colour).unwrap(), red_blue);
    let palette: &[u8] = &[255, 0, 0, 0, 0, 255];
    let indexed = raw_png([2, 1], ColorType::Indexed, BitDepth::One, Some(palette), &[0b0100_0000]);
    assert_eq!(numbers(&indexed, &colour).unwrap(), red_blue);
    let bits = raw_png([2, 1], ColorType::Grayscale, BitDepth::Two, None, &[0b0111_0000]);
    assert_eq!(numbers(&bits, &grey).unwrap(), [85, 255].map(number));
}

#[test]
fn sixteen_bits_keep_what_eight_cannot() {
    let wide = |value: u16| -0.5 + (0.5 - -0.5) * f64::from(value) / 65_535.0;
    let grey = ImageBuffer::from_fn(2, 1, |x, _| Luma([[1_u16, 65_534][x as usize]]));
    let grey = encoded(grey, ImageFormat::Png);
    assert_eq!(numbers(&grey, &space([1, 1, 2], false)).unwrap(), [1, 65_534].map(wide));
    let rgba = encoded(ImageBuffer::from_pixel(1, 1, Rgba([1_u16, 2, 3, 4])), ImageFormat::Png);
    assert_eq!(numbers(&rgba, &space([3, 1, 1], false)).unwrap(), [1, 2, 3].map(wide));
    let grey_alpha = encoded(ImageBuffer::from_pixel(1, 1, LumaA([1_u16, 4])), ImageFormat::Png);
    assert_eq!(numbers(&grey_alpha, &space([1, 1, 1], false)).unwrap(), [wide(1)]);
}

#[test]
fn another_size_or_colour_needs_resize() {
    let colour = encoded(RgbImage::from_pixel(100, 80, Rgb([255, 0, 0])), ImageFormat::Png);
    let size = "has 100 x 80 pixels, the model takes 28 x 28: pass --resize to have it resized, or resize it yourself";
    refused(&colour, &space([3, 28, 28], false), &[size]);
    refused(&colour, &space([1, 80, 100], false), &["in colour", "turn it to grey", "--resize"]);
    refused(&colour, &space([4, 80, 100], false), &["4 channels", ".npy"]);
    let vector = Space { shape: vec![784], range: [0.0, 1.0], resize: Some(Resize::Squash) };
    refused(&colour, &vector, &["[784]", "are not pictures"]);
    let endless = Space { range: [f64::NEG_INFINITY, f64::INFINITY], ..space([3, 80, 100], false) };
    refused(&colour, &endless, &["-inf to inf"]);
    // Both at once; red is 0.2126 of white (Rec. 709).
    let grey = numbers(&colour, &space([1, 28, 28], true)).unwrap();
    assert_eq!(grey, vec![number(54); 784]);
}

#[test]
fn shrinking_averages_and_never_leaves_the_values() {
    // Columns of black and white in turn become an even grey.
    let stripes = GrayImage::from_fn(64, 64, |x, _| Luma([if x % 2 == 0 { 0 } else { 255 }]));
    let small = numbers(&encoded(stripes, ImageFormat::Png), &space([1, 8, 8], true)).unwrap();
    assert!(small.iter().all(|value| value.abs() < 0.04), "{small:?}");
    let edge = GrayImage::from_fn(8, 8, |x, _| Luma([if x < 4 { 50 } else { 200 }]));
    let large = numbers(&encoded(edge, ImageFormat::Png), &space([1, 32, 16], true)).unwrap();
    assert_eq!(large.len(), 512);
    assert!(large.iter().all(|value| (number(50)..=number(200)).contains(value)));
}

#[test]
fn a_jpeg_is_turned_as_its_camera_was() {
    // Left half black, right half white; "rotate by 90 degrees clockwise" puts black on top.
    let image = GrayImage::from_fn(16, 8, |x, _| Luma([if x < 8 { 0 } else { 255 }]));
    let jpeg = encoded(image, ImageFormat::Jpeg);
    let plain = numbers(&jpeg, &space([1, 8, 16], false)).unwrap();
    assert!(plain[0] < -0.4 && plain[15] > 0.4);
    // A TIFF header and one entry: 0x0112, orientation, is 6.
    let tiff = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
    let length = u16::try_from(tiff.len() + 8).unwrap().to_be_bytes();
    let turned = [&jpeg[..2], b"\xff\xe1", &length, b"Exif\0\0", tiff, &jpeg[2..]].concat();
    let turned = numbers(&turned, &space([1, 16, 8], false)).unwrap();
    assert!(turned[..8].iter().all(|&value| value < -0.4), "{turned:?}");
    assert!(turned[120..].iter().all(|&value| value > 0.4), "{turned:?}");
}

#[test]
fn bright_is_half_of_white_in_any_channel() {
    let grey = encoded(GrayImage::from_raw(2, 1, vec![127, 128]).unwrap(), ImageFormat::Png);
    let bright = |bytes: &[u8], shape| Picture::decode(bytes).unwrap().bright(&space(shape, true));
    assert_eq!(bright(&grey, [1, 1, 2]).unwrap(), [false, true]);
    assert_eq!(bright(&grey, [3, 1, 2]).unwrap(), [false, true, false, true, false, true]);
    let rgb = ImageBuffer::from_fn(2, 1, |x, _| Rgb([[0, 0, 200_u8], [100, 100, 100]][x as usize]));
    assert_eq!(bright(&encoded(rgb, ImageFormat::Png), [1, 1, 2]).unwrap(), [true, false]);
    let told = bright(&grey, [1, 2, 2]).unwrap_err().to_string();
    assert!(told.contains("2 x 1") && told.contains("masks are not resized"), "{told}");
}

#[test]
fn a_cut_picture_is_refused_wherever_it_was_cut() {
    let image = gradient(24);
    for format in [ImageFormat::Png, ImageFormat::Jpeg] {
        let whole = encoded(image.clone(), format);
        assert!(numbers(&whole, &space([3, 24, 24], false)).is_ok());
        // The last chunk of a PNG, 12 bytes, says only that it is the last.
        let needed = if format == ImageFormat::Png { whole.len() - 12 } else { whole.len() };
        for length in 0..needed {
            assert!(Picture::decode(&whole[..length]).is_err(), "{format:?}: {length} of {}", whole.len());
        }
    }
}

#[test]
fn changed_bytes_never_panic() {
    let image = gradient(9);
    for format in [ImageFormat::Png, ImageFormat::Jpeg] {
        let whole = encoded(image.clone(), format);
        for place in 0..whole.len() {
            for byte in [0, 1, 0x7f, 0xff, !whole[place]] {
                let mut bytes = whole.clone();
                bytes[place] = byte;
                let _ = numbers(&bytes, &space([3, 9, 9], true));
            }
        }
    }
}

#[test]
fn promises_of_size_are_not_believed() {
    // The header of a PNG with its checksum, and nothing after it.
    let png = |width: u32, height: u32| {
        let mut bytes = raw_png([1, 1], ColorType::Rgb, BitDepth::Sixteen, None, &[0; 6]);
        bytes[16..20].copy_from_slice(&width.to_be_bytes());
        bytes[20..24].copy_from_slice(&height.to_be_bytes());
        let sum = checksum(&bytes[12..29]);
        bytes[29..33].copy_from_slice(&sum.to_be_bytes());
        bytes
    };
    let any = space([3, 28, 28], true);
    refused(&png(65_535, 65_535), &any, &["too large a picture", "256 MiB"]);
    refused(&png(70_000, 1), &any, &["too large a picture", "65535 pixels"]);
    refused(&png(0, 0), &any, &["damaged PNG"]);
    refused(&png(1, 0), &any, &["damaged PNG"]);
    // A JPEG's size stands in its frame header (0xff 0xc0, length, depth, height, width).
    let mut jpeg = encoded(RgbImage::new(8, 8), ImageFormat::Jpeg);
    let at = jpeg.windows(2).position(|pair| pair == [0xff, 0xc0]).unwrap() + 5;
    jpeg[at..at + 4].fill(0xff);
    refused(&jpeg, &any, &["too large a picture"]);
    jpeg[at..at + 4].fill(0);
    refused(&jpeg, &any, &["damaged JPEG"]);
}

/// CRC-32, bit by bit.
fn checksum(bytes: &[u8]) -> u32 {
    let step = |sum: u32, _| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
    !bytes.iter().fold(!0, |sum, &byte| (0..8).fold(sum ^ u32::from(byte), step))
}

#[test]
fn twelve_megapixels_are_brought_to_the_size_of_the_model() {
    // Left third black, the rest white: the middle square begins 500 pixels from the left, and 7/8 of it are seen.
    let image = GrayImage::from_fn(4_000, 3_000, |x, _| Luma([if x < 1_333 { 0 } else { 255 }]));
    let jpeg = encoded(image, ImageFormat::Jpeg);
    let cropped = Space { resize: Some(Resize::Crop), ..space([3, 32, 32], false) };
    let seen = numbers(&jpeg, &cropped).unwrap();
    assert_eq!(seen.len(), 3 * 32 * 32);
    // Black ends at (1333 - 500 - 187.5) / 2625 of the width: pixel 7.87 of 32.
    let row = &seen[..32];
    assert!(row[..7].iter().all(|&x| x < -0.49) && row[9..].iter().all(|&x| x > 0.49), "{row:?}");
}

#[test]
fn a_jpeg_for_print_has_the_colours_it_is_seen_with() {
    // Written by Pillow: the left half magenta and yellow, the right half cyan and magenta.
    let seen = numbers(include_bytes!("../../../tests/files/cmyk.jpg"), &space([3, 16, 16], false)).unwrap();
    let pixel = |column: usize| [0, 1, 2].map(|channel| seen[256 * channel + 16 * 2 + column] > 0.0);
    assert_eq!([pixel(2), pixel(13)], [[true, false, false], [false, false, true]], "red and blue");
}

#[test]
fn one_pixel_is_a_picture_however_it_is_resized() {
    let one = encoded(RgbImage::from_pixel(1, 1, Rgb([255, 0, 51])), ImageFormat::Png);
    let expected: Vec<f64> = [255, 0, 51].into_iter().flat_map(|byte| vec![number(byte); 64]).collect();
    for how in [Resize::Crop, Resize::Squash, Resize::Letterbox] {
        let space = Space { resize: Some(how), ..space([3, 8, 8], false) };
        assert_eq!(numbers(&one, &space).unwrap(), expected, "{how:?}");
    }
}

#[test]
fn a_letterbox_shows_all_of_a_picture_between_grey_bars() {
    let wide = encoded(GrayImage::from_pixel(16, 8, Luma([255])), ImageFormat::Png);
    let space = Space { resize: Some(Resize::Letterbox), ..space([1, 8, 8], false) };
    let seen = numbers(&wide, &space).unwrap();
    let (bars, picture) = (number(BARS), number(255));
    assert_eq!(seen[..16], vec![bars; 16]);
    assert_eq!(seen[16..48], vec![picture; 32]);
    assert_eq!(seen[48..], vec![bars; 16]);
}
