//! Convolutions against the definition, and their ways back against the identity every adjoint obeys.

use super::*;
use crate::train::lane::LANES;

/// Windows of both networks, with the planes they read: odd numbers of channels and columns are among them.
const CASES: [(Window, usize, usize, usize); 7] = [
    (Window { kernel: 3, stride: 1, padding: 1 }, 3, 5, 8),
    (Window { kernel: 3, stride: 1, padding: 1 }, 4, 4, 6),
    (Window { kernel: 3, stride: 2, padding: 1 }, 3, 6, 8),
    (Window { kernel: 5, stride: 1, padding: 0 }, 1, 3, 12),
    (Window { kernel: 5, stride: 1, padding: 0 }, 3, 7, 9),
    (Window { kernel: 1, stride: 1, padding: 0 }, 7, 5, 1),
    (Window { kernel: 1, stride: 1, padding: 0 }, 8, 10, 4),
];

struct Case {
    window: Window,
    from: Planes,
    to: Planes,
    input: Vec<Lane>,
    weights: Vec<f32>,
}

impl Case {
    fn all() -> impl Iterator<Item = Self> {
        CASES.into_iter().map(|(window, channels, outputs, side)| {
            let from = Planes { channels, height: side, width: side, halo: window.padding };
            let side = (side + 2 * window.padding - window.kernel) / window.stride + 1;
            let to = Planes {
                channels: outputs,
                height: side,
                width: side,
                halo: window.kernel - 1 - window.padding,
            };
            let mut next = numbers();
            let input = filled(from, &mut next);
            let weights = (0..outputs * channels * window.kernel * window.kernel).map(|_| next()).collect();
            Self { window, from, to, input, weights }
        })
    }

    fn forward(&self, bias: Option<&[f32]>) -> Vec<Lane> {
        let mut packed = Packed::default();
        packed.fill(&self.weights, self.to.channels, self.weights.len() / self.to.channels);
        let Self { window, from, to, .. } = *self;
        let mut output = vec![Lane::ZERO; to.len()];
        Convolution { window, from, to, weights: &packed, bias, write: Write::Replace }
            .run(&self.input, &mut output);
        output
    }

    /// An input element, zero outside.
    fn input(&self, channel: usize, y: usize, x: usize, lane: usize) -> f64 {
        let (y, x) = (y.checked_sub(self.window.padding), x.checked_sub(self.window.padding));
        match (y, x) {
            (Some(y), Some(x)) if y < self.from.height && x < self.from.width => {
                f64::from(self.input[self.from.at(channel, y) + x].0[lane])
            }
            _ => 0.0,
        }
    }
}

/// Numbers in -1..1, the same every time.
fn numbers() -> impl FnMut() -> f32 {
    let mut state = 1_u32;
    move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / 8_388_608.0 - 1.0
    }
}

/// Planes full of numbers in a frame of zeros.
fn filled(planes: Planes, next: &mut impl FnMut() -> f32) -> Vec<Lane> {
    let mut data = vec![Lane::ZERO; planes.len()];
    for channel in 0..planes.channels {
        for lane in planes.rows_mut(channel, &mut data).flatten() {
            lane.0 = std::array::from_fn(|_| next());
        }
    }
    data
}

fn dot(planes: Planes, a: &[Lane], other: Planes, b: &[Lane]) -> f64 {
    let lanes =
        (0..planes.channels).flat_map(|c| planes.rows(c, a).flatten().zip(other.rows(c, b).flatten()));
    lanes.flat_map(|(a, b)| a.0.into_iter().zip(b.0)).map(|(a, b)| f64::from(a) * f64::from(b)).sum()
}

fn assert_close(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() <= 1e-5 * (1.0 + expected.abs()), "{what}: {found} for {expected}");
}

#[test]
fn a_convolution_is_the_sum_over_its_window() {
    for case in Case::all() {
        let Window { kernel, stride, .. } = case.window;
        let bias: Vec<f32> = (0..case.to.channels).map(|channel| channel as f32 / 8.0).collect();
        let output = case.forward(Some(&bias));
        for (channel, bias) in bias.iter().enumerate() {
            for (y, x) in (0..case.to.height).flat_map(|y| (0..case.to.width).map(move |x| (y, x))) {
                for lane in 0..LANES {
                    let mut sum = f64::from(*bias);
                    for tap in 0..case.from.channels * kernel * kernel {
                        let (input, ky, kx) = (tap / (kernel * kernel), tap / kernel % kernel, tap % kernel);
                        let w = case.weights[channel * case.from.channels * kernel * kernel + tap];
                        sum += f64::from(w) * case.input(input, y * stride + ky, x * stride + kx, lane);
                    }
                    let found = f64::from(output[case.to.at(channel, y) + x].0[lane]);
                    assert_close(found, sum, &format!("{:?} at {channel} {y} {x}", case.window));
                }
            }
        }
    }
}

#[test]
fn the_gradient_by_the_weights_is_the_adjoint() {
    for case in Case::all() {
        let gradient = filled(case.to, &mut numbers());
        let mut by_weights = vec![0.0; case.weights.len()];
        let Case { window, from, to, .. } = case;
        WeightGradient { window, from, to }.run(&case.input, &gradient, &mut by_weights);
        let expected = dot(to, &case.forward(None), to, &gradient);
        let found = case.weights.iter().zip(&by_weights).map(|(&w, &g)| f64::from(w) * f64::from(g)).sum();
        assert_close(found, expected, &format!("{window:?}"));
    }
}

#[test]
fn the_turned_kernel_carries_gradients_back() {
    for case in Case::all().filter(|case| case.window.stride == 1) {
        let Case { window, from, to, .. } = case;
        let gradient = filled(to, &mut numbers());
        let mut turned = Packed::default();
        turned.fill_turned(&case.weights, to.channels, from.channels, window.kernel);
        let mut by_input = filled(from, &mut numbers());
        let before = dot(from, &case.input, from, &by_input);
        let back = Convolution {
            window: Window { kernel: window.kernel, stride: 1, padding: window.kernel - 1 - window.padding },
            from: to,
            to: from,
            weights: &turned,
            bias: None,
            write: Write::Add,
        };
        back.run(&gradient, &mut by_input);
        let expected = dot(to, &case.forward(None), to, &gradient);
        assert_close(dot(from, &case.input, from, &by_input) - before, expected, &format!("{window:?}"));
    }
}

#[test]
fn processors_without_fusing_give_nearly_the_same() {
    for case in Case::all() {
        let Case { window, from, to, .. } = case;
        let mut packed = Packed::default();
        packed.fill(&case.weights, to.channels, case.weights.len() / to.channels);
        let convolution =
            Convolution { window, from, to, weights: &packed, bias: None, write: Write::Replace };
        let mut plain = vec![Lane::ZERO; to.len()];
        slide::any::<false>(&convolution, &case.input, &mut plain);
        let fused = case.forward(None);
        let pairs = plain.iter().zip(&fused).flat_map(|(a, b)| a.0.into_iter().zip(b.0));
        for (a, b) in pairs {
            assert_close(f64::from(a), f64::from(b), &format!("{window:?}"));
        }
        let (mut plain, mut fused) = (vec![0.0; case.weights.len()], vec![0.0; case.weights.len()]);
        let gradient = filled(to, &mut numbers());
        let kernel = WeightGradient { window, from, to };
        weight::any::<false>(&kernel, &case.input, &gradient, &mut plain);
        kernel.run(&case.input, &gradient, &mut fused);
        for (a, b) in plain.into_iter().zip(fused) {
            assert_close(f64::from(a), f64::from(b), &format!("{window:?}"));
        }
    }
}

/// How fast the kernels are, with fused multiply-add and without: the worth of the `unsafe` in the module above.
///
/// `cargo test --release -p gradless-paper --features train --lib kernel_speed -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
#[expect(clippy::print_stdout, reason = "a measurement")]
fn kernel_speed() {
    const TIMES: usize = 40;
    let window = Window { kernel: 3, stride: 1, padding: 1 };
    for (channels, side) in [(16, 32), (32, 16), (64, 8)] {
        let planes = Planes { channels, height: side, width: side, halo: 1 };
        let input = filled(planes, &mut numbers());
        let weights = vec![0.01; channels * channels * 9];
        let mut packed = Packed::default();
        packed.fill(&weights, channels, channels * 9);
        let convolution = Convolution {
            window,
            from: planes,
            to: planes,
            weights: &packed,
            bias: None,
            write: Write::Replace,
        };
        let kernel = WeightGradient { window, from: planes, to: planes };
        let mut output = vec![Lane::ZERO; planes.len()];
        let mut gradient = vec![0.0; weights.len()];
        let work = (2 * TIMES * weights.len() * planes.area() * LANES) as f64;
        let mut speed = |run: &mut dyn FnMut(&mut [Lane], &mut [f32])| {
            let best = (0..5).map(|_| {
                let began = std::time::Instant::now();
                for _ in 0..TIMES {
                    run(std::hint::black_box(&mut output), std::hint::black_box(&mut gradient));
                }
                work / began.elapsed().as_secs_f64() / 1e9
            });
            best.fold(0.0, f64::max)
        };
        let forward = speed(&mut |output, _| convolution.run(&input, output));
        let forward_any = speed(&mut |output, _| slide::any::<false>(&convolution, &input, output));
        let backward = speed(&mut |_, gradient| kernel.run(&input, &input, gradient));
        let backward_any = speed(&mut |_, gradient| weight::any::<false>(&kernel, &input, &input, gradient));
        println!(
            "{channels} x {side} x {side}: {forward:.0} GFLOP/s, {:.1} times the plain build; by weights {backward:.0}, {:.1} times",
            forward / forward_any,
            backward / backward_any
        );
    }
}
