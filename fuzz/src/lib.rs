//! Every reader of ours, each as a function of bytes that must neither panic nor hang nor take memory the bytes do not pay for.
//!
//! What a reader says is not looked at, only that it says something; what it accepts is asked for its properties.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use gradless::drive::{Journal, JournalOptions, Key, Outlives};
use gradless::{Ask, Config, Problem, Solver};
use gradless_explain::features::{Rule, Text, Unit};
use gradless_models::{Description, Engine, HttpOptions, Onnx, OnnxOptions, Resize};
use gradless_paper::authors::{Network, Parameters};
use gradless_paper::data::{self, Split};

/// Readers that live in the command.
#[path = "../../crates/gradless-cli/src"]
#[allow(dead_code, unused_imports, reason = "not all of the command is needed here")]
mod cli {
    pub(crate) mod npy;
    pub(crate) mod input;
    pub(crate) mod table {
        pub(crate) mod sheet;
    }
    pub(crate) mod command {
        pub(crate) mod minimize {
            mod problem;

            use gradless::{Config, Problem};
            use problem::ProblemFile;

            /// What a problem file describes, if it is one and not a large one.
            pub(crate) fn described(text: &str) -> Option<(Problem, Config)> {
                let file = ProblemFile::parse(text).ok()?;
                let again = file.text().and_then(|text| ProblemFile::parse(&text));
                assert!(again.is_ok(), "what was read can be written and read again");
                file.dim().is_ok_and(|dim| dim <= 64).then_some(())?;
                file.problem().ok().zip(file.config().ok())
            }
        }
    }
}

// The command's modules know each other by these names.
use cli::table::sheet::Sheet;
use cli::{input, npy};

/// A reader, fed with bytes.
pub type Target = fn(&[u8]);

/// Everything there is, by name.
pub const TARGETS: [(&str, Target); 13] = [
    ("npy", npy),
    ("picture", picture),
    ("idx", idx),
    ("cifar", cifar),
    ("mxnet", mxnet),
    ("onnx", onnx),
    ("toml", toml),
    ("snapshot", snapshot),
    ("answer", answer),
    ("problem", problem),
    ("sheet", sheet),
    ("words", words),
    ("journal", journal),
];

/// A `.npy` file: its header, all its numbers, one row of them.
pub fn npy(data: &[u8]) {
    let Ok(mut array) = npy::Npy::new(std::io::Cursor::new(data)) else { return };
    let count: usize = array.shape().iter().product();
    if let Ok(numbers) = array.all() {
        assert_eq!(numbers.values.len(), count);
        assert!(numbers.values.iter().all(|value| value.is_finite()));
    }
    if !array.shape().is_empty() {
        let _ = array.item(0);
        let _ = array.item(usize::MAX);
    }
}

/// A picture (or anything else that is handed in as one), as an input and as a mask.
pub fn picture(data: &[u8]) {
    let path = file("picture", "x", data);
    for (shape, resize) in [
        (vec![1, 4, 4], None),
        (vec![3, 4, 4], Some(Resize::Squash)),
        (vec![3, 4, 4], Some(Resize::Crop)),
        (vec![1, 4, 4], Some(Resize::Letterbox)),
        (vec![16], None),
    ] {
        let space = input::Space { shape, range: [0.0, 1.0], resize };
        if let Ok(numbers) = input::read(&path, &space) {
            assert_eq!(numbers.len(), space.shape.iter().product::<usize>());
            assert!(numbers.iter().all(|value| value.is_finite()));
        }
        if let Ok(mask) = input::mask(&path, &space) {
            assert_eq!(mask.len(), space.shape.iter().product::<usize>());
        }
    }
}

/// A table: every cell of it, and the rules that its first cell may spell.
pub fn sheet(data: &[u8]) {
    let Ok(sheet) = Sheet::read(&file("sheet", "x.csv", data), &[]) else { return };
    assert!(sheet.len() > 0);
    for name in &sheet.names {
        assert_eq!(sheet.column(name).map(|column| column.len()), Some(sheet.len()));
    }
    assert!(sheet.cell(sheet.len(), 0).is_none());
    let _ = Rule::parse(sheet.cell(0, 0).unwrap_or_default(), &sheet.names);
}

/// A text: cut into words and sentences, it is the same text without the space around it.
pub fn words(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for (unit, together) in [(Unit::Words, true), (Unit::Words, false), (Unit::Sentences, false)] {
        let Ok(cut) = Text::new(&text, &unit, together) else { continue };
        assert_eq!(cut.built(&vec![1; cut.names().len()]), text.trim());
        assert_eq!(cut.pieces().iter().map(|(piece, _)| *piece).collect::<String>(), text);
    }
}

/// Images and labels in the format of MNIST.
pub fn idx(data: &[u8]) {
    let path = file("idx", "t10k-images-idx3-ubyte", data);
    if let Ok(images) = data::images(&path) {
        assert_eq!(images.pixels.len(), images.count() * images.size());
    }
    file("idx", "t10k-labels-idx1-ubyte", data);
    let _ = data::mnist(path.parent().unwrap_or(Path::new(".")), Split::Test);
}

/// A batch in the format of CIFAR-10. Its records are long, so that a fuzzer's bytes are repeated to fill them.
pub fn cifar(data: &[u8]) {
    let [records, rest @ ..] = data else { return };
    let length = usize::from(records % 4) * 3073 + usize::from(records / 64);
    let bytes: Vec<u8> =
        rest.iter().copied().cycle().take(if rest.is_empty() { 0 } else { length }).collect();
    let path = file("cifar", "test_batch.bin", &bytes);
    if let Ok(found) = data::cifar10(path.parent().unwrap_or(Path::new(".")), Split::Test) {
        assert_eq!(found.images.pixels.len(), found.labels.len() * 3072);
        assert!(found.labels.iter().all(|label| *label < 10));
    }
}

/// Parameters as MXNet writes them, and the networks they might belong to.
pub fn mxnet(data: &[u8]) {
    let Ok(mut parameters) = Parameters::read(data) else { return };
    for network in Network::ALL {
        let _ = network.to_onnx(parameters.clone());
    }
    let names: Vec<String> = parameters.names().map(str::to_owned).collect();
    let mut numbers = 0;
    for name in names {
        let Some(tensor) = parameters.take(&name) else { panic!("{name} has gone") };
        assert_eq!(tensor.values.len(), tensor.shape.iter().product::<usize>());
        numbers += tensor.values.len();
    }
    assert!(4 * numbers <= data.len());
}

/// A network: everything that is looked at and filled in before an engine sees it, and the engines that are there.
pub fn onnx(data: &[u8]) {
    let description = Description { shape: Some(vec![1, 2, 2]), ..Description::default() };
    for (description, engine) in
        [(None, Engine::Rten), (Some(description), Engine::Rten), (None, Engine::Ort)]
    {
        let options = OnnxOptions { description, engine, ..OnnxOptions::default() };
        // Fuzzed on its own there is no engine. In the tests of the workspace there are two, and they may accept the file.
        drop(Onnx::from_bytes("fuzzed", data, &options));
    }
}

/// The description beside a model, and the options of a service.
pub fn toml(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let _ = Description::parse(text);
    let _ = HttpOptions::parse(text);
}

/// A snapshot as it is, and with a header that fits its body.
pub fn snapshot(data: &[u8]) {
    let _ = Solver::restore(data);
    let mut bytes = snapshot_head().to_vec();
    bytes.extend_from_slice(&(data.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&crc32fast::hash(data).to_le_bytes());
    bytes.extend_from_slice(data);
    if let Ok(mut solver) = Solver::restore(&bytes) {
        let again = solver.snapshot();
        assert!(Solver::restore(&again).is_ok(), "what was restored can be saved");
        let _ = solver.ask();
    }
}

/// The name and the version of a snapshot's format.
fn snapshot_head() -> &'static [u8] {
    static HEAD: OnceLock<Vec<u8>> = OnceLock::new();
    HEAD.get_or_init(|| {
        let problem = Problem::builder(1).build().expect("a line is a space");
        let solver = Solver::new(problem, Config::default()).expect("the default can be run");
        solver.snapshot()[..12].to_vec()
    })
}

/// The description of a problem, and the first points of a run if it is not a large one.
pub fn problem(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Some((problem, config)) = cli::command::minimize::described(text) else { return };
    let Ok(mut solver) = Solver::new(problem, config) else { return };
    if let Ask::Evaluate(queries) = solver.ask()
        && queries.len() < 10_000
    {
        assert!(queries.to_matrix().iter().all(|number| number.is_finite()));
    }
}

/// A journal as it is, and one whose records are whole: each begins with its kind and the length of its body.
pub fn journal(data: &[u8]) {
    static HEADER: OnceLock<Vec<u8>> = OnceLock::new();
    let options = JournalOptions { outlives: Outlives::Kill, ..JournalOptions::default() };
    let open = |path: &Path| Journal::open(path, [7; 32], 1, options);
    let header = HEADER.get_or_init(|| {
        let path = file("journal", "new", b"");
        drop(open(&path));
        std::fs::read(&path).unwrap_or_default()
    });
    let path = file("journal", "x", data);
    drop(open(&path));
    // The same behind a header, so that something is looked at.
    let mut bytes = header.clone();
    bytes.extend_from_slice(data);
    drop(open(&file("journal", "y", &bytes)));
    bytes.truncate(header.len());
    let mut rest = data;
    while let [kind, length, behind @ ..] = rest {
        let (body, behind) = behind.split_at(behind.len().min(usize::from(*length)));
        rest = behind;
        let position = bytes.len();
        bytes.extend_from_slice(b"GREC");
        bytes.extend_from_slice(&(body.len() as u32).to_le_bytes());
        bytes.push(*kind);
        bytes.extend_from_slice(body);
        let mut checksum = crc32fast::Hasher::new();
        checksum.update(&(position as u64).to_le_bytes());
        checksum.update(&bytes[position..]);
        bytes.extend_from_slice(&checksum.finalize().to_le_bytes());
    }
    if let Ok(journal) = open(&file("journal", "z", &bytes)) {
        let found = journal.recovered();
        assert!(found.answers <= data.len() as u64 && found.cut <= bytes.len() as u64);
        let sources = journal.look_up(&[Key::new(0, &[0.5])]);
        assert_eq!(sources.len(), 1);
    }
}

/// A request and its answer: the first line is the template, the second the place of the scores, the rest the body.
pub fn answer(data: &[u8]) {
    let mut lines = data.splitn(3, |byte| *byte == b'\n');
    let mut line = || lines.next().unwrap_or_default();
    let (request, response, body) = (line(), line(), line());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let options = HttpOptions { request: text(request), response: text(response), ..HttpOptions::default() };
    let _ = options.body(&[0.5; 8], &[1, 2, 2]);
    for (rows, classes) in [(2, Some(3)), (2, None), (0, None), (usize::MAX, Some(usize::MAX))] {
        if let Ok(scores) = options.scores(body, rows, classes) {
            assert!(scores.iter().all(|score| score.is_finite()));
            assert!(classes.is_none_or(|classes| scores.len() == rows * classes));
        }
    }
}

/// A file of this process, in memory where there is such a place.
fn file(target: &str, name: &str, data: &[u8]) -> PathBuf {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    static CALLS: AtomicU64 = AtomicU64::new(0);
    thread_local!(static CALLER: u64 = CALLS.fetch_add(1, Ordering::Relaxed));
    let root = ROOT.get_or_init(|| {
        let memory = Path::new("/dev/shm");
        if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() }
    });
    let caller = CALLER.with(|caller| *caller);
    let folder = root.join(format!("gradless-fuzz-{}-{caller}-{target}", std::process::id()));
    // Without a file the readers have an error to tell, which is what they are here for.
    let _ = std::fs::create_dir(&folder);
    let path = folder.join(name);
    let _ = std::fs::write(&path, data);
    path
}

/// Removes the files of a target.
pub fn tidy(target: &str) {
    let path = file(target, "x", b"");
    if let Some(folder) = path.parent() {
        let _ = std::fs::remove_dir_all(folder);
    }
}
