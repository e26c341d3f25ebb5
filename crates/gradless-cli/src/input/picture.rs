//! PNG and JPEG pictures as inputs: channels first, black to white over the range of the model.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{Cursor, Read};
use std::path::Path;

use anyhow::{Context, bail, ensure};
use image::imageops::FilterType;
use image::{DynamicImage, GrayImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits};

use gradless_models::Resize;

use super::{Space, jpeg};

/// No picture with more bytes than this is read or unpacked: a small file can promise a huge one.
const MOST_BYTES: u64 = 256 << 20;
/// The longest side a JPEG can have.
const LONGEST_SIDE: u32 = 65_535;

/// A picture without alpha: grey or three colours, 8 or 16 bits each.
#[derive(Debug)]
pub(super) struct Picture(DynamicImage);

impl Picture {
    /// Reads and decodes a file.
    pub(super) fn open(path: &Path) -> anyhow::Result<Self> {
        let size = fs::metadata(path).context("cannot be read")?.len();
        ensure!(size <= MOST_BYTES, "is too large a file for a picture ({} MiB)", size >> 20);
        let mut bytes = Vec::new();
        File::open(path)
            .and_then(|file| file.take(MOST_BYTES).read_to_end(&mut bytes))
            .context("cannot be read")?;
        Self::decode(&bytes)
    }

    /// Decodes a PNG or JPEG picture, turned the way its camera was held.
    pub(super) fn decode(bytes: &[u8]) -> anyhow::Result<Self> {
        let format = image::guess_format(bytes).context("is not a PNG or JPEG picture")?;
        let name = if format == ImageFormat::Png { "PNG" } else { "JPEG" };
        ensure!(
            format == ImageFormat::Png || jpeg::is_whole(bytes),
            "is a JPEG picture that was cut: its end is missing"
        );
        let told = |error| match error {
            ImageError::Limits(_) => anyhow::anyhow!(
                "is too large a picture: at most {LONGEST_SIDE} pixels a side and {} MiB unpacked are read",
                MOST_BYTES >> 20
            ),
            other => anyhow::Error::new(other).context(format!("is a damaged {name} picture")),
        };
        let mut limits = Limits::default();
        limits.max_image_width = Some(LONGEST_SIDE);
        limits.max_image_height = Some(LONGEST_SIDE);
        limits.max_alloc = Some(MOST_BYTES);
        let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
        reader.limits(limits.clone());
        let mut decoder = reader.into_decoder().map_err(told)?;
        // The decoder holds its own memory to the limits, not the picture it hands out.
        limits.reserve(decoder.total_bytes()).map_err(told)?;
        let orientation = decoder.orientation().map_err(told)?;
        let mut image = DynamicImage::from_decoder(decoder).map_err(told)?;
        image.apply_orientation(orientation);
        Ok(Self(opaque(image)))
    }

    /// A grey picture from its bytes, row after row.
    pub(super) fn grey(columns: usize, rows: usize, bytes: &[u8]) -> anyhow::Result<Self> {
        let image = GrayImage::from_raw(side(columns)?, side(rows)?, bytes.to_vec());
        Ok(Self(DynamicImage::ImageLuma8(image.context("has too few bytes")?)))
    }

    /// The numbers of an input.
    pub(super) fn numbers(self, space: &Space) -> anyhow::Result<Vec<f64>> {
        let [channels, ..] = space.picture()?;
        let samples = self.fitted(space)?.samples();
        let scale = space.scale(samples.white)?;
        Ok((0..channels).flat_map(|channel| samples.plane(channel)).map(scale).collect())
    }

    /// The inputs that tiles of this size make, row by row.
    pub(super) fn tiles(self, rows: usize, columns: usize, space: &Space) -> anyhow::Result<Vec<Vec<f64>>> {
        let (width, height) = (side(columns)?, side(rows)?);
        let (across, down) = (self.0.width() / width, self.0.height() / height);
        let tile = |at: u32| Self(self.0.crop_imm(at % across * width, at / across * height, width, height));
        (0..across * down).map(|at| tile(at).numbers(space)).collect()
    }

    /// Which numbers of an input lie where the picture is bright in any channel.
    pub(super) fn bright(self, space: &Space) -> anyhow::Result<Vec<bool>> {
        let [channels, rows, columns] = space.picture()?;
        if let Some(sizes) = self.other_size(rows, columns) {
            bail!("{sizes}: masks are not resized, so draw it in that size");
        }
        let samples = self.samples();
        let is_bright = |pixel: &[f64]| pixel.iter().any(|value| 2.0 * value >= samples.white);
        let places: Vec<bool> = samples.values.chunks_exact(samples.colours).map(is_bright).collect();
        Ok(places.repeat(channels))
    }

    /// A label for every pixel: pixels of the same colour have the same.
    pub(super) fn labels(self, rows: usize, columns: usize) -> anyhow::Result<Vec<u32>> {
        if let Some(sizes) = self.other_size(rows, columns) {
            bail!("{sizes}: labels are not resized, so draw them in that size");
        }
        let samples = self.samples();
        let mut known: HashMap<Vec<u64>, u32> = HashMap::new();
        let mut labels = Vec::with_capacity(rows * columns);
        for pixel in samples.values.chunks_exact(samples.colours) {
            let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
            labels.push(*known.entry(pixel.iter().map(|value| value.to_bits()).collect()).or_insert(next));
        }
        Ok(labels)
    }

    /// The picture in the size and colours of the model, if that is allowed.
    fn fitted(self, space: &Space) -> anyhow::Result<Self> {
        let [channels, rows, columns] = space.picture()?;
        let sizes = self.other_size(rows, columns);
        let mut image = self.0;
        if let (Some(sizes), None) = (&sizes, space.resize) {
            bail!("{sizes}: pass --resize to have it resized, or resize it yourself");
        }
        if channels == 1 && image.color().has_color() {
            ensure!(
                space.resize.is_some(),
                "is in colour, the model takes 1 channel: turn it to grey, or pass --resize to have it done"
            );
            // Rec. 709 luma.
            image = image.grayscale();
        }
        if let (Some(_), Some(how)) = (sizes, space.resize) {
            image = resized(&image, how, [side(columns)?, side(rows)?]);
        }
        Ok(Self(image))
    }

    /// What to say if the picture has not this size.
    fn other_size(&self, rows: usize, columns: usize) -> Option<String> {
        let (width, height) = (self.0.width() as usize, self.0.height() as usize);
        ((height, width) != (rows, columns))
            .then(|| format!("has {width} x {height} pixels, the model takes {columns} x {rows}"))
    }

    fn samples(&self) -> Samples {
        let wide = |values: &[u16]| values.iter().copied().map(f64::from).collect();
        let narrow = |values: &[u8]| values.iter().copied().map(f64::from).collect();
        let (values, colours, white) = match &self.0 {
            DynamicImage::ImageLuma8(image) => (narrow(image), 1, 255.0),
            DynamicImage::ImageRgb8(image) => (narrow(image), 3, 255.0),
            DynamicImage::ImageLuma16(image) => (wide(image), 1, 65_535.0),
            other => (wide(&other.to_rgb16()), 3, 65_535.0),
        };
        Samples { values, colours, white }
    }
}

/// The values of a picture, pixel after pixel.
struct Samples {
    values: Vec<f64>,
    /// Values per pixel.
    colours: usize,
    /// The value of white.
    white: f64,
}

impl Samples {
    /// One channel; grey stands for three equal colours.
    fn plane(&self, channel: usize) -> impl Iterator<Item = f64> + '_ {
        let channel = if self.colours == 1 { 0 } else { channel };
        self.values.chunks_exact(self.colours).map(move |pixel| pixel[channel])
    }
}

/// Classifiers of ImageNet are tested with the middle 224 of 256 pixels.
const MIDDLE: f64 = 224.0 / 256.0;
/// The bars beside a picture that does not reach, of 255.
const BARS: u8 = 128;

/// A picture of this width and height.
fn resized(image: &DynamicImage, how: Resize, [width, height]: [u32; 2]) -> DynamicImage {
    let scales = [f64::from(width) / f64::from(image.width()), f64::from(height) / f64::from(image.height())];
    // A triangle scaled to the pixels of the result: it averages where it shrinks, as "bilinear" does in Pillow,
    // and never leaves the values of the picture, as sharper filters do beside edges.
    let scaled = |scale: f64, least: [u32; 2], most: [u32; 2]| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "pixels of a side")]
        let side = |pixels: u32| (f64::from(pixels) * scale).round() as u32;
        let [columns, rows] =
            [side(image.width()).clamp(least[0], most[0]), side(image.height()).clamp(least[1], most[1])];
        image.resize_exact(columns, rows, FilterType::Triangle)
    };
    match how {
        Resize::Squash => image.resize_exact(width, height, FilterType::Triangle),
        Resize::Crop => {
            let covers = scales[0].max(scales[1]) / MIDDLE;
            let large = scaled(covers, [width, height], [u32::MAX; 2]);
            large.crop_imm((large.width() - width) / 2, (large.height() - height) / 2, width, height)
        }
        Resize::Letterbox => {
            let small = scaled(scales[0].min(scales[1]), [1; 2], [width, height]);
            let mut whole = DynamicImage::new(width, height, small.color());
            let wide = u16::from(BARS) * 257;
            match &mut whole {
                DynamicImage::ImageLuma8(bars) => bars.iter_mut().for_each(|level| *level = BARS),
                DynamicImage::ImageRgb8(bars) => bars.iter_mut().for_each(|level| *level = BARS),
                DynamicImage::ImageLuma16(bars) => bars.iter_mut().for_each(|level| *level = wide),
                DynamicImage::ImageRgb16(bars) => bars.iter_mut().for_each(|level| *level = wide),
                _ => {}
            }
            let at = [(width - small.width()) / 2, (height - small.height()) / 2].map(i64::from);
            image::imageops::replace(&mut whole, &small, at[0], at[1]);
            whole
        }
    }
}

/// Alpha is left out: a pixel counts with the colour it has, however transparent.
fn opaque(image: DynamicImage) -> DynamicImage {
    match image {
        DynamicImage::ImageLumaA8(_) => image.into_luma8().into(),
        DynamicImage::ImageRgba8(_) => image.into_rgb8().into(),
        DynamicImage::ImageLumaA16(_) => image.into_luma16().into(),
        DynamicImage::ImageRgba16(_) => image.into_rgb16().into(),
        other => other,
    }
}

fn side(pixels: usize) -> anyhow::Result<u32> {
    u32::try_from(pixels).context("is to have more pixels than a picture can")
}

#[cfg(test)]
mod tests;
