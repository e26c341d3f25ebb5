//! Writes sample pages into a folder: the usual case, misses, large colour pictures, hostile names, an index.
//!
//! The answers in them are made up; they show what pages look like.
//!
//! `cargo run -p gradless-report --example sample_report -- FOLDER`

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use gradless_explain::answer::{Counted, Opinion, Plausibility, SCHEMA, Sureness, Verdict, Weights};
use gradless_explain::condition::{Copy, Survival};
use gradless_explain::features::Kind;
use gradless_explain::{Agreement, Answer, Confidence, Minimal, Moves, Question, Step, Strategy};
use gradless_report::explanation::Outcome;
use gradless_report::{Frame, IndexEntry, Page, index_html};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args_os().nth(1).ok_or("say which folder to write into")?);
    fs::create_dir_all(&folder)?;
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/digits");
    let pages = [
        ("digit", digit(&assets)?),
        ("missed", missed(&assets)?),
        ("labels-only", labels_only(&assets)?),
        ("colour", colour()),
        ("hostile", hostile(&assets)?),
    ];
    let mut entries = Vec::new();
    for (name, page) in &pages {
        fs::write(folder.join(format!("{name}.html")), page.to_html())?;
        entries.push(IndexEntry::of(page, &page.title, format!("{name}.html")));
    }
    entries.push(unreadable());
    fs::write(folder.join("index.html"), index_html(&entries))?;
    let digit = &pages[0].1;
    fs::write(folder.join("digit.json"), serde_json::to_string(digit)?)?;
    for (name, answer) in ["pp.png", "pn.png"].iter().zip(&digit.answers) {
        fs::write(folder.join(name), digit.frame.picture(&answer.after)?.to_png())?;
    }
    Ok(())
}

/// Both questions answered.
fn digit(assets: &Path) -> Result<Page, Box<dyn Error>> {
    let image = read(&assets.join("5.png"))?;
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
        positive[row * 28 + column] = image.input[row * 28 + column] * 0.7;
    }
    let mut negative = image.input.clone();
    for (row, column, by) in changed {
        let value = &mut negative[row * 28 + column];
        *value = (*value + by).clamp(0.0, 1.0);
    }
    let original = verdict(5, vec![-2.6, -3.1, -1.2, 3.4, -4.4, 9.8, -0.6, -2.0, 1.1, 0.2]);
    let kept = verdict(5, vec![-1.9, -3.4, -2.8, 2.39, -2.2, 2.9, -0.4, -1.6, 0.3, -0.8]);
    let changed = verdict(3, vec![-2.1, -3.0, 0.4, 6.11, -3.9, 5.6, -4.2, -1.0, 0.9, 1.4]);
    let agreement = Agreement {
        seeds: 5,
        queries: 25_000,
        identical: false,
        valid: 5,
        same_class: 5,
        nonzeros: Some([14, 19]),
        overlap: Some(0.5),
    };
    let positive = Answer {
        sentence: "These 16 of 784 pixels are enough for class 5.".into(),
        agreement: Some(agreement),
        ..answer(Question::Part, &image, positive, [original.clone(), kept], 40)
    };
    let negative = Answer {
        sentence: "Changing these 18 of 784 pixels makes it class 3.".into(),
        minimal: Minimal::BudgetEnded,
        sent: 5_012,
        ..answer(Question::CHANGE, &image, negative, [original, changed], 60)
    };
    Ok(page("digits/5.png", image, vec![positive, negative]))
}

/// One question answered, one not.
fn missed(assets: &Path) -> Result<Page, Box<dyn Error>> {
    let mut page = digit(assets)?;
    page.title = "digits/5.png, adding only".into();
    let image = Image { input: page.input.clone(), frame: page.frame };
    let found = &page.answers[1];
    let steps = found.steps.iter().map(|step| Step { best: None, ..*step }).collect();
    let added = page.input.iter().zip(&found.after).map(|(before, after)| before.max(*after)).collect();
    let verdicts =
        [found.original.clone(), verdict(5, vec![-2.1, -3.0, 0.4, 5.58, -3.9, 6.0, -4.2, -1.0, 0.9, 1.4])];
    let question = Question::Change { moves: Moves::Add, target: None };
    page.answers[1] = Answer {
        valid: false,
        sentence: "No change was found that makes it something else than class 5: the closest point misses by 0.420. \
                   Try a two-sided change, which may remove things too, or more queries (20000), or wider bounds."
            .into(),
        margin: -0.42,
        first_valid: None,
        best_valid: None,
        minimal: Minimal::NotAsked,
        stop_reason: "the budget of 5,000 queries is spent".into(),
        steps,
        ..answer(question, &image, added, verdicts, 0)
    };
    Ok(page)
}

/// A model without scores, two classes, one question, no answer, no trace.
fn labels_only(assets: &Path) -> Result<Page, Box<dyn Error>> {
    let image = read(&assets.join("1.png"))?;
    let answer = Answer {
        valid: false,
        sentence: "The model answers labels only, so the search has no slope to follow. Try more queries."
            .into(),
        margin: f64::NAN,
        noise_floor: f64::NAN,
        scores_are: "labels".into(),
        kappa: None,
        first_valid: None,
        best_valid: None,
        minimal: Minimal::NotAsked,
        ..answer(Question::CHANGE, &image, image.input.clone(), [verdict(1, vec![]), verdict(1, vec![])], 0)
    };
    let mut page = page("scan_0001.png", image, vec![answer]);
    page.classes = vec!["healthy".into(), "suspicious".into()];
    Ok(page)
}

/// A colour picture of 224 x 224 pixels and a thousand classes.
fn colour() -> Page {
    let side = 224;
    let wave = |row: f64, column: f64, channel: f64| {
        let ring = ((row - 112.0).hypot(column - 120.0) / 9.0 - channel).sin();
        0.5 + 0.3 * ring * (-(row - 112.0).hypot(column - 120.0) / 80.0).exp()
            + 0.18 * (column / 70.0 + channel).cos()
    };
    let mut values = Vec::with_capacity(3 * side * side);
    for channel in 0..3 {
        for pixel in 0..side * side {
            let value = wave((pixel / side) as f64, (pixel % side) as f64, f64::from(channel));
            values.push(value.clamp(0.0, 1.0));
        }
    }
    let image = Image { input: values, frame: Frame::of(&[3, side, side], [0.0, 1.0]) };
    let mut after = image.input.clone();
    let mut kept = vec![0.0; after.len()];
    for index in 0..60_usize {
        let (row, column) = (60 + index * 37 % 110, 60 + index * 53 % 120);
        for channel in 0..3 {
            let place = (channel * side + row) * side + column;
            after[place] = (after[place] + if index % 3 == 0 { -0.4 } else { 0.5 }).clamp(0.0, 1.0);
            kept[place] = image.input[place];
        }
    }
    let score = |class: usize| 4.0 * (class as f64 * 1.7).sin() - 2.0;
    let mut scores: Vec<f64> = (0..1000).map(score).collect();
    scores[281] = 11.2;
    let mut changed: Vec<f64> = (0..1000).map(|class| score(class) * 0.9).collect();
    changed[281] = 6.4;
    changed[285] = 6.9;
    let halves = scores.iter().map(|score| score * 0.5).collect();
    let original = verdict(281, scores);
    let positive = Answer {
        sentence: "These 60 of 50176 pixels are enough for \"tabby cat\".".into(),
        ..answer(Question::Part, &image, kept, [original.clone(), verdict(281, halves)], 200)
    };
    let negative = Answer {
        sentence: "Changing these 60 of 50176 pixels makes it \"Egyptian cat\".".into(),
        ..answer(Question::CHANGE, &image, after, [original, verdict(285, changed)], 200)
    };
    let mut page = page("photo.jpg", image, vec![positive, negative]);
    page.classes = (0..1000).map(|class| format!("class number {class}")).collect();
    page.classes[281] = "tabby cat".into();
    page.classes[285] = "Egyptian cat".into();
    page
}

/// Names that try to leave their place, and a trace of 10,000 points with gaps.
fn hostile(assets: &Path) -> Result<Page, Box<dyn Error>> {
    let mut page = digit(assets)?;
    let script = "<script>document.title = 'taken'</script><img src=x onerror=\"alert('1')\">&amp;";
    page.title = format!("{script}/{}.png", "very-long-name-without-a-break".repeat(8));
    page.classes = vec![
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
    page.command = format!("gradless explain --input '{script}' --labels \"$HOME/<b>labels</b>.txt\"");
    page.settings.push((script.into(), script.into()));
    page.model.push(("file".into(), format!("{}/{script}", "folder".repeat(60))));
    let value = |index: u64| match index % 97 {
        0 => f64::NAN,
        1 => f64::INFINITY,
        _ => 30.0 * (-(index as f64) / 1500.0).exp() + (index as f64 / 40.0).sin().abs(),
    };
    for answer in &mut page.answers {
        answer.sentence = format!("{script} is enough for שלוש.");
        answer.stop_reason = script.into();
        answer.steps = (0..10_000)
            .map(|index| Step {
                objective: Some(value(index)),
                norm_l1: value(index + 50),
                best: (index > 3000 && index % 700 > 200).then_some(1.0),
                ..step(index)
            })
            .collect();
    }
    Ok(page)
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

/// An input, and how it is drawn.
struct Image {
    input: Vec<f64>,
    frame: Frame,
}

fn verdict(class: usize, scores: Vec<f64>) -> Verdict {
    Verdict { class, name: class.to_string(), scores }
}

fn step(queries: u64) -> Step {
    Step {
        queries,
        objective: None,
        loss: None,
        norm_l1: 0.0,
        norm_l2: 0.0,
        nonzeros: 16,
        step_size: 1.0,
        best: None,
    }
}

/// A valid answer with made-up numbers and `steps` steps.
fn answer(
    question: Question,
    image: &Image,
    after: Vec<f64>,
    [original, explanation]: [Verdict; 2],
    steps: u64,
) -> Answer {
    let steps = (0..steps)
        .map(|at| {
            let part = at as f64 / steps as f64;
            let swing = 0.35 * (7.0 * part).sin().abs() * (1.0 - part);
            Step {
                objective: Some(0.4 + 24.0 * (-9.0 * part).exp() + swing),
                norm_l1: 5.7 + 16.0 * part.sqrt() * (-3.0 * part).exp() + 2.0 * swing,
                best: (part > 0.24 && !(0.45..0.55).contains(&part)).then_some(1.0),
                ..step(at * 5000 / steps)
            }
        })
        .collect();
    let change: Vec<f64> = match question {
        Question::Part | Question::Contrast { .. } | Question::Essential => after.clone(),
        Question::Change { .. } | Question::Attack { .. } => {
            after.iter().zip(&image.input).map(|(after, before)| after - before).collect()
        }
    };
    let pixels = image.frame.rows * image.frame.columns;
    let is_used = |&pixel: &usize| change.iter().skip(pixel).step_by(pixels).any(|&x| x != 0.0);
    let used = (0..pixels).filter(is_used).count();
    Answer {
        schema: SCHEMA.into(),
        input: "made up".into(),
        input_sha256: None,
        mode: question.abbreviation().into(),
        question,
        features: Counted { kind: Kind::Pixels, total: pixels, used },
        used: Vec::new(),
        alternative: 0,
        strategy: Strategy::Eliminate,
        method: "ao_exp_grad".into(),
        engine: None,
        seed: 7,
        queries: 5_000,
        sent: 5_000,
        iterations: 40,
        stop_reason: "no better valid point in the last 1,000 queries".into(),
        valid: true,
        margin: 0.51,
        confidence: Sureness {
            asked: Confidence::Share(0.5),
            share: Some(0.53),
            original: Some(0.998),
            answer: Some(0.71),
        },
        stability: Some(Survival {
            disturbance: "noise of 0.2 of the range, shifts by up to 1 pixel".into(),
            strength: 0.5,
            draws: 100,
            held: 99,
            lower_bound: 0.953,
            input_held: 0.975,
            radius: Some(0.31),
            copies: (0..8)
                .map(|at| Copy { class: explanation.class, holds: at != 3, input: after.clone() })
                .collect(),
        }),
        absent_has_class: false,
        plausibility: Some(Plausibility {
            examples: 320,
            nearest: Some(5.1),
            nearest_input: Some(4.2),
            autoencoder: Some(2.5),
            autoencoder_input: Some(2.1),
        }),
        second_opinions: vec![Opinion { model: "other.onnx".into(), original: 0, answer: 1, agrees: true }],
        noise_floor: 1.7e-6,
        noise_floor_source: "measured".into(),
        scores_are: "logits".into(),
        original,
        explanation,
        weights: Weights { l1: 0.031, l2: 0.0039 },
        kappa: Some(0.5),
        target: None,
        objective: 0.4,
        objective_start: None,
        loss: 0.0,
        norm_l1: 5.67,
        norm_l2: 2.04,
        nonzeros: change.iter().filter(|&&x| x != 0.0).count(),
        pixels: used,
        minimal: Minimal::Checked,
        first_valid: Some(1_250),
        best_valid: Some(4_180),
        located: None,
        attack: None,
        agreement: None,
        sentence: String::new(),
        hint: None,
        warning: None,
        seconds: 2.34,
        files: None,
        x: change.clone(),
        after,
        change,
        steps,
    }
}

fn page(title: &str, image: Image, answers: Vec<Answer>) -> Page {
    let pairs = |pairs: &[(&str, &str)]| {
        pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect()
    };
    Page {
        title: title.into(),
        subject: gradless_report::Subject::default(),
        frame: image.frame,
        input: image.input,
        classes: vec![],
        answers,
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
fn read(path: &Path) -> Result<Image, Box<dyn Error>> {
    let mut reader = png::Decoder::new(std::io::BufReader::new(fs::File::open(path)?)).read_info()?;
    let mut bytes = vec![0; reader.output_buffer_size().ok_or("too large")?];
    let info = reader.next_frame(&mut bytes)?;
    if (info.color_type, info.bit_depth) != (png::ColorType::Grayscale, png::BitDepth::Eight) {
        return Err("not an 8-bit grey picture".into());
    }
    let input = bytes[..info.buffer_size()].iter().map(|&byte| f64::from(byte) / 255.0).collect();
    Ok(Image { input, frame: Frame::of(&[1, info.height as usize, info.width as usize], [0.0, 1.0]) })
}
