//! Smaller versions of large pictures, for pages that should stay light.

use super::Picture;

impl Picture {
    /// The picture with both sides at most `limit`, by averaging whole blocks of pixels; itself if it is small enough.
    #[must_use]
    pub fn shrunk(&self, limit: usize) -> Self {
        let factor = self.height.max(self.width).div_ceil(limit.max(1));
        if factor <= 1 {
            return self.clone();
        }
        let (height, width) = (self.height.div_ceil(factor), self.width.div_ceil(factor));
        let mut values = Vec::with_capacity(self.channels * height * width);
        for plane in self.values.chunks_exact(self.pixels()) {
            for top in (0..self.height).step_by(factor) {
                let rows = top..(top + factor).min(self.height);
                for left in (0..self.width).step_by(factor) {
                    let right = (left + factor).min(self.width);
                    let block = rows
                        .clone()
                        .flat_map(|row| &plane[row * self.width + left..row * self.width + right]);
                    let count = rows.len() * (right - left);
                    values.push((block.sum::<f64>() / count as f64).min(1.0));
                }
            }
        }
        Self { channels: self.channels, height, width, values }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_averaged_and_the_last_ones_may_be_smaller() {
        let picture = Picture::new(1, 2, 3, vec![0.0, 1.0, 0.5, 1.0, 0.0, 0.7]).unwrap();
        let small = picture.shrunk(2);
        assert_eq!((small.height(), small.width()), (1, 2));
        assert_eq!(small.values(), [0.5, 0.6]);
        assert_eq!(picture.shrunk(3), picture);
    }

    #[test]
    fn one_pixel_is_the_least() {
        let picture = Picture::new(3, 4, 5, vec![1.0; 60]).unwrap();
        assert_eq!(picture.shrunk(0), Picture::new(3, 1, 1, vec![1.0; 3]).unwrap());
    }
}
