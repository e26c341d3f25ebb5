//! Numbers as people read them.

/// Three significant digits; very small and very large ones with a power of ten; a dash for what is not a number.
pub(super) fn number(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let (sign, size) = if value < 0.0 { ("−", -value) } else { ("", value) };
    if size == 0.0 {
        return "0".to_owned();
    }
    if (1e-3..1e5).contains(&size) {
        let decimals = match size {
            100.0.. => 0,
            10.0.. => 1,
            1.0.. => 2,
            0.1.. => 3,
            0.01.. => 4,
            _ => 5,
        };
        let digits = format!("{size:.decimals$}");
        let digits = if decimals == 0 { &digits } else { digits.trim_end_matches('0').trim_end_matches('.') };
        return format!("{sign}{digits}");
    }
    let scientific = format!("{size:.1e}");
    let (mantissa, power) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let mantissa = mantissa.trim_end_matches(".0");
    let power: String = power.chars().map(superscript).collect();
    if mantissa == "1" { format!("{sign}10{power}") } else { format!("{sign}{mantissa}×10{power}") }
}

fn superscript(digit: char) -> char {
    match digit {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        _ => digit.to_digit(10).and_then(|digit| char::from_u32(0x2070 + digit)).unwrap_or(digit),
    }
}

/// Decimals that give numbers up to this size about three digits, for columns that are read downwards.
pub(super) fn decimals(largest: f64) -> usize {
    match largest {
        100.0.. => 0,
        10.0.. => 1,
        1.0.. => 2,
        _ => 3,
    }
}

/// A number with so many decimals; far from what they can show, as [`number`] has it.
pub(super) fn aligned(value: f64, decimals: usize) -> String {
    match value.abs() {
        0.0..1e6 => format!("{value:.decimals$}").replace('-', "−"),
        _ => number(value),
    }
}

/// As [`number`] below a thousand; above it whole and in groups of three.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1e3 and 1e15")]
pub(super) fn grouped(value: f64) -> String {
    if (999.5..1e15).contains(&value) { count(value.round() as u64) } else { number(value) }
}

/// Groups of three: `12,345`.
pub(super) fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1 pixel`, `16 pixels`.
pub(super) fn plural(value: usize, noun: &str) -> String {
    format!("{} {noun}{}", count(value as u64), if value == 1 { "" } else { "s" })
}

/// `0.42 s`, `3.1 s`, `2 min 5 s`, `1 h 4 min`.
pub(super) fn seconds(value: f64) -> String {
    if !(0.0..1e9).contains(&value) {
        return "–".to_owned();
    }
    if value < 59.95 {
        return match value {
            10.0.. => format!("{value:.1} s"),
            _ => format!("{} s", number((value * 100.0).round() / 100.0)),
        };
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between a minute and 1e9 seconds"
    )]
    let whole = value.round() as u64;
    if whole < 3600 {
        format!("{} min {} s", whole / 60, whole % 60)
    } else {
        format!("{} h {} min", count(whole / 3600), whole % 3600 / 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_significant_digits() {
        let table = [
            (0.0, "0"),
            (-0.0, "0"),
            (0.5, "0.5"),
            (5.674, "5.67"),
            (-12.34, "−12.3"),
            (100.0, "100"),
            (45678.0, "45678"),
            (0.001_234, "0.00123"),
            (0.000_12, "1.2×10⁻⁴"),
            (1e300, "10³⁰⁰"),
            (f64::NAN, "–"),
            (f64::NEG_INFINITY, "–"),
        ];
        for (value, text) in table {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn a_column_has_the_same_decimals_throughout() {
        assert_eq!([0.998, 9.8, 12.0, 400.0].map(decimals), [3, 2, 1, 0]);
        assert_eq!([9.8, -2.0, 1e9, f64::NAN].map(|value| aligned(value, 2)), ["9.80", "−2.00", "10⁹", "–"]);
    }

    #[test]
    fn counts_are_grouped_and_durations_have_units() {
        assert_eq!([0, 999, 1000, 2_400_000].map(count), ["0", "999", "1,000", "2,400,000"]);
        assert_eq!([0.5, 999.7, 5000.0].map(grouped), ["0.5", "1,000", "5,000"]);
        assert_eq!(plural(1, "pixel") + ", " + &plural(2, "pixel"), "1 pixel, 2 pixels");
        let durations = [0.004, 0.42, 12.34, 59.97, 125.0, 3840.0, f64::NAN].map(seconds);
        assert_eq!(durations, ["0 s", "0.42 s", "12.3 s", "1 min 0 s", "2 min 5 s", "1 h 4 min", "–"]);
    }
}
