//! Files that are not what they should be: a typed error each, no panic, no waiting.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod support;

use std::path::PathBuf;

use gradless::ModelError;
use gradless_models::{Description, Engine, Layout, Onnx, OnnxOptions, Problem};
use support::{engines, file, load, options, points, scores};

fn problem(name: &str, engine: Engine) -> Problem {
    Onnx::load_with(file(&format!("{name}.onnx")), &options(name, engine)).unwrap_err().problem
}

#[test]
fn a_network_that_is_no_classifier_is_refused_with_the_reason() {
    for engine in engines() {
        let found = problem("two-inputs", engine);
        assert!(matches!(&found, Problem::Inputs { names } if names == &["x", "z"]), "{found}");
        let found = problem("two-outputs", engine);
        assert!(matches!(&found, Problem::Outputs { names } if names == &["y", "z"]), "{found}");
        let found = problem("labels", engine);
        assert!(matches!(&found, Problem::OutputType { name, found: 7 } if name == "label"), "{found}");
        assert!(matches!(problem("promises", engine), Problem::ClassCount { promised: 5, found: 4 }));
        let found = problem("rank3", engine);
        assert!(matches!(&found, Problem::OutputShape { found, .. } if found[1..] == [3, 4]), "{found}");
        let found = problem("no-batch", engine);
        assert!(matches!(&found, Problem::OutputShape { found, .. } if found == &[4]), "{found}");
        let found = problem("spam", engine);
        assert!(matches!(found, Problem::InputType { found: 8 }), "{found}");
        let found = problem("elsewhere", engine);
        assert!(matches!(&found, Problem::ExternalWeights { name } if name == "w1"), "{found}");
    }
}

#[test]
fn an_operator_the_engine_lacks_is_named() {
    for engine in engines() {
        let found = problem("operator", engine);
        let named = |operators: &[String]| operators == ["org.example:Sharpen"];
        assert!(matches!(&found, Problem::Operator { operators, .. } if named(operators)), "{found}");
    }
}

#[test]
fn whatever_an_engine_says_names_the_operator_and_the_node() {
    for engine in engines() {
        let said = |name: &str, shape: &[usize]| {
            let description = Description { shape: Some(shape.to_vec()), ..Description::default() };
            let options = OnnxOptions { engine, description: Some(description), ..OnnxOptions::default() };
            Onnx::load_with(file(name), &options).unwrap_err().to_string()
        };
        // So small that the second convolution has nothing to look at; onnxruntime may have made one node of it and the Tanh
        // behind it.
        let named = said("open-axes.onnx", &[2, 4, 4]);
        let found = named.contains("conv_g") || named.contains("(output \"t\")");
        assert!(named.contains("Conv") && found, "{engine:?}: {named}");
        // So small that the pool has not, which onnxruntime lets pass; no node has a name.
        let unnamed = said("unnamed-open-axes.onnx", &[2, 3, 3]);
        let node = if engine == Engine::Rten { "MaxPool (output \"p\")" } else { "Conv (output \"g\")" };
        assert!(unnamed.contains(node), "{engine:?}: {unnamed}");
        for said in [named, unnamed] {
            let other = if engine == Engine::Rten { "ort" } else { "rten" };
            assert!(said.ends_with(&format!("try the engine {other} (`--engine {other}`)")), "{said}");
        }
    }
}

#[test]
fn weights_and_scores_that_are_not_numbers_are_refused() {
    for engine in engines() {
        let found = problem("nan", engine);
        assert!(matches!(&found, Problem::BadWeight { name, index: 53, .. } if name == "w1"), "{found}");
        assert!(matches!(problem("infinite", engine), Problem::BadWeight { index: 53, .. }));
        assert!(matches!(problem("nan-scores", engine), Problem::NotFinite { .. }));
    }
}

#[test]
fn an_input_that_gives_no_number_is_named_by_its_row() {
    for engine in engines() {
        let model = load("dense", engine);
        let mut points = points(20 * 12);
        points[17 * 12 + 3] = f64::NAN;
        let error = scores(&model, &points).unwrap_err();
        assert!(matches!(error, ModelError::NotFinite { row: 17, .. }), "{error}");
        points[17 * 12 + 3] = 0.0;
        assert!(scores(&model, &points).is_ok());
    }
}

#[test]
fn open_axes_ask_for_a_shape_and_shapes_must_fit() {
    let with = |name: &str, description| {
        let options = OnnxOptions { description: Some(description), ..OnnxOptions::default() };
        Onnx::load_with(file(name), &options)
    };
    let shaped = |shape: &[usize]| Description { shape: Some(shape.to_vec()), ..Description::default() };
    let error = with("open-axes.onnx", Description::default()).unwrap_err();
    assert!(error.to_string().contains("[batch, 2, height, width]"), "{error}");
    assert!(with("open-axes.onnx", shaped(&[2, 9, 8])).is_ok());
    for shape in [&[3, 8, 8][..], &[2, 64], &[2, 8, 8, 1]] {
        let error = with("open-axes.onnx", shaped(shape)).unwrap_err();
        assert!(matches!(error.problem, Problem::WrongShape { .. }), "{error}");
    }
    // So small that the second convolution has nothing to look at.
    let error = with("open-axes.onnx", shaped(&[2, 4, 4])).unwrap_err();
    assert!(matches!(error.problem, Problem::Refused { .. }), "{error}");
    let error = with("open-axes.onnx", shaped(&[2, 1 << 20, 1 << 20])).unwrap_err();
    assert!(matches!(error.problem, Problem::HugeBlock { .. }), "{error}");
    let wrong = Description { mean: vec![0.5; 3], ..Description::default() };
    assert!(matches!(with("conv.onnx", wrong).unwrap_err().problem, Problem::Description(_)));
    let zero = Description { std: vec![1.0, 0.0], ..Description::default() };
    assert!(matches!(with("conv.onnx", zero).unwrap_err().problem, Problem::Description(_)));
    let turned = Description { layout: Layout::Nhwc, mean: vec![0.5; 2], ..Description::default() };
    assert!(matches!(with("conv.onnx", turned).unwrap_err().problem, Problem::Description(_)));
}

#[test]
fn what_is_not_a_file_or_not_onnx_is_said_so() {
    let folder = std::env::temp_dir().join(format!("gradless-models-refused-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("model.onnx")).unwrap();
    let put = |name: &str, bytes: &[u8]| -> PathBuf {
        std::fs::write(folder.join(name), bytes).unwrap();
        folder.join(name)
    };
    let problem = |path: PathBuf| Onnx::load(path).unwrap_err().problem;
    assert!(matches!(problem(folder.join("model.onnx")), Problem::IsFolder));
    assert!(matches!(problem(folder.join("nothing.onnx")), Problem::Io(_)));
    for (name, bytes) in [
        ("empty.onnx", &b""[..]),
        ("picture.onnx", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
        ("text.onnx", b"this is not a model\n"),
        ("zeros.onnx", &[0; 4096]),
        ("other.onnx", b"RTEN\x02\0\0\0"),
    ] {
        let found = problem(put(name, bytes));
        assert!(matches!(found, Problem::NotOnnx { .. }), "{name}: {found}");
    }
    let small = OnnxOptions { max_bytes: 1000, ..OnnxOptions::default() };
    let error = Onnx::load_with(file("dense.onnx"), &small).unwrap_err();
    assert!(matches!(error.problem, Problem::TooLarge { limit: 1000, .. }), "{error}");
    // The size is looked at first: a sparse file of four gigabytes is refused at once.
    let path = put("huge.onnx", b"");
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(1 << 32).unwrap();
    assert!(matches!(problem(path), Problem::TooLarge { .. }));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    let bytes = std::fs::read(file("conv.onnx")).unwrap();
    let mut taken = Vec::new();
    for length in 0..bytes.len() {
        if Onnx::from_bytes("cut", &bytes[..length], &OnnxOptions::default()).is_ok() {
            taken.push(length);
        }
    }
    // Behind the graph only the list of operator sets is left.
    assert!(taken.iter().all(|length| bytes.len() - length < 16), "{taken:?}");
}

#[test]
fn a_file_with_a_bit_flipped_is_refused_or_answers_with_numbers() {
    let bytes = std::fs::read(file("dense.onnx")).unwrap();
    // Every byte, and every bit within seven bytes.
    for bit in (0..8 * bytes.len()).step_by(7) {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        if let Ok(model) = Onnx::from_bytes("flipped", &flipped, &OnnxOptions::default()) {
            let dim = gradless::Model::inputs(&model);
            // Scores may be wrong now, even not finite; they may not be anything else.
            let _ = scores(&model, &points(3 * dim));
        }
    }
}
