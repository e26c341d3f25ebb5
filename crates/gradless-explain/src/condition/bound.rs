//! What a number of draws says about all of them: a lower bound of a share, and the radius it certifies under Gaussian noise.

/// Bounds hold with this probability.
pub const SURE: f64 = 0.95;

/// The least share of all draws that is compatible with `held` of `draws`: below the true share with probability [`SURE`].
///
/// Clopper & Pearson 1934: the $p$ at which so many or more would hold with probability $1 - $ [`SURE`].
pub fn least_share(held: usize, draws: usize) -> f64 {
    if held == 0 || draws == 0 {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if at_least(held, draws, middle) > 1.0 - SURE { high = middle } else { low = middle }
    }
    low
}

/// The probability that so many of `draws` or more hold, each with probability `p` strictly between 0 and 1.
fn at_least(held: usize, draws: usize, p: f64) -> f64 {
    let odds = (p / (1.0 - p)).ln();
    // ln of the first term, C(n, k) p^k (1 - p)^(n - k); each next one follows from the one before.
    let choose: f64 = (0..held).map(|i| ((draws - i) as f64 / (held - i) as f64).ln()).sum();
    let mut term = choose + held as f64 * p.ln() + (draws - held) as f64 * (1.0 - p).ln();
    let mut sum = term.exp();
    for k in held..draws {
        term += ((draws - k) as f64 / (k + 1) as f64).ln() + odds;
        sum += term.exp();
    }
    sum
}

/// Within which $\ell_2$ distance no change of the input makes the class of most noisy copies another one, where at least this share
/// of copies with Gaussian noise of deviation `noise` has it. `None` where that is not more than half of them.
///
/// $R = \sigma\,\Phi^{-1}(\underline p)$: Cohen, Rosenfeld & Kolter 2019, Theorem 1 with $\overline{p_B} = 1 - \underline{p_A}$.
pub fn certified_radius(share: f64, noise: f64) -> Option<f64> {
    (share > 0.5 && noise > 0.0).then(|| noise * normal_quantile(share))
}

/// $\Phi^{-1}(p)$ for $p$ in $(\frac12, 1)$, by bisection on the tail.
fn normal_quantile(p: f64) -> f64 {
    let (mut low, mut high) = (0.0, 40.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if 1.0 - upper_tail(middle) < p { low = middle } else { high = middle }
    }
    low
}

/// $1 - \Phi(x)$ for $x \ge 0$: the series of $\Phi$ for small $x$, Laplace's continued fraction for large ones.
fn upper_tail(x: f64) -> f64 {
    let density = (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if x < 3.0 {
        let (mut term, mut sum) = (x, x);
        for k in 1..80 {
            term *= x * x / f64::from(2 * k + 1);
            sum += term;
        }
        return 0.5 - density * sum;
    }
    let fraction = (1..60).rev().fold(x, |below, k| x + f64::from(k) / below);
    density / fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_those_of_clopper_and_pearson() {
        // All of n: 0.05^(1/n). The others: scipy.stats.beta.ppf(0.05, k, n - k + 1), SciPy 1.17.
        assert!((least_share(100, 100) - 0.05_f64.powf(0.01)).abs() < 1e-12);
        for (held, draws, bound) in [
            (1, 1, 0.05),
            (99, 100, 0.953_440_2),
            (50, 100, 0.413_621_7),
            (9_990, 10_000, 0.998_304_4),
            (0, 9, 0.0),
        ] {
            assert!(
                (least_share(held, draws) - bound).abs() < 1e-6,
                "{held} of {draws}: {}",
                least_share(held, draws)
            );
        }
    }

    #[test]
    fn radii_are_quantiles_of_the_normal_distribution() {
        for (share, quantile) in
            [(0.975, 1.959_964), (0.841_344_746, 1.0), (0.998_650_102, 3.0), (0.999_968_328_758_167, 4.0)]
        {
            let radius = certified_radius(share, 0.5).unwrap();
            assert!((radius - 0.5 * quantile).abs() < 2e-6, "{share}: {radius}");
        }
        assert_eq!((certified_radius(0.5, 1.0), certified_radius(0.9, 0.0)), (None, None));
    }
}
