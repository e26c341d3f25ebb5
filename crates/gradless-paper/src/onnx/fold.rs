//! Batch normalisation after a convolution, folded into the convolution.

use super::{OnnxError, Tensor, check_values};

/// The convolution that does what `weight`, `bias` and then batch normalisation do: one operator less.
///
/// $$ w'_c = s_c w_c, \qquad b'_c = s_c (b_c - \mu_c) + \beta_c,
/// \qquad s_c = \frac{\gamma_c}{\sqrt{\sigma_c^2 + \epsilon}} $$
///
/// Computed in `f64` and rounded once, so each number is within half a unit of its last place.
pub fn fold_batch_norm(
    weight: &Tensor,
    bias: Option<&[f32]>,
    gamma: &[f32],
    beta: &[f32],
    mean: &[f32],
    variance: &[f32],
    epsilon: f32,
) -> Result<(Tensor, Vec<f32>), OnnxError> {
    weight.check("the weight to fold into", 4)?;
    let channels = weight.shape[0];
    check_norm("the normalisation to fold", channels, [gamma, beta, mean, variance], epsilon)?;
    if let Some(bias) = bias {
        check_values("the bias to fold into", channels, bias)?;
    }
    let per_channel = weight.values.len() / channels;
    let mut folded = Tensor { shape: weight.shape.clone(), values: Vec::with_capacity(weight.values.len()) };
    let mut folded_bias = Vec::with_capacity(channels);
    for (c, kernel) in weight.values.chunks_exact(per_channel).enumerate() {
        let s = f64::from(gamma[c]) / (f64::from(variance[c]) + f64::from(epsilon)).sqrt();
        folded.values.extend(kernel.iter().map(|w| round(s * f64::from(*w))));
        let b = bias.map_or(0.0, |bias| f64::from(bias[c]));
        folded_bias.push(round(s * (b - f64::from(mean[c])) + f64::from(beta[c])));
    }
    folded.check("the folded weight", 4)?;
    check_values("the folded bias", channels, &folded_bias)?;
    Ok((folded, folded_bias))
}

/// That `[gamma, beta, mean, variance]` have a value per channel and every root exists.
pub(super) fn check_norm(
    what: &str,
    channels: usize,
    parts: [&[f32]; 4],
    epsilon: f32,
) -> Result<(), OnnxError> {
    for (part, values) in ["gamma", "beta", "mean", "variance"].into_iter().zip(parts) {
        check_values(&format!("{part} of {what}"), channels, values)?;
    }
    let has_no_root = |variance: &f32| f64::from(*variance) + f64::from(epsilon) <= 0.0 || epsilon.is_nan();
    match parts[3].iter().position(has_no_root) {
        Some(index) => {
            Err(OnnxError::Variance { what: what.to_owned(), index, value: parts[3][index], epsilon })
        }
        None => Ok(()),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "rounding to f32 is what this does")]
fn round(value: f64) -> f32 {
    value as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_by_hand() {
        // gamma / sqrt(variance + epsilon) is 2 / sqrt(3 + 1) = 1 and 6 / sqrt(8 + 1) = 2.
        let weight = Tensor { shape: vec![2, 1, 1, 2], values: vec![1.0, 2.0, 3.0, 4.0] };
        let (gamma, beta, mean, variance) = ([2.0, 6.0], [0.5, -0.5], [1.0, 3.0], [3.0, 8.0]);
        let (folded, bias) =
            fold_batch_norm(&weight, Some(&[4.0, 4.0]), &gamma, &beta, &mean, &variance, 1.0).unwrap();
        assert_eq!(folded.values, [1.0, 2.0, 6.0, 8.0]);
        assert_eq!(bias, [3.5, 1.5]);
        let (_, bias) = fold_batch_norm(&weight, None, &gamma, &beta, &mean, &variance, 1.0).unwrap();
        assert_eq!(bias, [-0.5, -6.5]);
    }

    #[test]
    fn what_cannot_be_folded_is_named() {
        let weight = Tensor { shape: vec![1, 1, 1, 1], values: vec![1.0] };
        let one = [1.0];
        let fold = |mean: &[f32], variance, epsilon| {
            fold_batch_norm(&weight, None, &one, &one, mean, &[variance], epsilon).unwrap_err().to_string()
        };
        assert!(fold(&[], 1.0, 0.0).contains("mean of"), "{}", fold(&[], 1.0, 0.0));
        assert!(fold(&one, 0.0, 0.0).contains("variance 0"));
        assert!(fold(&one, 1.0, f32::NAN).contains("variance 0"));
        assert!(fold(&one, -1.0, 0.5).contains("variance 0"));
        assert!(fold(&[f32::INFINITY], 1.0, 0.0).contains("diverged"));
        // The fold of finite numbers can overflow f32.
        assert!(fold(&[3e38], 1e-10, 0.0).contains("folded"));
    }
}
