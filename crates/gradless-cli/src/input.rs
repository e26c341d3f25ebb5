//! Pictures as inputs of a model: channels first, black to white over the range of the model's description.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Seek};
use std::path::Path;

use anyhow::{Context, bail};

const DIGIT: &[u8] = include_bytes!("../../../assets/digits/5.png");
/// No picture with more bytes than this is unpacked: a small file can promise a huge one.
const MOST_BYTES: usize = 256 << 20;

/// The embedded digit.
pub(crate) fn digit(shape: &[usize], range: [f64; 2]) -> anyhow::Result<Vec<f64>> {
    decode(Cursor::new(DIGIT), shape, range).context("the embedded digit")
}

/// A picture from a file, which must have the shape of the model's inputs.
pub(crate) fn picture(path: &Path, shape: &[usize], range: [f64; 2]) -> anyhow::Result<Vec<f64>> {
    let read = || {
        if path.is_dir() {
            bail!("is a folder, a picture is needed");
        }
        decode(BufReader::new(File::open(path).context("cannot be read")?), shape, range)
    };
    read().with_context(|| path.display().to_string())
}

fn decode(reader: impl BufRead + Seek, shape: &[usize], [low, high]: [f64; 2]) -> anyhow::Result<Vec<f64>> {
    let mut decoder = png::Decoder::new_with_limits(reader, png::Limits { bytes: MOST_BYTES });
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().context("is not a PNG picture, or it was damaged")?;
    let size =
        reader.output_buffer_size().filter(|&size| size <= MOST_BYTES).context("is too large a picture")?;
    let mut bytes = vec![0; size];
    let frame = reader.next_frame(&mut bytes).context("is a damaged PNG picture")?;
    let (width, height) = (frame.width as usize, frame.height as usize);
    let &[channels, rows, columns] = shape else {
        bail!("is a picture, but the model takes inputs of shape {shape:?}, which are not pictures");
    };
    if (height, width) != (rows, columns) {
        bail!("has {width} x {height} pixels, the model takes {columns} x {rows}: resize it");
    }
    // Alpha is left out; grey stands for three equal colours.
    let samples = frame.color_type.samples();
    let colours = if samples >= 3 { 3 } else { 1 };
    if channels != colours && colours != 1 {
        bail!("is in colour, the model takes {channels} channel: turn it to grey");
    }
    let pixels: Vec<&[u8]> = bytes[..frame.buffer_size()].chunks_exact(samples).collect();
    let plane = |channel: usize| {
        let channel = if colours == 1 { 0 } else { channel };
        pixels.iter().map(move |pixel| low + (high - low) * f64::from(pixel[channel]) / 255.0)
    };
    Ok((0..channels).flat_map(plane).collect())
}
