//! The kinds of black boxes that are killed; one more is one more entry of the list.

use std::path::Path;

use testkit::killing::Trial;

/// A kind and how its runs are begun.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) trial: Trial,
}

const PROBLEM: &str = "\
schema = 1
dim = 40
[regulariser]
l1 = 0.01
[set]
lower = -1
upper = 1
[method]
noise = \"none\"
[budget]
queries = 300
";

/// All kinds, with their files under a folder.
pub(crate) fn all(gradless: &Path, home: &Path) -> Result<Vec<Kind>, String> {
    let problem = home.join("P.toml");
    std::fs::write(&problem, PROBLEM).map_err(|error| error.to_string())?;
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let program = |processes: u64, rows: u64| {
        let log = home.join("log");
        let shown = |path: &Path| path.display().to_string();
        let begin = format!("minimize --processes {processes} --rows {rows} --problem");
        let black_box = [words("--"), vec![shown(&this)], words("black-box 2"), vec![shown(&log)]].concat();
        Trial {
            program: gradless.to_owned(),
            begin: [words(&begin), vec![shown(&problem)]].concat(),
            black_box,
            same: vec!["x.npy", "trace.csv", "result.json"],
            log: Some(log),
            in_flight: processes * rows,
        }
    };
    let onnx = Trial {
        program: gradless.to_owned(),
        begin: words("explain --max-queries 1500 --threads 2"),
        black_box: Vec::new(),
        same: vec!["pp/x.npy", "pn/x.npy", "pp/trace.csv", "pn/trace.csv", "pp/image.png", "result.json"],
        log: None,
        // Two threads with a block of the engine each.
        in_flight: 2 * 32,
    };
    Ok(vec![
        Kind { name: "one program", trial: program(1, 1) },
        Kind { name: "three programs, two points per request", trial: program(3, 2) },
        Kind { name: "ONNX (explain, both questions)", trial: onnx },
    ])
}
