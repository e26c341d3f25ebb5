//! Where an element of a group of images stands in memory: channel, row, column, with a frame of zeros around each plane.

use super::lane::Lane;

/// The planes of one group of images, each in a frame (halo) that stays zero, so that padding costs no branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Planes {
    pub(super) channels: usize,
    pub(super) height: usize,
    pub(super) width: usize,
    pub(super) halo: usize,
}

impl Planes {
    pub(super) fn row(&self) -> usize {
        self.width + 2 * self.halo
    }

    pub(super) fn plane(&self) -> usize {
        (self.height + 2 * self.halo) * self.row()
    }

    pub(super) fn len(&self) -> usize {
        self.channels * self.plane()
    }

    /// Where the row begins, behind the halo.
    pub(super) fn at(&self, channel: usize, y: usize) -> usize {
        channel * self.plane() + (y + self.halo) * self.row() + self.halo
    }

    /// Elements of a channel without the halo.
    pub(super) fn area(&self) -> usize {
        self.height * self.width
    }

    /// The rows of a channel, without the halo.
    pub(super) fn rows<'a>(
        &self,
        channel: usize,
        data: &'a [Lane],
    ) -> impl Iterator<Item = &'a [Lane]> + use<'a> {
        let (start, row, height, width) = (self.at(channel, 0), self.row(), self.height, self.width);
        data[start..].chunks(row).take(height).map(move |row| &row[..width])
    }

    /// The same, to be written.
    pub(super) fn rows_mut<'a>(
        &self,
        channel: usize,
        data: &'a mut [Lane],
    ) -> impl Iterator<Item = &'a mut [Lane]> + use<'a> {
        let (start, row, height, width) = (self.at(channel, 0), self.row(), self.height, self.width);
        data[start..].chunks_mut(row).take(height).map(move |row| &mut row[..width])
    }
}
