//! Days as numbers: `2024-02-29` is so many days after the first of January 1970.

/// The number of a day written as `YYYY-MM-DD`.
pub(super) fn number(text: &str) -> Option<f64> {
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let is_written_so = parts.next().is_none() && [year.len(), month.len(), day.len()] == [4, 2, 2];
    let (year, month, day): (i64, i64, i64) = (year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    let number = days(year, month, day);
    (is_written_so && date(number) == (year, month, day)).then_some(number as f64)
}

/// The day of a number.
pub(super) fn text(number: f64) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "days of this calendar")]
    let (year, month, day) = date(number.round() as i64);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Days since 1970-01-01 in the Gregorian calendar; years begin in March, so that the leap day is the last of a year.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_through_leap_years() {
        assert_eq!(number("1970-01-01"), Some(0.0));
        assert_eq!(number("2000-03-01").unwrap() - number("2000-02-28").unwrap(), 2.0);
        assert_eq!(number("1900-03-01").unwrap() - number("1900-02-28").unwrap(), 1.0);
        for day in ["1969-12-31", "2024-02-29", "2026-11-18", "0001-01-01"] {
            assert_eq!(text(number(day).unwrap()), day);
        }
        for wrong in ["2023-02-29", "2024-13-01", "24-01-01", "2024-1-1", "2024-01-01 10:00", "x", "2024-01"]
        {
            assert_eq!(number(wrong), None, "{wrong}");
        }
    }
}
