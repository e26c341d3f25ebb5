//! Every fault crossed with every kind of black box: the right answer or a clear error, and no run that hangs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use testkit::program::FAULTS;

use crate::cell::{Folder, PROBLEM, Ran, watched};

const BEGIN: &str = "<!-- faults: written by `GRADLESS_TABLES=write cargo test -p gradless-cli --test reliability -- faults` -->\n";
const END: &str = "<!-- end of faults -->";

/// A kind of black box: how it is made to misbehave, and what is expected of the run.
struct Kind {
    name: &'static str,
    /// The command for a fault at every so manieth request.
    command: fn(&Folder, &str, u64) -> Command,
    /// The words an error must have, for a fault at every request; `None` if the answer is right all the same.
    always: fn(&str) -> Option<&'static str>,
}

/// One more kind is one more row.
const KINDS: [Kind; 1] = [Kind { name: "process", command: process, always: process_always }];

pub(crate) fn run() -> Result<String, String> {
    let mut rows = Vec::new();
    for kind in &KINDS {
        let right = right_answer(kind)?;
        for (fault, _) in FAULTS.iter().skip(1) {
            let sometimes = cell(kind, fault, 4, &right, None)?;
            let always = cell(kind, fault, 1, &right, (kind.always)(fault))?;
            rows.push(format!("| {} | {fault} | {sometimes} | {always} |\n", kind.name));
        }
    }
    rows.extend(disk()?);
    let head = "| black box | fault | at every fourth request | at every request |\n|---|---|---|---|\n";
    let table = format!("{head}{}", rows.concat());
    compare(&table)?;
    Ok(format!("{} cells", 2 * rows.len()))
}

fn right_answer(kind: &Kind) -> Result<Vec<u8>, String> {
    let folder = Folder::new(&format!("{}-right", kind.name));
    let Ran { code, told } = watched(&mut (kind.command)(&folder, "none", 1));
    if code != Some(0) {
        return Err(format!("{} without a fault ended with {code:?}: {told}", kind.name));
    }
    fs::read(folder.0.join("out/x.npy")).map_err(|error| error.to_string())
}

/// What a run with a fault ends in, in the words of the table.
fn cell(
    kind: &Kind,
    fault: &str,
    every: u64,
    right: &[u8],
    expected: Option<&'static str>,
) -> Result<String, String> {
    let folder = Folder::new(&format!("{}-{fault}-{every}", kind.name));
    let Ran { code, told } = watched(&mut (kind.command)(&folder, fault, every));
    let wrong = |what: &str| Err(format!("{}, {fault}, every {every}: {what} ({code:?}): {told}", kind.name));
    let found = fs::read(folder.0.join("out/x.npy")).unwrap_or_default();
    match (code, expected) {
        (None, _) => wrong("it hangs"),
        // Points that failed drop their directions: another way to the same place.
        (Some(0), None) if matches!(fault, "nan" | "failed") => {
            Ok("an answer from the other points".to_owned())
        }
        (Some(0), None) if found == right => Ok("the right answer".to_owned()),
        (Some(0), None) => wrong("another answer"),
        (Some(2), Some(words)) if told.contains(words) && told.contains("gradless resume") => {
            Ok(format!("error: {words}"))
        }
        (_, Some(words)) => wrong(&format!("not the error '{words}'")),
        _ => wrong("an error"),
    }
}

/// The command `minimize` with this very program as the black box.
fn process(folder: &Folder, fault: &str, every: u64) -> Command {
    let problem = folder.0.join("P.toml");
    fs::write(&problem, PROBLEM).expect("the problem");
    // Short where the fault is that nothing comes, and generous where a busy machine could be taken for it.
    let waits = ["late", "half-a-line-then-nothing", "deaf"].contains(&fault);
    let mut command = Command::new(env!("CARGO_BIN_EXE_gradless"));
    command
        .args(["minimize", "--timeout", if waits { "0.4" } else { "60" }, "--problem"])
        .arg(problem)
        .arg("--out")
        .arg(folder.0.join("out"))
        .arg("--")
        .arg(std::env::current_exe().expect("this program"))
        .args(["black-box", fault, &every.to_string(), "0"]);
    command
}

fn process_always(fault: &str) -> Option<&'static str> {
    match fault {
        "twice" | "out-of-order" | "floods-stderr" => None,
        "late" | "half-a-line-then-nothing" | "deaf" => Some("no answer came within"),
        "wrong-length" => Some("it answered 1 points with 2 values"),
        "nan" | "failed" => Some("the black box failed again and again at the current point"),
        "not-json" => Some("a line that is not an answer"),
        "half-a-line" => Some("before it answered, in the middle of a line"),
        "garbage" => Some("a line of more than 1048576 bytes"),
        "signal" => Some("signal: 6"),
        "exits-early" => Some("exit status: 0"),
        "exits-with-an-error" => Some("the disk of the simulator is full"),
        other => unreachable!("{other} has no expectation"),
    }
}

/// Faults of the disk do not depend on the black box.
fn disk() -> Result<Vec<String>, String> {
    let mut rows = Vec::new();
    let mut row = |name: &str, ran: Ran, words: &[&str]| {
        let Ran { code, told } = ran;
        match words.iter().find(|word| code != Some(2) || !told.contains(**word)) {
            None => {
                rows.push(format!("| any | {name} | | error: {} |\n", words[0]));
                Ok(())
            }
            Some(word) => Err(format!("{name}: no '{word}' ({code:?}) in: {told}")),
        }
    };
    let folder = Folder::new("read-only");
    let mut command = process(&folder, "none", 1);
    replace_out(&mut command, Path::new("/proc/gradless-run"));
    row("read-only folder", watched(&mut command), &["cannot be made", "/proc/gradless-run"])?;

    let folder = Folder::new("other-journal");
    watched(&mut process(&folder, "none", 1));
    let journal = folder.0.join("out/journal");
    let whole = fs::read(&journal).map_err(|error| error.to_string())?;
    let mut damaged = whole.clone();
    damaged[whole.len() / 2] ^= 1;
    fs::write(&journal, damaged).map_err(|error| error.to_string())?;
    row(
        "a damaged middle of the journal",
        watched(&mut resume(&folder)),
        &["is damaged at byte", "out/journal"],
    )?;
    let mut other = whole.clone();
    other[20] ^= 1;
    let checksum = crc(&other[..48]).to_le_bytes();
    other[48..52].copy_from_slice(&checksum);
    fs::write(&journal, other).map_err(|error| error.to_string())?;
    row(
        "a journal of another problem",
        watched(&mut resume(&folder)),
        &["belongs to another problem", "out/journal"],
    )?;
    let mut newer = whole;
    newer[8] = 2;
    fs::write(&journal, newer).map_err(|error| error.to_string())?;
    row(
        "a journal of another version",
        watched(&mut resume(&folder)),
        &["has format version 2", "out/journal"],
    )?;

    let folder = Folder::new("two");
    watched(&mut process(&folder, "none", 1));
    let held = fs::File::open(folder.0.join("out/journal")).map_err(|error| error.to_string())?;
    held.lock().map_err(|error| error.to_string())?;
    row(
        "a second process in the folder",
        watched(&mut resume(&folder)),
        &["another process is working", "out/journal"],
    )?;

    let folder = Folder::new("full");
    if let Some(mut command) = full_disk(&folder) {
        row("disk full", watched(&mut command), &["cannot be written", "No space left", "gradless resume"])?;
    } else {
        // The unit test `a_full_disk_ends_the_writing_and_what_was_whole_is_kept` stands in.
        testkit::skip("a command on a full disk: unshare cannot mount a small one here");
        rows.push("| any | disk full | | error: cannot be written |\n".to_owned());
    }
    Ok(rows)
}

fn resume(folder: &Folder) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gradless"));
    command.arg("resume").arg(folder.0.join("out"));
    command
}

/// The same command with another folder.
fn replace_out(command: &mut Command, out: &Path) {
    let mut words: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
    if let Some(at) = words.iter().position(|word| word == "--out") {
        words[at + 1] = out.into();
    }
    let program = command.get_program().to_owned();
    *command = Command::new(program);
    command.args(words);
}

/// A run on a disk of 8 KB, where one can be made.
fn full_disk(folder: &Folder) -> Option<Command> {
    let disk = folder.0.join("disk");
    fs::create_dir_all(&disk).ok()?;
    let mount = format!("mount -t tmpfs -o size=8k none {} && exec \"$@\"", disk.display());
    let sandbox = |words: &mut Command| {
        words.args(["--mount", "--map-root-user", "sh", "-c", &mount, "sh"]);
    };
    let mut probe = Command::new("unshare");
    sandbox(&mut probe);
    if watched(probe.arg("true")).code != Some(0) {
        return None;
    }
    let mut inner = process(folder, "none", 1);
    replace_out(&mut inner, &disk.join("out"));
    let mut command = Command::new("unshare");
    sandbox(&mut command);
    command.arg(inner.get_program()).args(inner.get_args());
    Some(command)
}

/// CRC-32 as the journal has it.
fn crc(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 };
        }
    }
    !crc
}

/// The table in the documentation is the one that was found.
fn compare(table: &str) -> Result<(), String> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/reliability.md");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let (before, rest) = text.split_once(BEGIN).ok_or("docs/reliability.md lacks its first mark")?;
    let (written, after) = rest.split_once(END).ok_or("docs/reliability.md lacks its last mark")?;
    if written == table {
        return Ok(());
    }
    if std::env::var_os("GRADLESS_TABLES").is_some_and(|word| word == "write") {
        return fs::write(&path, format!("{before}{BEGIN}{table}{END}{after}"))
            .map_err(|error| error.to_string());
    }
    Err(format!("docs/reliability.md says\n{written}\nand found was\n{table}"))
}
