//! A shape without its rim, its lines kept whole.

/// One pass of the thinning of Zhang & Suen 1984: marked places of a picture at the edge of the shape go, unless a line would break
/// or an end become shorter.
pub(super) fn peeled(shape: &[bool], (rows, columns): (usize, usize)) -> Vec<bool> {
    let mut inner = shape.to_vec();
    for second in [false, true] {
        let before = inner.clone();
        let at = |row: usize, column: usize, (down, right): (isize, isize)| {
            let row = row.checked_add_signed(down).filter(|&row| row < rows);
            let column = column.checked_add_signed(right).filter(|&column| column < columns);
            row.zip(column).is_some_and(|(row, column)| before[row * columns + column])
        };
        for (i, is_in) in inner.iter_mut().enumerate().filter(|(i, _)| before[*i]) {
            let around = RING.map(|step| at(i / columns, i % columns, step));
            let neighbours = around.iter().filter(|&&marked| marked).count();
            let borders = (0..8).filter(|&k| !around[k] && around[(k + 1) % 8]).count();
            let [north, _, east, _, south, _, west, _] = around;
            let inside =
                if second { north && west && (east || south) } else { east && south && (north || west) };
            if (2..=6).contains(&neighbours) && borders == 1 && !inside {
                *is_in = false;
            }
        }
    }
    inner
}

/// The eight places around one, from the north, clockwise.
const RING: [(isize, isize); 8] = [(-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1)];

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(picture: &[&str]) -> Vec<bool> {
        picture.concat().chars().map(|c| c == '#').collect()
    }

    #[test]
    fn a_thick_bar_gets_thinner_and_keeps_its_length_but_for_its_ends() {
        let bar = drawn(&["........", ".######.", ".######.", ".######.", "........"]);
        let inner = peeled(&bar, (5, 8));
        assert!(inner.iter().zip(&bar).all(|(inner, before)| !inner || *before));
        let in_row = |row: usize| inner[8 * row..8 * (row + 1)].iter().filter(|&&marked| marked).count();
        assert!(in_row(1) == 0 && in_row(3) == 0 && in_row(2) >= 3, "{inner:?}");
        assert_eq!(peeled(&inner, (5, 8)), inner, "a line stays");
    }

    #[test]
    fn lines_points_and_nothing_stay_as_they_are() {
        for picture in [
            ["....", "....", "....", "...."],
            ["....", ".#..", "....", "...."],
            ["#...", ".#..", "..#.", "...#"],
            [".#..", ".#..", ".#..", ".#.."],
        ] {
            assert_eq!(peeled(&drawn(&picture), (4, 4)), drawn(&picture), "{picture:?}");
        }
    }
}
