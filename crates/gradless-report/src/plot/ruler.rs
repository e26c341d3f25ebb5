//! Axes: from numbers to places between two round ends, with ticks.

use super::Scale;

/// Roughly how many steps a linear axis has.
const LINEAR_STEPS: f64 = 5.0;
/// A logarithmic axis over fewer decades has ticks at 1, 2 and 5 times powers of ten.
const FEW_DECADES: f64 = 2.0;

/// A scale with its ends, which are ticks.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ruler {
    scale: Scale,
    /// The ends on the scale: numbers, or their decimal logarithms.
    low: f64,
    high: f64,
    ticks: Vec<Tick>,
}

/// A tick of a ruler.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    on_scale: f64,
    /// What is written there.
    pub(super) text: String,
    /// Raised behind it.
    pub(super) power: String,
}

impl Tick {
    fn new(on_scale: f64, text: String) -> Self {
        Self { on_scale, text, power: String::new() }
    }
}

impl Ruler {
    /// The smallest ruler with round ends that holds all values; from 0 to 1 on the scale if there are none.
    pub(super) fn around(scale: Scale, values: impl Iterator<Item = f64>) -> Self {
        let on_scale = values.map(|value| scale.of(value)).filter(|value| value.is_finite());
        let (mut low, mut high) =
            on_scale.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        let ticks = match scale {
            Scale::Linear => linear(low, high),
            Scale::Log if high - low < FEW_DECADES => fine(low, high),
            Scale::Log => decades(low, high),
        };
        let end = |tick: Option<&Tick>, or: f64| tick.map_or(or, |tick| tick.on_scale);
        Self { scale, low: end(ticks.first(), low), high: end(ticks.last(), high), ticks }
    }

    /// Where a value lies between the ends, 0 to 1.
    pub(super) fn share(&self, value: f64) -> f64 {
        (self.scale.of(value) - self.low) / (self.high - self.low)
    }

    /// Where the ticks lie between the ends.
    pub(super) fn ticks(&self) -> impl Iterator<Item = (f64, &Tick)> {
        self.ticks.iter().map(|tick| ((tick.on_scale - self.low) / (self.high - self.low), tick))
    }
}

/// Multiples of a round step.
fn linear(low: f64, high: f64) -> Vec<Tick> {
    let step = round_step((high - low) / LINEAR_STEPS);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few digits")]
    let digits = (-step.log10().floor()).max(0.0) as usize;
    multiples(low, high, step).into_iter().map(|tick| Tick::new(tick, format!("{tick:.digits$}"))).collect()
}

/// Powers of ten.
fn decades(low: f64, high: f64) -> Vec<Tick> {
    let tick = |power: f64| Tick { power: format!("{power:.0}"), ..Tick::new(power, "10".to_owned()) };
    multiples(low, high, 1.0).into_iter().map(tick).collect()
}

/// 1, 2 and 5 times powers of ten.
fn fine(low: f64, high: f64) -> Vec<Tick> {
    let ticks: Vec<Tick> = multiples(low - 1.0, high + 1.0, 1.0)
        .into_iter()
        .flat_map(|power| [1.0_f64, 2.0, 5.0].map(|factor| (power + factor.log10(), power, factor)))
        .map(|(on_scale, power, factor)| {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few digits")]
            let digits = (-power).max(0.0) as usize;
            Tick::new(on_scale, format!("{:.digits$}", factor * 10_f64.powf(power)))
        })
        .collect();
    let first = ticks.iter().rposition(|tick| tick.on_scale <= low + 1e-9).unwrap_or(0);
    let last = ticks.iter().position(|tick| tick.on_scale >= high - 1e-9).unwrap_or(ticks.len() - 1);
    ticks[first..=last.max(first + 1)].to_vec()
}

/// Multiples of a step that hold both ends. The tolerance keeps a value that is a tick up to rounding from asking for one
/// tick more.
fn multiples(low: f64, high: f64, step: f64) -> Vec<f64> {
    let first = (low / step + 1e-9).floor();
    let last = (high / step - 1e-9).ceil().max(first + 1.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a handful")]
    let count = (last - first) as usize;
    (0..=count).map(|i| (first + i as f64) * step).collect()
}

impl Scale {
    fn of(self, value: f64) -> f64 {
        match self {
            Self::Linear => value,
            Self::Log => value.log10(),
        }
    }
}

/// The number 1, 2 or 5 times a power of ten that is next above.
fn round_step(wanted: f64) -> f64 {
    if wanted <= 0.0 {
        return 1.0;
    }
    let power = 10_f64.powf(wanted.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .map(|factor| factor * power)
        .into_iter()
        .find(|&step| step >= wanted)
        .unwrap_or(power)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(ruler: &Ruler) -> Vec<&str> {
        ruler.ticks.iter().map(|tick| tick.text.as_str()).collect()
    }

    #[test]
    fn a_log_axis_ends_at_powers_of_ten() {
        let ruler = Ruler::around(Scale::Log, [342.0, 2e5, 1e3].into_iter());
        assert_eq!((ruler.low, ruler.high, ruler.ticks.len()), (2.0, 6.0, 5));
        assert!((ruler.share(1e4) - 0.5).abs() < 1e-12);
        assert_eq!((texts(&ruler)[0], ruler.ticks[0].power.as_str()), ("10", "2"));
        let exact = Ruler::around(Scale::Log, [1e2, 1e6].into_iter());
        assert_eq!((exact.low, exact.high), (2.0, 6.0));
    }

    #[test]
    fn a_linear_axis_has_round_steps_and_no_spare_digits() {
        let ruler = Ruler::around(Scale::Linear, [0.03, 0.94].into_iter());
        assert_eq!(texts(&ruler), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert!((ruler.share(0.25) - 0.25).abs() < 1e-12);
        let large = Ruler::around(Scale::Linear, [-130.0, 260.0].into_iter());
        assert_eq!(texts(&large), ["-200", "-100", "0", "100", "200", "300"]);
    }

    #[test]
    fn steps_are_one_two_five_times_a_power_of_ten() {
        let cases = [(0.9, 1.0), (1.0, 1.0), (1.1, 2.0), (0.03, 0.05), (70.0, 100.0), (0.0, 1.0)];
        for (wanted, step) in cases {
            assert!((round_step(wanted) - step).abs() < 1e-12, "{wanted}");
        }
    }

    #[test]
    fn an_axis_of_nothing_or_one_value_has_a_length() {
        for values in [vec![], vec![5.0], vec![0.0], vec![f64::NAN]] {
            for scale in [Scale::Linear, Scale::Log] {
                let ruler = Ruler::around(scale, values.iter().copied());
                assert!(ruler.high > ruler.low && ruler.low.is_finite(), "{values:?} {scale:?}");
            }
        }
    }

    #[test]
    fn a_log_axis_over_few_decades_has_ticks_at_one_two_and_five() {
        let ruler = Ruler::around(Scale::Log, [0.053, 1.0].into_iter());
        assert_eq!(texts(&ruler), ["0.05", "0.1", "0.2", "0.5", "1"]);
        assert!((ruler.share(1.0) - 1.0).abs() < 1e-12 && ruler.share(0.053) > 0.0);
        let flat = Ruler::around(Scale::Log, [3.0].into_iter());
        assert_eq!(texts(&flat), ["2", "5"]);
    }
}
