//! What is asked, by its content: neither threads nor time change it.

use sha2::{Digest, Sha256};

/// A point and its noise sample, by 128 bits of the SHA-256 of their bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key(pub(super) [u8; 16]);

impl Key {
    /// The key of a point under a sample.
    pub fn new(sample: u64, point: &[f64]) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(sample.to_le_bytes());
        // In pieces: one call per number would cost more than the hash.
        let mut bytes = [0; 512];
        for piece in point.chunks(bytes.len() / 8) {
            for (bytes, number) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(piece) {
                *bytes = number.to_bits().to_le_bytes();
            }
            hasher.update(&bytes[..8 * piece.len()]);
        }
        let digest: [u8; 32] = hasher.finalize().into();
        let mut key = [0; 16];
        key.copy_from_slice(&digest[..16]);
        Self(key)
    }
}

/// A point and its sample, asked for the first, second, ... time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Question {
    pub(super) key: Key,
    /// From 0.
    pub(super) time: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sample_point_and_the_sign_of_zero_tell_questions_apart() {
        let keys = [
            Key::new(0, &[0.0, 1.0]),
            Key::new(1, &[0.0, 1.0]),
            Key::new(0, &[-0.0, 1.0]),
            Key::new(0, &[1.0, 0.0]),
            Key::new(0, &[0.0, 1.0, 0.0]),
        ];
        for (i, key) in keys.iter().enumerate() {
            assert!(!keys[..i].contains(key));
        }
        let long: Vec<f64> = (0..200).map(f64::from).collect();
        assert_eq!(Key::new(3, &long), Key::new(3, &long.clone()));
    }
}
