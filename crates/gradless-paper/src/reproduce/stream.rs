//! Seeds by name: what is called differently is independent, whatever else is run and in whatever order.

use sha2::{Digest, Sha256};

/// 256 bits that depend on every word.
pub(super) fn key(words: &[&str]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for word in words {
        // The length first: no two lists of words are the same bytes.
        hash.update((word.len() as u64).to_le_bytes());
        hash.update(word.as_bytes());
    }
    hash.finalize().into()
}

/// A number that depends on every word.
pub(super) fn number(words: &[&str]) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = key(words);
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_kept_apart() {
        assert_ne!(number(&["ab", "c"]), number(&["a", "bc"]));
        assert_eq!(number(&["image", "1"]), number(&["image", "1"]));
    }
}
