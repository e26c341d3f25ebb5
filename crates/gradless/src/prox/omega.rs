//! The elastic net in the entropy geometry: $\ln(1 + s/a) + bs = k$, by Lambert's W where that is accurate.

use lambert_w::lambert_w0;

/// Below this $k$, or for $ab$ above three times $k$, the answer is small against $a$ and W would cancel.
const SMALL: f64 = 0.35;
/// $e^{700}$ is a float.
const EXP_MAX: f64 = 700.0;
/// Beyond this $ab$ the logarithm is below the last digit of $bs$.
const LINEAR: f64 = 1e17;
/// Below this $ab$ the product leaves the range where floats keep their digits.
const TINY: f64 = 1e-280;

/// The $s > 0$ with $\ln(1 + s/a) + bs = k$, for $k > 0$, $a > 0$, $b > 0$.
///
/// With $t = s/a$ and $c = ab$ this is $\ln(1+t) + ct = k$, and $w = c(1+t)$ solves $w + \ln w = k + c + \ln c$, so
/// $w = W_0(c\thinspace e^{k+c})$. Three ranges, with the cost per call and the largest relative residual
/// $|\ln(1+t) + ct - k|/k$ measured on 65 536 random cases each (x86-64, one shared core):
///
/// | range | formula | ns | residual |
/// |---|---|---|---|
/// | $k < 0.35$ or $c > 3k$ | quadratic start, series correction, one step of fourth order | 36 | 4.2e-16 |
/// | else, $k + c < 700$ | the crate `lambert_w` to 50 bits, nothing after it | 35 | 5.1e-15 |
/// | else | [`wright_omega`] | 42 | 4.9e-16 |
///
/// Against that: eight Newton steps in $\ln w$ and two in $s$ take 90 to 180 ns at 4e-16; `lambert_w` alone
/// overflows for $k + c > 709$ and loses digits to $w/c - 1$ (residual 4e-11 at $k = 10^{-3}$); its 24-bit variant
/// followed by one step of fourth order takes 50 to 85 ns, no better than its 50 bits alone.
pub(super) fn solve(k: f64, a: f64, b: f64) -> f64 {
    let c = a * b;
    if c > LINEAR {
        return k / b;
    }
    if c < TINY {
        // c·t is below the last digit of k until e^k makes up for c.
        if k < 600.0 {
            return a * k.exp_m1();
        }
    } else if k < SMALL || c > 3.0 * k {
        return a * small(k, c);
    } else if k + c < EXP_MAX {
        return a * (lambert_w0(c * (k + c).exp()) / c - 1.0);
    }
    let ln_c = if c < TINY { a.ln() + b.ln() } else { c.ln() };
    (wright_omega(k + c + ln_c) / b - a).max(0.0)
}

/// $t$ with $\ln(1+t) + ct = k$, where it is below one half.
fn small(k: f64, c: f64) -> f64 {
    // ln(1+t) ≈ t/(1 + t/2) leaves c t² + 2h t = 2k.
    let h = 1.0 + c - 0.5 * k;
    let t = 2.0 * k / (h + (h * h + 2.0 * c * k).sqrt());
    // What that leaves out is 2(r³/3 + r⁵/5 + r⁷/7 + …) with r = t/(2+t): one Newton step on it.
    let r = t / (2.0 + t);
    let r2 = r * r;
    let left_out = 2.0 * r * r2 * (1.0 / 3.0 + r2 * (0.2 + r2 / 7.0));
    let t = t - left_out * (1.0 + t) / (1.0 + c * (1.0 + t));
    // The error is now below 1e-4, and 1e-16 after one step on the true residual.
    let residual = k - t.ln_1p() - c * t;
    t + (1.0 + t) * relative_step(residual, c * (1.0 + t))
}

/// $\omega(y)$: the $w > 0$ with $w + \ln w = y$, without forming $e^y$ where that is no float.
pub(super) fn wright_omega(y: f64) -> f64 {
    if y < EXP_MAX {
        return lambert_w0(y.exp());
    }
    let ln_y = y.ln();
    let w = y - ln_y + ln_y / y;
    w + w * relative_step(y - w - w.ln(), w)
}

/// By what part of itself $w$ must grow to remove the residual of $w + \ln w = y$: order four.
///
/// Fritsch, Shafer and Crowley 1973, as used for $\omega$ by Lawrence, Corless and Jeffrey 2012; written in
/// $z = r/(1+w)$ so that no square of $w$ is formed.
#[inline]
fn relative_step(residual: f64, w: f64) -> f64 {
    let z = residual / (1.0 + w);
    let e = z / (1.0 + w);
    let m = 2.0 + z * (4.0 / 3.0);
    z * ((m - e) / (m - 2.0 * e))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn omega_has_its_known_values() {
        for (y, expected) in
            [(15.0, 12.476_178_864_658), (20.0, 17.157_561_046_216), (50.0, 46.167_719_165_492)]
        {
            assert!((wright_omega(y) - expected).abs() < 1e-12, "{y}");
            // The same number through the step: a = b = 1 gives ω(k + 1) = 1 + s.
            assert!((1.0 + solve(y - 1.0, 1.0, 1.0) - expected).abs() < 1e-12, "{y}");
        }
        for y in [700.0, 701.0, 1e4, 1e18] {
            let w = wright_omega(y);
            assert!((w + w.ln() - y).abs() <= 4.0 * f64::EPSILON * y, "{y}");
        }
    }

    #[test]
    fn the_ranges_meet_without_a_step() {
        // Just below and above each border the answer differs by no more than its slope allows.
        for (k, a, b) in [(SMALL, 1.0, 0.1), (2.0, 1.0, 6.0), (EXP_MAX, 1e-3, 1e-3), (50.0, 0.5, 2e17)] {
            for (low, high) in [(k, k * (1.0 + 1e-13)), (k * (1.0 - 1e-13), k)] {
                let (s, t) = (solve(low, a, b), solve(high, a, b));
                assert!((t / s - 1.0).abs() < 1e-12 * k.max(1.0), "{k} {a} {b}: {s} {t}");
            }
        }
        assert!((solve(600.0, 1e-8, 1e-275) / solve(600.0, 1e-8, 0.999_999e-272) - 1.0).abs() < 1e-9);
    }

    fn power_of_ten(low: f64, high: f64) -> impl Strategy<Value = f64> {
        (low..high).prop_map(|e| 10_f64.powf(e))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn the_equation_holds_to_fourteen_digits(
            k in prop_oneof![power_of_ten(-300.0, 19.0), power_of_ten(-3.0, 3.0)],
            a in power_of_ten(-8.0, 0.0),
            b in prop_oneof![power_of_ten(-300.0, 300.0), power_of_ten(-9.0, 9.0)],
        ) {
            let s = solve(k, a, b);
            // Below the normal floats an answer has no digits to check, and beyond them it is infinite.
            if s == f64::INFINITY {
                prop_assert!(k / b > 0.99 * f64::MAX);
            } else if s > 1e-290 {
                let log = if s / a < 1e300 { (s / a).ln_1p() } else { s.ln() - a.ln() };
                prop_assert!((log + b * s - k).abs() <= 1e-14 * k, "{} {}", s, (log + b * s - k) / k);
            } else {
                prop_assert!(s >= 0.0 && k / (1.0 / a + b) < 1.1e-290);
            }
        }

        #[test]
        fn the_answer_grows_with_k_and_falls_with_b(k in power_of_ten(-8.0, 4.0), a in power_of_ten(-8.0, 0.0), b in power_of_ten(-9.0, 9.0)) {
            prop_assert!(solve(k * 1.001, a, b) > solve(k, a, b));
            prop_assert!(solve(k, a, b * 1.001) <= solve(k, a, b) * (1.0 + 1e-13));
        }
    }
}
