//! Variants of a picture that may have another class: its own strokes make other shapes, a 3 and its mirror image an 8.

/// A picture, plane after plane, and what is there where nothing is.
pub(super) struct Variants<'a> {
    pub(super) input: &'a [f64],
    pub(super) absent: &'a [f64],
    pub(super) rows: usize,
    pub(super) columns: usize,
}

/// Where a variant takes the value of a place from.
type From<'a> = &'a dyn Fn(usize, usize) -> (usize, usize);

impl Variants<'_> {
    /// The picture mirrored and turned, united with itself so, in a half or a quarter of it, moved, and with bands of it gone.
    pub(super) fn all(&self) -> Vec<Vec<f64>> {
        let turned = self.turned();
        let united: Vec<Vec<f64>> = turned.iter().map(|other| self.merged(other, f64::max)).collect();
        let mut all: Vec<Vec<f64>> = turned.iter().map(|other| self.merged(other, f64::min)).collect();
        for other in turned.iter().chain(&united).map(Vec::as_slice).chain([self.absent]) {
            // 0 for the first half, 1 for the second, 2 for both.
            for (down, right) in [(0, 2), (1, 2), (2, 0), (2, 1), (0, 0), (0, 1), (1, 0), (1, 1)] {
                all.push(self.within(other, &|row, column| {
                    (down == 2 || down == 2 * row / self.rows)
                        && (right == 2 || right == 2 * column / self.columns)
                }));
            }
        }
        all.extend(turned);
        all.extend(united);
        all.extend(self.doubled());
        all.extend(self.banded());
        all
    }

    /// Mirrored and turned; by a quarter if it is a square.
    fn turned(&self) -> Vec<Vec<f64>> {
        let (last_row, last_column) = (self.rows - 1, self.columns - 1);
        let mut turned = vec![
            self.moved(&|row, column| (row, last_column - column)),
            self.moved(&|row, column| (last_row - row, column)),
            self.moved(&|row, column| (last_row - row, last_column - column)),
        ];
        if self.rows == self.columns {
            turned.extend([
                self.moved(&|row, column| (column, row)),
                self.moved(&|row, column| (column, last_row - row)),
                self.moved(&|row, column| (last_row - column, row)),
                self.moved(&|row, column| (last_row - column, last_row - row)),
            ]);
        }
        turned
    }

    /// United with itself, moved by a seventh, a quarter and a third.
    fn doubled(&self) -> Vec<Vec<f64>> {
        let (last_row, last_column) = (self.rows - 1, self.columns - 1);
        let by = |parts: usize| {
            let (down, right) = (self.rows / parts, self.columns / parts);
            let ways: [From<'_>; 4] = [
                &|row, column| ((row + down).min(last_row), column),
                &|row, column| (row.saturating_sub(down), column),
                &|row, column| (row, (column + right).min(last_column)),
                &|row, column| (row, column.saturating_sub(right)),
            ];
            ways.map(|from| self.merged(&self.moved(from), f64::max))
        };
        [7, 4, 3].into_iter().flat_map(by).collect()
    }

    /// With two sevenths of it gone, in a band across or down.
    fn banded(&self) -> Vec<Vec<f64>> {
        let inside = |at: usize, side: usize, band: usize| (band..band + 2).contains(&(7 * at / side));
        let both = |band: usize| {
            [
                self.within(self.absent, &|row, _| inside(row, self.rows, band)),
                self.within(self.absent, &|_, column| inside(column, self.columns, band)),
            ]
        };
        (0..7).flat_map(both).collect()
    }

    /// Every place has the value of another one.
    fn moved(&self, from: From<'_>) -> Vec<f64> {
        let plane = self.rows * self.columns;
        let at = |i: usize| {
            let (row, column) = from(i % plane / self.columns, i % plane % self.columns);
            self.input[i / plane * plane + row * self.columns + column]
        };
        (0..self.input.len()).map(at).collect()
    }

    fn merged(&self, other: &[f64], merge: fn(f64, f64) -> f64) -> Vec<f64> {
        self.input.iter().zip(other).map(|(&a, &b)| merge(a, b)).collect()
    }

    /// Another picture inside an area, this one outside.
    fn within(&self, other: &[f64], inside: &dyn Fn(usize, usize) -> bool) -> Vec<f64> {
        let at = |(i, (&here, &other)): (usize, (&f64, &f64))| {
            let place = i % (self.rows * self.columns);
            if inside(place / self.columns, place % self.columns) { other } else { here }
        };
        self.input.iter().zip(other).enumerate().map(at).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_are_turned_united_and_cut_in_every_plane() {
        let input = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
        let all = Variants { input: &input, absent: &[0.0; 8], rows: 2, columns: 2 }.all();
        for wanted in [
            [2.0, 1.0, 4.0, 3.0, 6.0, 5.0, 8.0, 7.0],
            [1.0, 3.0, 2.0, 4.0, 5.0, 7.0, 6.0, 8.0],
            [3.0, 1.0, 4.0, 2.0, 7.0, 5.0, 8.0, 6.0],
            [2.0, 2.0, 4.0, 4.0, 6.0, 6.0, 8.0, 8.0],
            [0.0, 2.0, 3.0, 4.0, 0.0, 6.0, 7.0, 8.0],
            [3.0, 4.0, 3.0, 4.0, 7.0, 8.0, 7.0, 8.0],
        ] {
            assert!(all.contains(&wanted.to_vec()), "{wanted:?}");
        }
    }

    #[test]
    fn what_is_no_square_is_not_turned_by_a_quarter() {
        let all =
            Variants { input: &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], absent: &[0.0; 6], rows: 2, columns: 3 }.all();
        assert!(all.iter().all(|variant| variant.len() == 6));
        assert!(all.contains(&vec![6.0, 5.0, 4.0, 3.0, 2.0, 1.0]));
    }
}
