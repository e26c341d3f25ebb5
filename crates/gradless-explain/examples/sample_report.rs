//! Writes sample pages into a folder: the usual case, misses, large colour pictures, hostile names, an index.
//!
//! The answers in them are made up; they show what pages look like.
//!
//! `cargo run -p gradless-explain --example sample_report -- FOLDER`

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use gradless_explain::picture::Picture;
use gradless_explain::report::{Case, IndexEntry, Minimal, Mode, Outcome, Report, TracePoint, index_html};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args_os().nth(1).ok_or("say which folder to write into")?);
    fs::create_dir_all(&folder)?;
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/digits");
    let reports = [
        ("digit", digit(&assets)?),
        ("missed", missed(&assets)?),
        ("labels-only", labels_only(&assets)?),
        ("colour", colour()?),
        ("hostile", hostile(&assets)?),
    ];
    let mut entries = Vec::new();
    for (name, report) in &reports {
        fs::write(folder.join(format!("{name}.html")), report.to_html())?;
        entries.push(IndexEntry::of(report, &report.title, format!("{name}.html")));
    }
    entries.push(unreadable());
    fs::write(folder.join("index.html"), index_html(&entries))?;
    let digit = &reports[0].1;
    fs::write(folder.join("digit.json"), serde_json::to_string(digit)?)?;
    for (name, case) in ["pp.png", "pn.png"].iter().zip(&digit.cases) {
        fs::write(folder.join(name), case.picture.to_png())?;
    }
    Ok(())
}

/// Both questions answered.
fn digit(assets: &Path) -> Result<Report, Box<dyn Error>> {
    let original = read(&assets.join("5.png"))?;
    let kept = [
        (5, 17),
        (6, 14),
        (7, 14),
        (9, 9),
        (11, 7),
        (13, 6),
        (14, 6),
        (15, 6),
        (16, 8),
        (17, 11),
        (17, 15),
        (18, 18),
        (20, 13),
        (20, 19),
        (21, 17),
        (22, 15),
    ];
    let changed = [
        (8, 16, 0.81),
        (8, 17, 0.93),
        (8, 18, 0.88),
        (9, 18, 0.97),
        (9, 19, 0.62),
        (10, 18, 0.91),
        (11, 18, 0.84),
        (11, 17, 0.35),
        (12, 17, 0.77),
        (13, 17, 0.9),
        (14, 17, 0.58),
        (14, 16, 0.42),
        (9, 9, -0.71),
        (10, 8, -0.85),
        (11, 7, -0.94),
        (12, 7, -0.8),
        (13, 6, -0.66),
        (14, 7, -0.22),
    ];
    let mut positive = vec![0.0; 784];
    for (row, column) in kept {
        positive[row * 28 + column] = original.values()[row * 28 + column] * 0.7;
    }
    let mut negative = original.values().to_vec();
    for (row, column, by) in changed {
        let value = &mut negative[row * 28 + column];
        *value = (*value + by).clamp(0.0, 1.0);
    }
    let positive = Case {
        explanation: "These 16 pixels are enough for a 5.".into(),
        scores: vec![-1.9, -3.4, -2.8, 2.39, -2.2, 2.9, -0.4, -1.6, 0.3, -0.8],
        agreement: Some("5 of 5 seeds valid; half of the pixels are in all answers".into()),
        ..case(Mode::PertinentPositive, Picture::new(1, 28, 28, positive)?, 5, 40)
    };
    let negative = Case {
        explanation: "Adding 12 pixels and removing 6 makes it a 3.".into(),
        scores: vec![-2.1, -3.0, 0.4, 6.11, -3.9, 5.6, -4.2, -1.0, 0.9, 1.4],
        minimal: Minimal::BudgetEnded,
        sent: 5_012,
        ..case(Mode::PertinentNegative, Picture::new(1, 28, 28, negative)?, 3, 60)
    };
    Ok(report("digits/5.png", original, 5, vec![positive, negative]))
}

/// One question answered, one not.
fn missed(assets: &Path) -> Result<Report, Box<dyn Error>> {
    let mut report = digit(assets)?;
    report.title = "digits/5.png, adding only".into();
    let trace = report.cases[1].trace.iter().map(|point| TracePoint { valid: false, ..*point }).collect();
    let pairs = report.original.values().iter().zip(report.cases[1].picture.values());
    let added = pairs.map(|(before, after)| before.max(*after)).collect();
    let miss = &mut report.cases[1];
    *miss = Case {
        valid: false,
        explanation:
            "The closest image stays a 5 by 0.42. Adding alone may not be able to change this image: try \
                      --set two-sided, a lower --l1 or more queries."
                .into(),
        picture: Picture::new(1, 28, 28, added)?,
        class: 5,
        scores: vec![-2.1, -3.0, 0.4, 5.58, -3.9, 6.0, -4.2, -1.0, 0.9, 1.4],
        margin: -0.42,
        first_valid: None,
        best_valid: None,
        minimal: Minimal::NotAsked,
        stop_reason: "the budget of 5,000 queries is spent".into(),
        trace,
        ..miss.clone()
    };
    Ok(report)
}

/// A model without scores, two classes, one question, no answer, no trace.
fn labels_only(assets: &Path) -> Result<Report, Box<dyn Error>> {
    let original = read(&assets.join("1.png"))?;
    let answer = Case {
        valid: false,
        explanation: "The model answers labels only, so the search has no slope to follow. Try more queries."
            .into(),
        scores: vec![],
        margin: f64::NAN,
        noise: f64::NAN,
        kappa: None,
        first_valid: None,
        best_valid: None,
        minimal: Minimal::NotAsked,
        trace: vec![],
        ..case(Mode::PertinentNegative, original.clone(), 1, 0)
    };
    let mut report = report("scan_0001.png", original, 1, vec![answer]);
    report.class_names = vec!["healthy".into(), "suspicious".into()];
    report.original_scores = vec![];
    Ok(report)
}

/// A colour picture of 224 x 224 pixels and a thousand classes.
fn colour() -> Result<Report, Box<dyn Error>> {
    let side = 224;
    let wave = |row: f64, column: f64, channel: f64| {
        let ring = ((row - 112.0).hypot(column - 120.0) / 9.0 - channel).sin();
        0.5 + 0.3 * ring * (-(row - 112.0).hypot(column - 120.0) / 80.0).exp()
            + 0.18 * (column / 70.0 + channel).cos()
    };
    let mut values = Vec::with_capacity(3 * side * side);
    for channel in 0..3 {
        for pixel in 0..side * side {
            values.push(wave((pixel / side) as f64, (pixel % side) as f64, f64::from(channel)));
        }
    }
    let original = Picture::clamped(3, side, side, values)?;
    let mut after = original.values().to_vec();
    let mut kept = vec![0.0; after.len()];
    for index in 0..60_usize {
        let (row, column) = (60 + index * 37 % 110, 60 + index * 53 % 120);
        for channel in 0..3 {
            let place = (channel * side + row) * side + column;
            after[place] = (after[place] + if index % 3 == 0 { -0.4 } else { 0.5 }).clamp(0.0, 1.0);
            kept[place] = original.values()[place];
        }
    }
    let score = |class: usize| 4.0 * (class as f64 * 1.7).sin() - 2.0;
    let mut scores: Vec<f64> = (0..1000).map(score).collect();
    scores[281] = 11.2;
    let mut changed: Vec<f64> = (0..1000).map(|class| score(class) * 0.9).collect();
    changed[281] = 6.4;
    changed[285] = 6.9;
    let positive = Case {
        explanation: "These 60 pixels are enough for a tabby cat.".into(),
        scores: scores.iter().map(|score| score * 0.5).collect(),
        nonzeros: 180,
        ..case(Mode::PertinentPositive, Picture::new(3, side, side, kept)?, 281, 200)
    };
    let negative = Case {
        explanation: "Adding 40 pixels and removing 20 makes it an Egyptian cat.".into(),
        scores: changed,
        nonzeros: 180,
        ..case(Mode::PertinentNegative, Picture::new(3, side, side, after)?, 285, 200)
    };
    let mut report = report("photo.jpg", original, 281, vec![positive, negative]);
    report.original_scores = scores;
    report.class_names = (0..1000).map(|class| format!("class number {class}")).collect();
    report.class_names[281] = "tabby cat".into();
    report.class_names[285] = "Egyptian cat".into();
    Ok(report)
}

/// Names that try to leave their place, and a trace of 10,000 points with gaps.
fn hostile(assets: &Path) -> Result<Report, Box<dyn Error>> {
    let mut report = digit(assets)?;
    let script = "<script>document.title = 'taken'</script><img src=x onerror=\"alert('1')\">&amp;";
    report.title = format!("{script}/{}.png", "very-long-name-without-a-break".repeat(8));
    report.class_names = vec![
        script.into(),
        "\" onload=\"alert(1)".into(),
        "'; --".into(),
        "שלוש: ספרה ארוכה מאוד".into(),
        "\u{202e}four".into(),
        "Extraordinarilylongclassname".repeat(6),
        String::new(),
        "\u{0}\u{7}".into(),
        "八".repeat(60),
        "nine & more".into(),
    ];
    report.command = format!("gradless explain --input '{script}' --labels \"$HOME/<b>labels</b>.txt\"");
    report.settings.push((script.into(), script.into()));
    report.model.push(("file".into(), format!("{}/{script}", "folder".repeat(60))));
    let value = |index: u64| match index % 97 {
        0 => f64::NAN,
        1 => f64::INFINITY,
        _ => 30.0 * (-(index as f64) / 1500.0).exp() + (index as f64 / 40.0).sin().abs(),
    };
    for case in &mut report.cases {
        case.explanation = format!("{script} is enough for שלוש.");
        case.stop_reason = script.into();
        case.agreement = Some(script.into());
        case.trace = (0..10_000)
            .map(|index| TracePoint {
                queries: index,
                objective: value(index),
                norm_l1: value(index + 50),
                valid: index > 3000 && index % 700 > 200,
            })
            .collect();
    }
    Ok(report)
}

fn unreadable() -> IndexEntry {
    IndexEntry {
        name: "broken <b>file</b>.png".into(),
        link: String::new(),
        picture: None,
        class: String::new(),
        outcomes: Vec::<Outcome>::new(),
        error: Some("the file ends after 120 bytes: it is not a whole PNG; copy it again".into()),
        seconds: 0.0,
    }
}

/// A valid answer with made-up numbers and a trace of `steps` points.
fn case(mode: Mode, picture: Picture, class: usize, steps: u64) -> Case {
    let trace = (0..steps)
        .map(|step| {
            let part = step as f64 / steps as f64;
            let swing = 0.35 * (7.0 * part).sin().abs() * (1.0 - part);
            TracePoint {
                queries: step * 5000 / steps,
                objective: 0.4 + 24.0 * (-9.0 * part).exp() + swing,
                norm_l1: 5.7 + 16.0 * part.sqrt() * (-3.0 * part).exp() + 2.0 * swing,
                valid: part > 0.24 && !(0.45..0.55).contains(&part),
            }
        })
        .collect();
    Case {
        mode,
        valid: true,
        explanation: String::new(),
        picture,
        change: vec![],
        class,
        scores: vec![],
        margin: 0.51,
        noise: 1.7e-6,
        kappa: Some(0.5),
        norm_l1: 5.67,
        norm_l2: 2.04,
        nonzeros: 16,
        queries: 5_000,
        sent: 5_000,
        first_valid: Some(1_250),
        best_valid: Some(4_180),
        minimal: Minimal::Checked,
        stop_reason: "no better valid point in the last 1,000 queries".into(),
        seconds: 2.34,
        trace,
        agreement: None,
    }
}

fn report(title: &str, original: Picture, original_class: usize, cases: Vec<Case>) -> Report {
    let pairs = |pairs: &[(&str, &str)]| {
        pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect()
    };
    Report {
        title: title.into(),
        original,
        original_class,
        original_scores: vec![-2.6, -3.1, -1.2, 3.4, -4.4, 9.8, -0.6, -2.0, 1.1, 0.2],
        class_names: vec![],
        cases,
        settings: pairs(&[
            ("method", "ao_exp_grad"),
            ("budget", "5,000 queries"),
            ("l1, l2", "searched, found 0.031 and 0.0039"),
            ("kappa", "0.5"),
            ("set of the change", "two-sided"),
            ("start", "centre"),
        ]),
        model: pairs(&[
            ("name", "lenet.onnx"),
            ("SHA-256", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
            ("engine", "onnx, CPU, batches of 64"),
            ("shape", "1 x 28 x 28 to 10 scores (logits)"),
            ("preprocessing", "value / 255, mean 0.1307, standard deviation 0.3081"),
        ]),
        command: "gradless explain --model lenet.onnx --input digits/5.png --mode both --seed 7".into(),
        seed: 7,
        version: env!("CARGO_PKG_VERSION").into(),
        seconds: 4.91,
    }
}

/// Reads an 8-bit grey PNG.
fn read(path: &Path) -> Result<Picture, Box<dyn Error>> {
    let mut reader = png::Decoder::new(std::io::BufReader::new(fs::File::open(path)?)).read_info()?;
    let mut bytes = vec![0; reader.output_buffer_size().ok_or("too large")?];
    let info = reader.next_frame(&mut bytes)?;
    if (info.color_type, info.bit_depth) != (png::ColorType::Grayscale, png::BitDepth::Eight) {
        return Err("not an 8-bit grey picture".into());
    }
    let values = bytes[..info.buffer_size()].iter().map(|&byte| f64::from(byte) / 255.0).collect();
    Ok(Picture::new(1, info.height as usize, info.width as usize, values)?)
}
