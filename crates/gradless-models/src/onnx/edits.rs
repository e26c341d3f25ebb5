//! Changes to a file: what is cut out where and what stands there instead, with the lengths of the messages around it.

use super::wire::{Part, put_head};

/// Changes in the order of their places. They take memory by their number, not by the size of the file.
#[derive(Debug, Default)]
pub(super) struct Edits {
    list: Vec<Edit>,
    /// Bytes put in so far, those taken back included.
    put: usize,
}

#[derive(Debug)]
struct Edit {
    from: usize,
    to: usize,
    with: Vec<u8>,
}

/// A message that is being changed.
#[derive(Debug)]
#[must_use = "its length must be set right"]
pub(super) struct Open {
    /// Where the change of its length is, or will be.
    place: usize,
    number: u64,
    length: usize,
}

impl Edits {
    /// Puts bytes in the place of others. Places come in order.
    pub(super) fn replace(&mut self, from: usize, to: usize, with: Vec<u8>) {
        self.put = self.put.saturating_add(with.len());
        self.list.push(Edit { from, to, with });
    }

    /// Bytes put in so far.
    pub(super) fn put(&self) -> usize {
        self.put
    }

    /// Begins to change the message in a field.
    pub(super) fn open(&mut self, part: Part<'_>) -> Open {
        let length = part.inside().map_or(0, |span| span.bytes.len());
        let open = Open { place: self.list.len(), number: part.number, length };
        // What stands before the message: its tag and its length.
        self.replace(part.from, part.to - length, Vec::new());
        open
    }

    /// Ends that: the length in front of the message is changed if the message is.
    pub(super) fn close(&mut self, Open { place, number, length }: Open) {
        let (heads, inner) = self.list[place..].split_at_mut(1);
        let (mut gone, mut come) = (0, 0);
        for edit in &*inner {
            gone += edit.to - edit.from;
            come += edit.with.len();
        }
        match heads {
            [head] if !inner.is_empty() => put_head(&mut head.with, number, length - gone + come),
            _ => self.list.truncate(place),
        }
    }

    /// Puts bytes in the place of the whole field, whatever was changed in it.
    pub(super) fn instead(&mut self, Open { place, .. }: Open, part: Part<'_>, with: Vec<u8>) {
        self.list.truncate(place);
        self.replace(part.from, part.to, with);
    }

    /// The file with the changes; `None` if there are none.
    pub(super) fn apply(self, bytes: &[u8]) -> Option<Vec<u8>> {
        if self.list.is_empty() {
            return None;
        }
        let added: usize = self.list.iter().map(|edit| edit.with.len()).sum();
        let mut out = Vec::with_capacity(bytes.len() + added);
        let mut at = 0;
        for edit in &self.list {
            out.extend_from_slice(bytes.get(at..edit.from).unwrap_or_default());
            out.extend_from_slice(&edit.with);
            at = edit.to;
        }
        out.extend_from_slice(bytes.get(at..).unwrap_or_default());
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::super::wire::{Field, Span, fields, put_bytes, put_number};
    use super::*;

    /// Appends bytes to the message in every field 1 of every field 7.
    fn appended(file: &[u8], addition: &[u8]) -> Option<Vec<u8>> {
        let mut edits = Edits::default();
        for outer in
            (Span { bytes: file, start: 0 }).parts().map(Result::unwrap).filter(|part| part.number == 7)
        {
            let outer_open = edits.open(outer);
            for part in outer.inside().unwrap().parts().map(Result::unwrap).filter(|part| part.number == 1) {
                let open = edits.open(part);
                edits.replace(part.to, part.to, addition.to_vec());
                edits.close(open);
            }
            edits.close(outer_open);
        }
        edits.apply(file)
    }

    #[test]
    fn lengths_around_a_change_are_changed_and_the_rest_is_kept() {
        let mut inner = Vec::new();
        put_bytes(&mut inner, 1, b"abc");
        put_bytes(&mut inner, 2, &[9; 120]);
        let mut file = Vec::new();
        put_number(&mut file, 1, 8);
        put_bytes(&mut file, 7, &inner);
        put_bytes(&mut file, 8, b"end");
        // The message grows from 127 bytes to 327: its length now takes two digits.
        let changed = appended(&file, &[b'z'; 200]).unwrap();
        let read: Vec<_> = fields(&changed).map(Result::unwrap).collect();
        assert_eq!((read[0], read[2]), ((1, Field::Number(8)), (8, Field::Bytes(b"end"))));
        let (7, Field::Bytes(message)) = read[1] else { panic!("{read:?}") };
        let inside: Vec<_> = fields(message).map(Result::unwrap).collect();
        let grown = [b"abc".to_vec(), vec![b'z'; 200]].concat();
        assert_eq!(inside, [(1, Field::Bytes(&grown[..])), (2, Field::Bytes(&[9; 120][..]))]);
    }

    #[test]
    fn a_file_without_changes_is_left_alone() {
        let mut file = Vec::new();
        put_bytes(&mut file, 7, b"\x12\x01a");
        assert_eq!(appended(&file, b"z"), None);
    }
}
