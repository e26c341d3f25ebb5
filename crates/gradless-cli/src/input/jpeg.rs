//! Whether a JPEG file is whole: the decoder fills what is missing with grey and says nothing.

/// Ends a picture.
const END: u8 = 0xd9;

/// Whether the marker that ends the picture is there. Segments are stepped over: a small picture inside one (a preview)
/// has an end of its own.
pub(super) fn is_whole(bytes: &[u8]) -> bool {
    let mut rest = bytes.get(2..).unwrap_or(&[]);
    // Inside the data of a scan, 0xff is followed by 0 or counts restarts; 0xff before a marker is padding.
    let is_marker = |pair: &[u8]| pair[0] == 0xff && !matches!(pair[1], 0 | 1 | 0xff | 0xd0..=0xd8);
    while let Some(at) = rest.windows(2).position(is_marker) {
        if rest[at + 1] == END {
            return true;
        }
        let segment = &rest[at + 2..];
        let length = match segment {
            [high, low, ..] => usize::from(u16::from_be_bytes([*high, *low])),
            _ => return false,
        };
        rest = segment.get(length..).unwrap_or(&[]);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_preview_is_not_the_end() {
        let preview = b"\xff\xd8\xff\xe1\x00\x06\xff\xd8\xff\xd9";
        let scan = b"\xff\xda\x00\x02\x01\xff\x00\xff\xd1\x02";
        let cut = [preview.as_slice(), scan].concat();
        assert!(!is_whole(&cut));
        assert!(is_whole(&[&cut, b"\xff\xff\xd9and more".as_slice()].concat()));
        for length in 0..cut.len() {
            assert!(!is_whole(&cut[..length]));
        }
    }
}
