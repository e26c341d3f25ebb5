//! `gradless minimize` and `gradless resume`, as documented in `docs/minimize.md`.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use support::{Folder, Ran, command, gradless, run};

const DOCUMENT: &str = include_str!("../../../docs/minimize.md");

/// The block of code in the document behind the mark of this name.
fn block(name: &str) -> String {
    let (_, rest) = DOCUMENT.split_once(&format!("<!-- {name} -->\n")).unwrap();
    let lines: Vec<&str> = rest.lines().skip(1).take_while(|line| *line != "```").collect();
    lines.join("\n") + "\n"
}

fn has(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// A folder with the problem and the programs of the document.
fn documented(name: &str) -> Folder {
    let folder = Folder::new(name);
    for file in ["P.toml", "black_box.py", "black_box.sh"] {
        folder.put(file, block(file).as_bytes());
    }
    folder
}

/// The command in a folder.
fn within(folder: &Folder, words: &str) -> Ran {
    let words: Vec<&str> = words.split_whitespace().collect();
    run(command(&words).current_dir(&folder.0))
}

fn result(folder: &Folder, run: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(folder.0.join(run).join("result.json")).unwrap()).unwrap()
}

fn same(folder: &Folder, one: &str, other: &str) -> bool {
    let read = |run: &str, name: &str| std::fs::read(folder.0.join(run).join(name)).unwrap();
    ["x.npy", "trace.csv"].iter().all(|name| read(one, name) == read(other, name))
}

#[test]
fn the_documented_programs_and_problem_work_and_agree() {
    let folder = documented("documented");
    let told = within(&folder, "minimize --format json --problem P.toml --out sh -- sh black_box.sh");
    let told = told.ends(0).json();
    assert_eq!((&told["schema"], &told["finished"]), (&"gradless-minimize-1".into(), &true.into()));
    assert_eq!(told, result(&folder, "sh"));
    let largest = &told["largest"][0];
    assert_eq!(largest["name"], "b");
    assert!((largest["value"].as_f64().unwrap() - 0.795).abs() < 0.02, "{told}");
    let [queries, sent] = ["queries", "sent"].map(|key| told[key].as_u64().unwrap());
    assert!(sent <= queries && queries <= 300, "{told}");
    if has("python3") {
        let words = "minimize --problem P.toml --out py --processes 2 --rows 3 -- python3 black_box.py";
        let human = within(&folder, words).ends(0).out;
        assert!(human.starts_with("objective ") && human.contains("  b = 0.79"), "{human}");
        assert!(
            (told["objective"].as_f64().unwrap() - result(&folder, "py")["objective"].as_f64().unwrap())
                .abs()
                < 1e-6
        );
    } else {
        testkit::skip("black_box.py of docs/minimize.md: python3 is not installed");
    }
}

#[test]
fn a_cap_on_what_is_sent_ends_the_run_and_a_higher_one_lets_it_go_on_to_the_same_bits() {
    let folder = documented("cap");
    within(&folder, "minimize --problem P.toml --max-queries 120 --out whole -- sh black_box.sh").ends(0);
    let ran = within(
        &folder,
        "minimize --problem P.toml --max-queries 120 --out cut --max-sent 50 -- sh black_box.sh",
    )
    .ends(1);
    assert!(ran.out.contains("go on with `gradless resume cut`"), "{}", ran.out);
    assert_eq!(result(&folder, "cut")["sent"], 50);
    let again = within(&folder, "resume cut").ends(1);
    assert!(again.err.contains("50 answers are known, 50 points were sent"), "{}", again.err);
    assert_eq!(result(&folder, "cut")["sent"], 50);
    within(&folder, "resume cut --max-sent 1000 --processes 2").ends(0);
    assert!(same(&folder, "whole", "cut"));
    assert_eq!(result(&folder, "cut")["sent"], result(&folder, "whole")["sent"]);
    // Once more: nothing is left to ask, so it does not matter that the program is gone.
    std::fs::remove_file(folder.0.join("black_box.sh")).unwrap();
    within(&folder, "resume cut --max-sent 1000").ends(0);
    assert!(same(&folder, "whole", "cut"));
}

#[test]
fn time_cuts_off_a_program_that_does_not_answer_and_the_run_goes_on_later() {
    let folder = documented("seconds");
    within(&folder, "minimize --problem P.toml --max-queries 120 --out whole -- sh black_box.sh").ends(0);
    let slow = format!("while [ -e slow ]; do sleep 0.1; done\n{}", block("black_box.sh"));
    folder.put("black_box.sh", slow.as_bytes()).put("slow", b"");
    let ran = within(
        &folder,
        "minimize --problem P.toml --max-queries 120 --out cut --max-seconds 0.5 -- sh black_box.sh",
    )
    .ends(1);
    assert!(ran.out.contains("the time is up"), "{}", ran.out);
    std::fs::remove_file(folder.0.join("slow")).unwrap();
    within(&folder, "resume cut --max-seconds 1000").ends(0);
    assert!(same(&folder, "whole", "cut"));
}

#[test]
fn what_cannot_be_run_is_refused_before_anything_is_made() {
    let folder = documented("refused");
    folder
        .put("bad.toml", b"schema = 1\ndim = 2\nstrat = 3")
        .put("far.toml", b"schema = 1\ndim = 2\nstart = \"x.npy\"");
    for (words, told) in [
        ("--problem bad.toml -- sh black_box.sh", &["bad.toml", "line 3", "strat"][..]),
        ("--problem far.toml -- sh black_box.sh", &["x.npy", "cannot be read"]),
        ("--problem none.toml -- sh black_box.sh", &["none.toml"]),
        ("--problem P.toml -- no-such-program", &["no-such-program"]),
        ("--problem P.toml", &["COMMAND"]),
        ("--problem P.toml --timeout 0 -- sh black_box.sh", &["--timeout"]),
        ("--problem P.toml --rows 0 -- sh black_box.sh", &["--rows"]),
        ("--problem P.toml --method newton -- sh black_box.sh", &["newton"]),
    ] {
        within(&folder, &format!("minimize --out out {words}")).fails_saying(told);
        assert!(!folder.0.join("out").exists(), "{words}");
    }
    gradless(&["resume", &folder.path("nowhere")]).fails_saying(&["nowhere", "not the folder of a run"]);
    folder.put("other/config.json", b"{\"schema\": \"something\"}");
    gradless(&["resume", &folder.path("other")]).fails_saying(&["does not hold a run that can be resumed"]);
}

#[test]
fn a_folder_is_kept_unless_it_may_be_replaced_and_nobody_works_in_it() {
    let folder = documented("kept");
    let begin = "minimize --problem P.toml --max-queries 60 --out out";
    within(&folder, &format!("{begin} -- sh black_box.sh")).ends(0);
    within(&folder, &format!("{begin} -- sh black_box.sh"))
        .fails_saying(&["exists already", "gradless resume out"]);
    let journal = std::fs::File::open(folder.0.join("out/journal")).unwrap();
    journal.lock().unwrap();
    within(&folder, &format!("{begin} --force -- sh black_box.sh")).fails_saying(&["another process"]);
    within(&folder, "resume out").fails_saying(&["another process"]);
    drop(journal);
    folder.put("out/notes.txt", b"mine");
    within(&folder, &format!("{begin} --force --seed 3 -- sh black_box.sh")).ends(0);
    assert!(Path::new(&folder.path("out/notes.txt")).exists());
    assert_eq!(result(&folder, "out")["seed"], 3);
}

#[test]
fn settings_changed_by_hand_do_not_get_the_answers_of_others() {
    let folder = documented("edited");
    within(&folder, "minimize --problem P.toml --max-queries 60 --out out -- sh black_box.sh").ends(0);
    let path = folder.0.join("out/config.json");
    let config = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, config.replace("seed = 0", "seed = 1")).unwrap();
    within(&folder, "resume out").fails_saying(&["another problem"]);
    std::fs::write(&path, config.replace("\"version\": \"", "\"version\": \"9")).unwrap();
    within(&folder, "resume out").fails_saying(&["version", "9"]);
    std::fs::write(&path, &config[..40]).unwrap();
    within(&folder, "resume out").fails_saying(&["damaged"]);
}

#[test]
#[cfg(unix)]
fn ctrl_c_ends_a_run_at_once_keeps_the_best_and_kills_the_programs() {
    use std::io::Read as _;
    use std::process::Stdio;
    use std::time::{Duration, Instant};
    let folder = documented("ctrl-c");
    within(&folder, "minimize --problem P.toml --max-queries 120 --out whole -- sh black_box.sh").ends(0);
    // Answers fifty requests, then leaves its number and waits for ever.
    let stuck = format!(
        "n=0\n{}",
        block("black_box.sh").replace(
            "    id=${line#",
            "    n=$((n + 1)); [ $n -gt 50 ] && [ ! -e free ] && echo $$ > stuck && sleep 600\n    id=${line#"
        )
    );
    folder.put("black_box.sh", stuck.as_bytes());
    let words = [
        "minimize",
        "--problem",
        "P.toml",
        "--max-queries",
        "120",
        "--out",
        "cut",
        "--",
        "sh",
        "black_box.sh",
    ];
    let mut child =
        command(&words).current_dir(&folder.0).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    let wait = |what: &str, is_so: &mut dyn FnMut() -> bool| {
        while !is_so() {
            assert!(begun.elapsed() < Duration::from_mins(1), "waited in vain until {what}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let number = || std::fs::read_to_string(folder.0.join("stuck")).unwrap_or_default().trim().to_owned();
    wait("the program is stuck", &mut || !number().is_empty());
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    wait("the run has ended", &mut || child.try_wait().unwrap().is_some());
    assert_eq!(child.wait().unwrap().code(), Some(1));
    let mut told = String::new();
    child.stdout.unwrap().read_to_string(&mut told).unwrap();
    assert!(told.contains("interrupted") && told.contains("gradless resume cut"), "{told}");
    let alive =
        || Command::new("kill").args(["-0", &number()]).stderr(Stdio::null()).status().unwrap().success();
    wait("the program is gone", &mut || !alive());
    folder.put("free", b"");
    within(&folder, "resume cut").ends(0);
    assert!(same(&folder, "whole", "cut"));
}
