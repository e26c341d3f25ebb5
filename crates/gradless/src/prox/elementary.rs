//! $\ln(1 + t)$ and $e^k - 1$ without branches and calls, so that loops over them become vectors.
//!
//! The library's `ln_1p` and `exp_m1` branch on their argument and are calls: a loop over them runs one number at a time.
//! Both functions here are within 2 units in the last place of the library's (tested), and each number goes through the
//! same operations whatever the width of the vectors, so the width changes no bit.

#![expect(clippy::inline_always, reason = "a call in the loop would keep it from becoming vectors")]

use std::f64::consts::{LN_2, LOG2_E, SQRT_2};

/// Beyond this $k$ the exponential may leave the floats.
pub(super) const LARGEST_K: f64 = 700.0;
/// Beyond this $t$ the sum $1 + t$ may leave the floats.
pub(super) const LARGEST_T: f64 = 1e300;

/// $\ln(1 + t)$ for $0 \le t \le 10^{300}$.
///
/// $1 + t = 2^e(1 + f)$ with $|f| \le \sqrt2 - 1$ and $\ln(1+f) = 2\operatorname{artanh}\frac f{2+f}$ by its series; what rounding
/// $1 + t$ has lost is added at the end.
#[inline(always)]
pub(super) fn ln_1p(t: f64) -> f64 {
    const MANTISSA: u64 = (1 << 52) - 1;
    const ONE: u64 = 1023 << 52;
    // An integer below 2^52 in the low bits of this is that integer plus 2^52, as a float.
    const TWO_52: f64 = 4_503_599_627_370_496.0;
    let u = 1.0 + t;
    let lost = if t < 1.0 { t - (u - 1.0) } else { 1.0 - (u - t) };
    let bits = u.to_bits();
    let mantissa = f64::from_bits((bits & MANTISSA) | ONE);
    let exponent = f64::from_bits((bits >> 52) | TWO_52.to_bits()) - (TWO_52 + 1023.0);
    let upper = mantissa > SQRT_2;
    let f = (if upper { 0.5 * mantissa } else { mantissa }) - 1.0;
    let e = if upper { exponent + 1.0 } else { exponent };
    let s = f / (2.0 + f);
    let w = s * s;
    // s^2 <= 0.0295, so the first term left out is below 3e-17 of the sum.
    let series = polynomial(
        w,
        [
            1.0 / 3.0,
            1.0 / 5.0,
            1.0 / 7.0,
            1.0 / 9.0,
            1.0 / 11.0,
            1.0 / 13.0,
            1.0 / 15.0,
            1.0 / 17.0,
            1.0 / 19.0,
            1.0 / 21.0,
            0.0,
            0.0,
        ],
    );
    let tail = 2.0 * s * w * series + (e * LN_2_LOW + lost / u);
    e * LN_2_HIGH + (2.0 * s + tail)
}

/// $e^k - 1$ for $k \le 700$; of no use for $k < 0$.
///
/// $k = n\ln2 + r$ with $|r| \le \frac12\ln2$, and $e^k - 1 = 2^n(e^r - 1) + (2^n - 1)$, which never cancels.
#[inline(always)]
pub(super) fn exp_m1(k: f64) -> f64 {
    // Adding and subtracting it rounds to an integer, whose bits are then the lowest of the sum.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let shifted = k * LOG2_E + ROUND;
    let n = shifted - ROUND;
    let power = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    let r = (k - n * LN_2_HIGH) - n * LN_2_LOW;
    let series = polynomial(
        r,
        [
            1.0 / 2.0,
            1.0 / 6.0,
            1.0 / 24.0,
            1.0 / 120.0,
            1.0 / 720.0,
            1.0 / 5_040.0,
            1.0 / 40_320.0,
            1.0 / 362_880.0,
            1.0 / 3_628_800.0,
            1.0 / 39_916_800.0,
            1.0 / 479_001_600.0,
            1.0 / 6_227_020_800.0,
        ],
    );
    power * (r + r * r * series) + (power - 1.0)
}

/// $\ln 2$ in two parts; the first has its last 20 bits zero, so small integers times it are exact.
const LN_2_HIGH: f64 = f64::from_bits(LN_2.to_bits() & !0xF_FFFF);
const LN_2_LOW: f64 = (LN_2 - LN_2_HIGH) + 2.319_046_813_846_299_6e-17;

/// $c_0 + c_1 w + \dots + c_{11} w^{11}$ in pairs of pairs (Estrin): four multiplications deep instead of eleven.
#[inline(always)]
fn polynomial(w: f64, c: [f64; 12]) -> f64 {
    let w2 = w * w;
    let w4 = w2 * w2;
    let w8 = w4 * w4;
    let pair = |i: usize| c[i] + c[i + 1] * w;
    let four = |i: usize| pair(i) + pair(i + 2) * w2;
    four(0) + (four(4) * w4 + four(8) * w8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn off_by(ours: f64, library: f64) -> f64 {
        if ours == library { 0.0 } else { (ours - library).abs() / (library.abs() * f64::EPSILON) }
    }

    #[test]
    fn both_functions_are_within_two_units_of_the_library() {
        let mut worst = (0.0_f64, 0.0_f64);
        for i in 0..400_000 {
            let t = 10_f64.powf(-20.0 + f64::from(i) * 8e-4);
            if t <= LARGEST_T {
                worst.0 = worst.0.max(off_by(ln_1p(t), t.ln_1p()));
            }
            if t <= LARGEST_K {
                worst.1 = worst.1.max(off_by(exp_m1(t), t.exp_m1()));
            }
        }
        assert!(worst.0 <= 2.0 && worst.1 <= 2.0, "{worst:?}");
        assert_eq!((ln_1p(0.0), exp_m1(0.0)), (0.0, 0.0));
    }
}
