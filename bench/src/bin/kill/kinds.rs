//! The kinds of black boxes that are killed; one more is one more entry of the list.

use std::path::Path;
use std::time::Duration;

use testkit::halves;
use testkit::http::{Fault, Server, scores};
use testkit::killing::Trial;

/// A kind and how its runs are begun.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) trial: Trial,
    /// The service that is asked, if it is one; it ends with the kind.
    _service: Option<Server>,
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
            first: 0,
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
        first: 0,
    };
    let kind = |name, trial| Kind { name, trial, _service: None };
    Ok(vec![
        kind("one program", program(1, 1)),
        kind("three programs, two points per request", program(3, 2)),
        http(gradless, home)?,
        kind("ONNX (explain, both questions)", onnx),
    ])
}

/// A service that answers after two milliseconds, three requests of four inputs at a time.
fn http(gradless: &Path, home: &Path) -> Result<Kind, String> {
    let (rows, in_flight) = (4, 3);
    let log = home.join("log-of-the-service");
    let (input, options) = (home.join("x.npy"), home.join("http.toml"));
    let failed = |error: std::io::Error| error.to_string();
    std::fs::write(&input, halves::picture()).map_err(failed)?;
    std::fs::write(&options, format!("rows = {rows}\nin_flight = {in_flight}\n")).map_err(failed)?;
    let answer = scores(testkit::killing::logged(&log, halves::scores));
    let server = Server::steady("127.0.0.1:0", answer, |_| Fault::None, Duration::from_millis(2));
    let server = server.map_err(failed)?;
    let shown = |path: &Path| path.display().to_string();
    let begin = [
        vec!["explain".to_owned(), "--model".to_owned(), server.address.clone()],
        vec!["--shape".to_owned(), "1,4,4".to_owned(), "--max-queries".to_owned(), "600".to_owned()],
        vec!["--http".to_owned(), shown(&options), "--input".to_owned(), shown(&input)],
    ];
    let trial = Trial {
        program: gradless.to_owned(),
        begin: begin.concat(),
        black_box: Vec::new(),
        same: vec!["pp/x.npy", "pn/x.npy", "pp/trace.csv", "pn/trace.csv", "pp/image.png", "result.json"],
        log: Some(log),
        in_flight: rows * in_flight,
        first: 2,
    };
    Ok(Kind { name: "HTTP (explain, both questions)", trial, _service: Some(server) })
}
