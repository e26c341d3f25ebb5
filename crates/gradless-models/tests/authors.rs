//! The networks that the paper's authors published, where they are: `GRADLESS_AUTHORS` names the folder.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod support;

use std::path::PathBuf;

use gradless::Model;
use gradless_models::{Engine, Onnx, OnnxOptions};
use support::{engines, points, scores};

/// Their convolutions leave out what ONNX has a default for, and their nodes have no names.
#[test]
fn the_authors_networks_answer_on_the_default_engine_as_on_onnxruntime() {
    let Some(folder) = std::env::var_os("GRADLESS_AUTHORS").map(PathBuf::from) else {
        testkit::skip(
            "the authors' networks on both engines: GRADLESS_AUTHORS is not set (a folder with lenet.onnx and resnet20.onnx)",
        );
        return;
    };
    for (name, shape) in [("lenet", [1, 28, 28]), ("resnet20", [3, 32, 32])] {
        let answers = engines().into_iter().map(|engine| {
            let options = OnnxOptions { engine, ..OnnxOptions::default() };
            let model = Onnx::load_with(folder.join(format!("{name}.onnx")), &options).unwrap();
            assert_eq!((model.shape(), model.classes()), (&shape[..], 10), "{name}");
            (engine, scores(&model, &points(20 * model.inputs())).unwrap())
        });
        let answers: Vec<(Engine, Vec<f64>)> = answers.collect();
        let [(Engine::Rten, found), others @ ..] = &answers[..] else { panic!("rten is not there") };
        // Different inputs have different answers.
        assert!(found[..10] != found[10..20], "{name}");
        for (engine, wanted) in others {
            let largest =
                found.iter().zip(wanted).map(|(found, wanted)| (found - wanted).abs()).fold(0.0, f64::max);
            assert!(largest < 1e-5, "{name}: rten and {} differ by {largest:.1e}", engine.name());
        }
    }
}
