//! Pseudo-random numbers as plain functions of an index, for problems that must not share state with what they test.

/// A well-mixed 64-bit word for an index (the finaliser of SplitMix64, Steele, Lea & Flood 2014).
pub fn word(index: u64) -> u64 {
    let mut z = index.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Uniform in $(0, 1)$.
pub fn uniform(index: u64) -> f64 {
    ((word(index) >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
}

/// Standard normal (Box-Muller on two uniforms).
pub fn normal(index: u64) -> f64 {
    let (u, v) = (uniform(word(index)), uniform(word(index) ^ 0x5555_5555_5555_5555));
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

/// `count` different numbers below `below`, in ascending order.
///
/// # Panics
/// If there are not that many.
pub fn choose(count: usize, below: usize, seed: u64) -> Vec<usize> {
    assert!(count <= below, "cannot choose {count} of {below}");
    let mut chosen = std::collections::BTreeSet::new();
    let mut index = seed.wrapping_mul(0x1000_0001);
    while chosen.len() < count {
        chosen.insert(usize::try_from(word(index) % below as u64).unwrap_or(0));
        index = index.wrapping_add(1);
    }
    chosen.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normals_have_mean_zero_and_variance_one() {
        let n = 20_000;
        let values: Vec<f64> = (0..n).map(normal).collect();
        let mean = values.iter().sum::<f64>() / n as f64;
        let variance = values.iter().map(|v| v * v).sum::<f64>() / n as f64;
        // Four standard errors: 1/sqrt(n) and sqrt(2/n).
        assert!(mean.abs() < 4.0 / (n as f64).sqrt(), "{mean}");
        assert!((variance - 1.0).abs() < 4.0 * (2.0 / n as f64).sqrt(), "{variance}");
    }
}
