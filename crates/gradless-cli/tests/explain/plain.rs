//! The paper's own experiment: one minimisation at fixed weights, and nothing else.

use serde_json::{Value, json};

use crate::by_hand;
use crate::question::{Question, ROW};

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

/// The loss of a margin without kappa: ln(1 + exp(-margin)).
fn loss(margin: f64) -> f64 {
    (-margin).exp().ln_1p()
}

/// Loss and penalty of a record's answer, worked out by hand.
fn objective(record: &Value) -> f64 {
    let x = by_hand::npy(record["files"]["x"].as_str().unwrap());
    let scores = by_hand::scores(&x);
    let loss = loss(scores[1] - scores[0].max(scores[2]));
    let [l1, l2] = ["l1", "l2"].map(|key| number(&record["weights"][key]));
    loss + l1 * x.iter().map(|x| x.abs()).sum::<f64>() + 0.5 * l2 * x.iter().map(|x| x * x).sum::<f64>()
}

#[test]
fn without_kappa_search_and_pruning_the_seeds_objective_is_minimised() {
    // Only the four pixels of the row are free, and alike. At x each, the loss ln(1 + exp(1/2 - 4x)) and the penalty
    // 4 (x/16 + x^2/8) balance where 1 / (1 + exp(4x - 1/2)) = 1/16 + x/4.
    let slope = |x: f64| 0.0625 + 0.25 * x - 1.0 / (1.0 + (4.0 * x - 0.5).exp());
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if slope(middle) < 0.0 { low = middle } else { high = middle }
    }
    let best: f64 = low;
    let least = loss(4.0 * best - 0.5) + 4.0 * (0.0625 * best + 0.125 * best * best);
    let asked = Question::new("plain", "rows")
        .about_the_row()
        .with("--mode pp --kappa none --search off --prune off --l1 0.0625 --l2 0.25 --max-queries 20000");
    let told = asked.ask().ends(0).json();
    assert_eq!((number(&told["weights"]["l1"]), number(&told["weights"]["l2"])), (0.0625, 0.25));
    assert_eq!((&told["kappa"], &told["minimal"]), (&Value::Null, &json!("not_asked")));
    let found = number(&told["objective"]);
    assert!((found - objective(&told)).abs() < 1e-5, "{told}");
    assert!(found >= least - 1e-6 && found <= least + 0.01, "{found} is not {least}");
    let x = by_hand::npy(told["files"]["x"].as_str().unwrap());
    assert!(x[4..8].iter().all(|x| (x - best).abs() < 0.1), "{x:?}");

    let trace = std::fs::read_to_string(told["files"]["trace"].as_str().unwrap()).unwrap();
    let rows: Vec<Vec<f64>> = trace
        .lines()
        .skip(1)
        .map(|line| line.split(',').map(|cell| cell.parse().unwrap_or(f64::NAN)).collect())
        .collect();
    assert_eq!(told["iterations"], rows.len());
    // Loss and penalty make up the objective in every row, at the weights given and no others.
    for row in &rows {
        let [objective, loss, l1, l2] = [row[2], row[3], row[4], row[5]];
        assert!((objective - (loss + 0.0625 * l1 + 0.125 * l2 * l2)).abs() < 1e-6, "{row:?}");
    }
    assert_eq!(number(&told["objective_start"]), rows[0][2]);
}

#[test]
fn the_preset_paper_is_the_papers_text() {
    for (words, method, mode) in [
        ("--mode pp", "zo-ada-exp-grad+", "pp"),
        ("--mode pn", "zo-ada-exp-grad+", "pn"),
        ("--mode pp --method zo-exp-storm", "zo-exp-storm", "pp"),
    ] {
        let asked = Question::new("paper-preset", "rows").about_the_row().with("--preset paper").with(words);
        let ran = asked.ask();
        assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
        let told = ran.json();
        assert_eq!((&told["method"], &told["mode"]), (&json!(method), &json!(mode)));
        assert_eq!(told["iterations"], 200, "T = 200: {}", told["stop_reason"]);
        assert_eq!(told["weights"], json!({"l1": 0.0625, "l2": 0.0625}));
        assert_eq!((&told["kappa"], &told["minimal"]), (&Value::Null, &json!("not_asked")));
        let config: Value = serde_json::from_str(&asked.text("config.json")).unwrap();
        let settings = &config["settings"];
        let question = if mode == "pp" {
            json!({"kind": "part"})
        } else {
            json!({"kind": "change", "moves": "add", "target": null})
        };
        assert_eq!(
            (&settings["questions"], &settings["strategy"], &settings["prune"]),
            (&json!([question]), &json!("fixed"), &json!(false))
        );
        assert!(told["queries"].as_u64() <= settings["max_queries"].as_u64());
        if mode == "pp" {
            by_hand::check(&told, &ROW, &[0.0; 16]);
            assert!((number(&told["objective"]) - objective(&told)).abs() < 1e-5);
        }
        // m = 200 directions and a base point in every step; STORM asks at the point before too, whose value it knows.
        let trace = std::fs::read_to_string(told["files"]["trace"].as_str().unwrap()).unwrap();
        let queries: Vec<u64> =
            trace.lines().skip(1).map(|line| line.split(',').nth(1).unwrap().parse().unwrap()).collect();
        let per_step = if method == "zo-exp-storm" { 401 } else { 201 };
        assert!(queries.windows(2).all(|pair| pair[1] - pair[0] == per_step), "{queries:?}");
    }
}

#[test]
fn former_words_mean_the_same() {
    let config = |name: &str, words: &str| {
        let asked = Question::new(name, "rows").about_the_row().with("--max-queries 900").with(words);
        assert!(matches!(asked.ask().code, Some(0 | 1)));
        serde_json::from_str::<Value>(&asked.text("config.json")).unwrap()["settings"].clone()
    };
    for (now, then) in [
        ("--question part --preset paper", "--mode pp --preset seed"),
        (
            "--question change --strategy fixed --method zo-ada-exp-grad+",
            "--mode pn --search off --method zo-ada-exp-grad+",
        ),
        ("--strategy penalised --method zo-psgd --step-weight 100", "--method zo-psgd --step-weight 100"),
    ] {
        assert_eq!(config("now", now), config("then", then), "{now}");
    }
}

#[test]
fn the_preset_authors_is_that_of_their_scripts() {
    let asked = Question::new("authors", "rows").about_the_row().with("--preset authors --mode pn");
    let ran = asked.ask();
    assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
    let told = ran.json();
    assert_eq!((&told["iterations"], &told["kappa"]), (&json!(200), &Value::Null));
    let config: Value = serde_json::from_str(&asked.text("config.json")).unwrap();
    assert_eq!(config["settings"]["questions"][0]["moves"], "two-sided");
    // Words go before presets.
    let told = asked.ask_with("--force --set add --l1 0.5 --kappa 0.1 --prune on --max-queries 900").json();
    assert_eq!(told["weights"], json!({"l1": 0.5, "l2": 0.5}));
    assert_eq!(told["kappa"], 0.1);
    let config: Value = serde_json::from_str(&asked.text("config.json")).unwrap();
    let settings = &config["settings"];
    assert_eq!((&settings["questions"][0]["moves"], &settings["prune"]), (&json!("add"), &json!(true)));
}

#[test]
fn methods_that_need_gradients_or_do_not_exist_are_refused() {
    let asked = Question::new("method", "rows").about_the_row().with("--method");
    asked.ask_with("sgd-of-mine").fails_saying(&["sgd-of-mine", "zo-ada-exp-grad+"]);
    asked.ask_with("fo-exp-grad").fails_saying(&["fo-exp-grad", "gradients", "zo-"]);
    asked.ask_with("zo-exp-storm --step-weight 0").fails_saying(&["--step-weight", "positive"]);
}
