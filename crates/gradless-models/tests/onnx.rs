//! ONNX files that are good: the right answers, the same bits however they are asked.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod support;

use gradless::{Config, Driver, Model, Problem, Regulariser, Scored, Set, Solver};
use gradless_models::{Description, Engine, Onnx, OnnxOptions, ScoreKind};
use support::{bits, engines, expected, file, load, options, points, scores};

#[test]
fn every_engine_answers_as_onnxruntime_does() {
    for engine in engines() {
        for (name, expected) in expected() {
            let model = load(&name, engine);
            assert_eq!(model.shape(), expected.shape, "{name}");
            let found = scores(&model, &expected.inputs.concat()).unwrap();
            for (found, wanted) in found.iter().zip(expected.scores.concat()) {
                assert!((found - wanted).abs() < 1e-5, "{name} on {engine:?}: {found} for {wanted}");
            }
        }
    }
}

#[test]
fn a_rows_bits_depend_neither_on_the_cut_nor_on_the_threads() {
    for engine in engines() {
        for name in ["dense", "conv", "nhwc", "probabilities", "batch1", "defaults"] {
            let model = load(name, engine);
            let dim = model.inputs();
            let points = points(75 * dim);
            let whole = bits(&scores(&model, &points).unwrap());
            for rows in [1, 2, 3, 5, 7, 8, 9, 16, 31, 33, 74] {
                let cut = points.chunks(rows * dim).flat_map(|points| scores(&model, points).unwrap());
                assert_eq!(
                    bits(&cut.collect::<Vec<_>>()),
                    whole,
                    "{name} in batches of {rows} on {engine:?}"
                );
            }
            for threads in [2, 3, 50] {
                let threaded = OnnxOptions { threads, ..options(name, engine) };
                let threaded = Onnx::load_with(file(&format!("{name}.onnx")), &threaded).unwrap();
                assert_eq!(threaded.preferred_rows(), model.preferred_rows() * threads);
                assert_eq!(bits(&scores(&threaded, &points).unwrap()), whole, "{name} on {threads} threads");
            }
        }
    }
}

#[test]
fn several_threads_may_ask_at_once() {
    for engine in engines() {
        let model = load("conv", engine);
        let points = points(20 * model.inputs());
        let whole = bits(&scores(&model, &points).unwrap());
        std::thread::scope(|scope| {
            let ask = || (0..10).all(|_| bits(&scores(&model, &points).unwrap()) == whole);
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
            assert!(threads.into_iter().all(|thread| thread.join().unwrap()));
        });
    }
}

#[test]
fn smaller_blocks_have_the_digits_of_large_ones_and_a_fixed_batch_decides_itself() {
    let model = load("dense", Engine::Rten);
    assert_eq!(model.block_sizes().first(), Some(&Onnx::BLOCK));
    assert_eq!(model.block_sizes().last(), Some(&2));
    assert_eq!(load("batch1", Engine::Rten).block_sizes(), [1]);
    let points = points(77 * 12);
    let whole = bits(&scores(&model, &points).unwrap());
    for rows in [2, 3, 5, 8, 100] {
        let other = OnnxOptions { rows: Some(rows), ..options("dense", Engine::Rten) };
        let other = Onnx::load_with(file("dense.onnx"), &other).unwrap();
        assert_eq!(other.block_sizes()[0], rows);
        assert_eq!(bits(&scores(&other, &points).unwrap()), whole, "blocks of {rows}");
    }
}

#[test]
fn probabilities_are_told_from_logits_unless_the_description_says() {
    assert_eq!(load("dense", Engine::Rten).score_kind(), ScoreKind::Logits);
    assert_eq!(load("probabilities", Engine::Rten).score_kind(), ScoreKind::Probabilities);
    let description = Description { scores: ScoreKind::Logits, ..Description::default() };
    let options = OnnxOptions { description: Some(description), ..OnnxOptions::default() };
    let model = Onnx::load_with(file("probabilities.onnx"), &options).unwrap();
    assert_eq!(model.score_kind(), ScoreKind::Logits);
}

#[test]
fn preprocessing_belongs_to_the_model() {
    let plain = load("conv", Engine::Rten);
    let description =
        Description { scale: 2.0, mean: vec![0.5, 0.25], std: vec![0.5, 4.0], ..Description::default() };
    let options = OnnxOptions { description: Some(description), ..OnnxOptions::default() };
    let model = Onnx::load_with(file("conv.onnx"), &options).unwrap();
    let x = points(128);
    let (first, second) = x.split_at(64);
    let by_hand: Vec<f64> = first
        .iter()
        .map(|x| (2.0 * x - 0.5) / 0.5)
        .chain(second.iter().map(|x| (2.0 * x - 0.25) / 4.0))
        .collect();
    let (found, wanted) = (scores(&model, &x).unwrap(), scores(&plain, &by_hand).unwrap());
    assert!(found.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() < 1e-5));
}

#[test]
fn the_description_beside_a_file_is_found_and_names_its_classes() {
    let folder = std::env::temp_dir().join(format!("gradless-models-beside-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::copy(file("dense.onnx"), folder.join("m.onnx")).unwrap();
    std::fs::write(folder.join("m.toml"), "classes = [\"a\", \"b\", \"c\", \"d\"]").unwrap();
    let model = Onnx::load(folder.join("m.onnx")).unwrap();
    assert_eq!((model.class_name(2), model.class_name(9)), ("c".to_owned(), "9".to_owned()));
    std::fs::write(folder.join("m.toml"), "classes = [\"a\"]").unwrap();
    let error = Onnx::load(folder.join("m.onnx")).unwrap_err();
    assert!(error.to_string().contains("names 1 classes, the model has 4"), "{error}");
    std::fs::write(folder.join("m.toml"), "classes = 3").unwrap();
    assert!(Onnx::load(folder.join("m.onnx")).unwrap_err().path.ends_with("m.toml"));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_run_on_a_model_takes_the_same_steps_on_any_number_of_threads() {
    let model = load("conv", Engine::Rten);
    let run = |threads: usize| {
        let black_box = Scored { model: &model, loss: |scores: &[f64]| scores[0] - scores[1] };
        let problem = Problem::builder(model.inputs())
            .regulariser(Regulariser::l1(0.001))
            .set(Set::bounds(0.0, 1.0))
            .build()
            .unwrap();
        let config = Config { budget: gradless::Budget::queries(600), ..Config::default() };
        Driver::default().threads(threads).run(Solver::new(problem, config).unwrap(), &black_box)
    };
    let (one, three) = (run(1), run(3));
    assert_eq!(bits(one.x()), bits(three.x()));
    let start = scores(&model, &vec![0.0; model.inputs()]).unwrap();
    assert!(one.objective() < Some(start[0] - start[1]), "{:?} from {start:?}", one.objective());
}

#[test]
fn scores_are_found_beside_a_label_or_by_their_name() {
    for engine in engines() {
        let with = |name: &str, output: Option<&str>| {
            let description = Description { output: output.map(str::to_owned), ..Description::default() };
            let options = OnnxOptions { engine, description: Some(description), ..OnnxOptions::default() };
            Onnx::load_with(file(name), &options)
        };
        assert_eq!(with("labels-and-scores.onnx", None).unwrap().classes(), 4);
        let points = points(2 * 4);
        let tanh = scores(&with("two-outputs.onnx", Some("y")).unwrap(), &points).unwrap();
        let relu = scores(&with("two-outputs.onnx", Some("z")).unwrap(), &points).unwrap();
        for ((x, tanh), relu) in points.iter().zip(tanh).zip(relu) {
            assert!(
                (tanh - x.tanh()).abs() < 1e-6 && (relu - x.max(0.0)).abs() < 1e-6,
                "{x}: {tanh}, {relu}"
            );
        }
        let error = with("two-outputs.onnx", Some("w")).unwrap_err();
        assert!(
            matches!(&error.problem, gradless_models::Problem::NoOutput { name, .. } if name == "w"),
            "{error}"
        );
    }
}
