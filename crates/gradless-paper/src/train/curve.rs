//! How training went, epoch by epoch, as a table and as a picture.

use std::fmt::Write as _;

use gradless_report::plot::{Axis, Look, Panel, Plot, Scale, Series};

use super::architecture::Architecture;
use super::trainer::EpochRecord;

/// A table with one line per epoch (CSV).
pub fn curve_csv(history: &[EpochRecord]) -> String {
    let mut out = String::from("epoch,train_loss,train_accuracy,test_loss,test_accuracy,rate,seconds\n");
    for record in history {
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "{},{:.6},{:.5},{:.6},{:.5},{:.6},{:.1}",
            record.epoch,
            record.train_loss,
            record.train_accuracy,
            record.test_loss,
            record.test_accuracy,
            record.rate,
            record.seconds
        );
    }
    out
}

/// The share of images that are classified wrongly, epoch by epoch (SVG).
pub fn curve_svg(architecture: Architecture, history: &[EpochRecord]) -> String {
    let series = |name: &str, accuracy: fn(&EpochRecord) -> f64| {
        // Nothing wrong at all has no place on a logarithmic axis: half a test image stands for it.
        let error = |record: &EpochRecord| (100.0 * (1.0 - accuracy(record))).max(5e-3);
        Series {
            name: name.to_owned(),
            label: history.last().map_or_else(String::new, |last| format!("{:.2} %", 100.0 * accuracy(last))),
            points: history.iter().map(|record| (f64::from(record.epoch), error(record))).collect(),
        }
    };
    Plot {
        title: format!("Training of {}", architecture.name()),
        x: Axis { label: "epoch".to_owned(), scale: Scale::Linear },
        y: Axis { label: "classified wrongly, %".to_owned(), scale: Scale::Log },
        look: Look::default(),
        panels: vec![Panel {
            title: "labels: share classified correctly at the end".to_owned(),
            series: vec![
                series("training images", |record| record.train_accuracy),
                series("test images", |record| record.test_accuracy),
            ],
        }],
    }
    .to_svg()
}
