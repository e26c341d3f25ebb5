//! Superpixels: patches of similar colour, about as many as wanted, each in one piece.
//!
//! SLIC (Achanta et al. 2012): k-means over colour and place, each patch looking only at pixels within two widths of its centre; what is
//! cut off from its patch joins a neighbour.

/// Rounds of the k-means; the paper finds ten enough.
const ROUNDS: usize = 10;
/// What a distance of one patch width counts beside a distance in colour (CIELAB units): compact patches above, ragged ones below.
const COMPACTNESS: f64 = 12.0;
/// A piece smaller than this share of a patch joins its neighbour.
const SMALLEST: f64 = 0.25;

/// A picture to be cut up: planes one after the other, numbers between 0 (black) and 1 (white).
pub(super) struct Image<'a> {
    pub(super) planes: &'a [Vec<f64>],
    pub(super) rows: usize,
    pub(super) columns: usize,
}

#[derive(Clone, Copy, Default)]
struct Centre {
    colour: [f64; 3],
    row: f64,
    column: f64,
}

impl Image<'_> {
    /// The number of the patch of every pixel; patches are numbered without gaps.
    pub(super) fn patches(&self, wanted: usize) -> Vec<usize> {
        let (rows, columns) = (self.rows, self.columns);
        let pixels = rows * columns;
        let width = (pixels as f64 / wanted.max(1) as f64).sqrt().max(1.0);
        let colours: Vec<[f64; 3]> = (0..pixels).map(|i| self.colour(i)).collect();
        let mut centres = grid(rows, columns, width, &colours);
        let mut labels = vec![0; pixels];
        let mut distances = vec![f64::INFINITY; pixels];
        for _ in 0..ROUNDS {
            distances.fill(f64::INFINITY);
            for (label, centre) in centres.iter().enumerate() {
                let [top, bottom] = reach(centre.row, width, rows);
                let [left, right] = reach(centre.column, width, columns);
                for row in top..bottom {
                    for column in left..right {
                        let i = row * columns + column;
                        let place =
                            (row as f64 - centre.row).powi(2) + (column as f64 - centre.column).powi(2);
                        let colour: f64 = (0..3).map(|c| (colours[i][c] - centre.colour[c]).powi(2)).sum();
                        let distance = colour + COMPACTNESS * COMPACTNESS * place / (width * width);
                        if distance < distances[i] {
                            distances[i] = distance;
                            labels[i] = label;
                        }
                    }
                }
            }
            centres = means(&labels, &colours, columns, centres.len());
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few pixels")]
        let smallest = (SMALLEST * width * width) as usize;
        in_one_piece(&labels, rows, columns, smallest.max(1))
    }

    /// The colour of a pixel in CIELAB; grey for one plane.
    pub(super) fn colour(&self, i: usize) -> [f64; 3] {
        let at = |plane: usize| self.planes.get(plane).map_or(0.0, |values| values[i].clamp(0.0, 1.0));
        let rgb = if self.planes.len() >= 3 { [at(0), at(1), at(2)] } else { [at(0); 3] };
        lab(rgb)
    }
}

/// The least and the largest place within two widths.
fn reach(centre: f64, width: f64, most: usize) -> [usize; 2] {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "places of a picture")]
    let place = |x: f64| (x.max(0.0) as usize).min(most);
    [place(centre - width), place((centre + width).ceil() + 1.0)]
}

/// Centres on a grid with this width.
fn grid(rows: usize, columns: usize, width: f64, colours: &[[f64; 3]]) -> Vec<Centre> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "patches of a picture")]
    let count = |length: usize| ((length as f64 / width).round() as usize).max(1);
    let (down, across) = (count(rows), count(columns));
    let mut centres = Vec::with_capacity(down * across);
    for k in 0..down * across {
        let row = (k / across * 2 + 1) * rows / (2 * down);
        let column = (k % across * 2 + 1) * columns / (2 * across);
        centres.push(Centre {
            colour: colours[row * columns + column],
            row: row as f64,
            column: column as f64,
        });
    }
    centres
}

fn means(labels: &[usize], colours: &[[f64; 3]], columns: usize, count: usize) -> Vec<Centre> {
    let mut sums = vec![Centre::default(); count];
    let mut sizes = vec![0_u32; count];
    for (i, &label) in labels.iter().enumerate() {
        let sum = &mut sums[label];
        for (total, colour) in sum.colour.iter_mut().zip(colours[i]) {
            *total += colour;
        }
        sum.row += (i / columns) as f64;
        sum.column += (i % columns) as f64;
        sizes[label] += 1;
    }
    for (sum, &size) in sums.iter_mut().zip(&sizes) {
        let size = f64::from(size.max(1));
        sum.colour = sum.colour.map(|total| total / size);
        sum.row /= size;
        sum.column /= size;
    }
    sums
}

/// Connected pieces with labels of their own; small ones join the piece before them.
pub(super) fn in_one_piece(labels: &[usize], rows: usize, columns: usize, smallest: usize) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let mut pieces = vec![NONE; labels.len()];
    let mut next = 0;
    let mut stack = Vec::new();
    for start in 0..labels.len() {
        if pieces[start] != NONE {
            continue;
        }
        let before = [start.checked_sub(columns), (start % columns > 0).then(|| start - 1)];
        let before = before.into_iter().flatten().map(|i| pieces[i]).find(|&piece| piece != NONE);
        stack.push(start);
        pieces[start] = next;
        let mut members = vec![start];
        while let Some(i) = stack.pop() {
            for near in around(i, rows, columns) {
                if pieces[near] == NONE && labels[near] == labels[start] {
                    pieces[near] = next;
                    members.push(near);
                    stack.push(near);
                }
            }
        }
        match before {
            Some(piece) if members.len() < smallest => {
                for i in members {
                    pieces[i] = piece;
                }
            }
            _ => next += 1,
        }
    }
    pieces
}

/// The four places beside one.
pub(super) fn around(i: usize, rows: usize, columns: usize) -> impl Iterator<Item = usize> {
    let (row, column) = (i / columns, i % columns);
    [
        (row > 0).then(|| i - columns),
        (row + 1 < rows).then(|| i + columns),
        (column > 0).then(|| i - 1),
        (column + 1 < columns).then(|| i + 1),
    ]
    .into_iter()
    .flatten()
}

/// sRGB as CIELAB (D65).
fn lab(rgb: [f64; 3]) -> [f64; 3] {
    let linear = rgb.map(|x| if x <= 0.040_45 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) });
    let [r, g, b] = linear;
    let xyz = [
        (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.950_47,
        0.2126 * r + 0.7152 * g + 0.0722 * b,
        (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.088_83,
    ];
    let [x, y, z] = xyz.map(|t| if t > 0.008_856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_follow_edges_and_are_in_one_piece() {
        // A white square on black, 40 x 40.
        let inside = |i: usize| (10..30).contains(&(i / 40)) && (10..30).contains(&(i % 40));
        let plane: Vec<f64> = (0..1600).map(|i| if inside(i) { 1.0 } else { 0.0 }).collect();
        let image = Image { planes: &[plane], rows: 40, columns: 40 };
        let labels = image.patches(25);
        let count = labels.iter().max().unwrap() + 1;
        assert!((12..=40).contains(&count), "{count}");
        for label in 0..count {
            let members: Vec<usize> = (0..1600).filter(|&i| labels[i] == label).collect();
            assert!(!members.is_empty());
            let white = members.iter().filter(|&&i| inside(i)).count();
            assert!(white == 0 || white == members.len(), "patch {label} lies on both sides of the edge");
        }
        assert_eq!(in_one_piece(&labels, 40, 40, 1), labels, "every patch is one piece already");
    }

    #[test]
    fn any_size_and_number_is_cut() {
        for (rows, columns, wanted) in [(1, 1, 1), (1, 7, 3), (5, 3, 100), (2, 2, 0)] {
            let image = Image { planes: &[vec![0.5; rows * columns]], rows, columns };
            let labels = image.patches(wanted);
            assert_eq!(labels.len(), rows * columns);
        }
    }

    #[test]
    fn colours_are_those_of_the_standard() {
        let close =
            |found: [f64; 3], wanted: [f64; 3]| found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 0.1);
        assert!(close(lab([1.0, 1.0, 1.0]), [100.0, 0.0, 0.0]) && close(lab([0.0; 3]), [0.0; 3]));
        assert!(close(lab([1.0, 0.0, 0.0]), [53.24, 80.09, 67.2]));
    }
}
