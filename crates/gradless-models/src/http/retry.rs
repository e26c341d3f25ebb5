//! How long to wait before a request is sent again.

use std::time::Duration;

/// Days before each month of a year without a leap day.
const DAYS_BEFORE: [i64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// The pause before the next attempt: anything from nothing to `first` doubled with every failure, never above `longest`.
///
/// All of the interval is used ("full jitter"), so that many clients of one service do not come back at once. The choice
/// is a function of the seed, the batch and the attempt, and has nothing to do with the randomness of a search.
pub(super) fn pause(seed: u64, batch: u64, failures: u32, first: Duration, longest: Duration) -> Duration {
    let bound = first.saturating_mul(1 << failures.saturating_sub(1).min(20)).min(longest);
    let word = mixed(seed ^ mixed(batch ^ mixed(u64::from(failures))));
    // 53 bits are a fraction from 0 to 1.
    bound.mul_f64((word >> 11) as f64 / (1_u64 << 53) as f64)
}

/// SplitMix64's last step: every bit of the result depends on every bit given.
fn mixed(word: u64) -> u64 {
    let word = word.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

/// What `Retry-After` asks for: seconds, or a date. A date is read against the `Date` of the same answer, so this machine's
/// clock does not matter; without one it is not understood.
pub(super) fn asked_for(retry_after: &str, date: Option<&str>) -> Option<Duration> {
    let retry_after = retry_after.trim();
    if retry_after.bytes().all(|byte| byte.is_ascii_digit()) {
        return retry_after.parse().ok().map(Duration::from_secs);
    }
    let (until, now) = (seconds(retry_after)?, seconds(date?.trim())?);
    Some(Duration::from_secs(u64::try_from(until - now).unwrap_or(0)))
}

/// Seconds since the year 0 of `Sun, 06 Nov 1994 08:49:37 GMT`.
fn seconds(date: &str) -> Option<i64> {
    let (_, date) = date.split_once(", ")?;
    let mut words = date.split(' ');
    let mut number = |most: i64| words.next()?.parse::<i64>().ok().filter(|n| (0..=most).contains(n));
    let day = number(31)?;
    let month = words.next()?;
    let month = MONTHS.iter().position(|name| *name == month)?;
    let year = words.next()?.parse::<i64>().ok().filter(|year| (1..=9999).contains(year))?;
    let mut time =
        words.next()?.split(':').map(|part| part.parse::<i64>().ok().filter(|n| (0..=60).contains(n)));
    let (hour, minute, second) = (time.next()??, time.next()??, time.next()??);
    if words.next() != Some("GMT") || time.next().is_some() {
        return None;
    }
    let leaps = |year: i64| year / 4 - year / 100 + year / 400;
    let leap_day = i64::from(month >= 2 && leaps(year) > leaps(year - 1));
    let days = 365 * year + leaps(year - 1) + DAYS_BEFORE[month] + leap_day + day;
    Some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_fill_an_interval_that_doubles_up_to_a_bound() {
        let (first, longest) = (Duration::from_millis(200), Duration::from_secs(2));
        for (failures, bound) in [(1, 200), (2, 400), (3, 800), (4, 1600), (5, 2000), (40, 2000)] {
            let pauses: Vec<Duration> =
                (0..1000).map(|request| pause(7, request, failures, first, longest)).collect();
            let bound = Duration::from_millis(bound);
            assert!(pauses.iter().all(|pause| *pause <= bound));
            let mean = pauses.iter().sum::<Duration>() / 1000;
            assert!(mean > bound.mul_f64(0.45) && mean < bound.mul_f64(0.55), "{mean:?} of {bound:?}");
        }
    }

    #[test]
    fn the_same_request_waits_the_same_time() {
        let one = |seed, request| pause(seed, request, 3, Duration::from_secs(1), Duration::from_secs(9));
        assert_eq!(one(1, 2), one(1, 2));
        assert_ne!(one(1, 2), one(1, 3));
        assert_ne!(one(1, 2), one(2, 2));
    }

    #[test]
    fn retry_after_is_seconds_or_a_date_beside_the_answers_own() {
        let date = Some("Sun, 06 Nov 1994 08:49:37 GMT");
        let seconds = |text, date| asked_for(text, date).map(|wait| wait.as_secs());
        assert_eq!(seconds("120", None), Some(120));
        assert_eq!(seconds(" 0 ", date), Some(0));
        assert_eq!(seconds("Sun, 06 Nov 1994 08:50:07 GMT", date), Some(30));
        assert_eq!(seconds("Mon, 07 Nov 1994 08:49:37 GMT", date), Some(86_400));
        assert_eq!(seconds("Thu, 29 Feb 1996 00:00:00 GMT", Some("Wed, 28 Feb 1996 23:59:59 GMT")), Some(1));
        assert_eq!(
            seconds("Fri, 01 Mar 1996 00:00:00 GMT", Some("Thu, 29 Feb 1996 00:00:00 GMT")),
            Some(86_400)
        );
        assert_eq!(seconds("Sun, 01 Jan 1995 00:00:00 GMT", Some("Sat, 31 Dec 1994 23:59:58 GMT")), Some(2));
        // What is over is over.
        assert_eq!(seconds("Sun, 06 Nov 1994 08:00:00 GMT", date), Some(0));
        for wrong in [
            "soon",
            "-1",
            "1.5",
            "Sun, 06 Nov 1994",
            "Sun, 06 Foo 1994 08:49:37 GMT",
            "99999999999999999999999",
        ] {
            assert_eq!(seconds(wrong, date), None, "{wrong}");
        }
        assert_eq!(seconds("Sun, 06 Nov 1994 08:50:07 GMT", None), None);
    }
}
