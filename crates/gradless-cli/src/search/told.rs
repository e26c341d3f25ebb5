//! What was found, in the words of the terminal.

use std::path::Path;
use std::time::Duration;

use gradless_explain::Answer;
use gradless_explain::answer::{Located, margin_text};

use super::job::{Explained, Job};
use super::page;
use crate::terminal;

/// The result as people read it.
pub(super) fn human(job: &Job, explained: &Explained, folder: &Path) -> String {
    let mut lines = Vec::new();
    if let Some(Answer { original, .. }) = explained.answers.first() {
        let class = if original.name == original.class.to_string() {
            format!("class {}", original.name)
        } else {
            format!("\"{}\"", original.name)
        };
        lines.push(format!("{}: {} says {class}", explained.name, job.loaded.name));
    }
    let facts = page::model(job, explained);
    let told: Vec<String> = facts[3..].iter().map(|(name, value)| format!("{name} {value}")).collect();
    lines.push(format!("({})", told.join("; ")));
    for answer in &explained.answers {
        lines.push(String::new());
        lines.push(format!("{}: {}", answer.question.name(), answer.sentence));
        lines.extend(explained.item.lines(answer));
        let size = match &answer.located {
            Some(Located { pieces: 1, .. }) => "in one piece".to_owned(),
            Some(located) => format!("in {} pieces", located.pieces),
            None => format!("l1 {:.2}", answer.norm_l1),
        };
        lines.push(format!(
            "    margin {} (noise floor {:.1e}), {size}, {} queries, {}, {}",
            margin_text(answer.margin),
            answer.noise_floor,
            answer.queries,
            terminal::duration(Duration::from_secs_f64(answer.seconds)),
            answer.minimal.sentence(),
        ));
        lines.extend(answer.stability.iter().map(|survival| format!("    {}", survival.sentence())));
        lines.extend(answer.second_opinions.iter().map(|opinion| {
            let says = |class: usize| job.loaded.class_name(class);
            format!(
                "    {} says {} (of the input: {})",
                opinion.model,
                says(opinion.answer),
                says(opinion.original)
            )
        }));
        lines.extend(answer.hint.iter().map(|hint| format!("    {hint}")));
        lines.extend(answer.agreement.iter().map(|agreement| format!("    {}", agreement.sentence())));
    }
    lines.push(String::new());
    lines.push(format!("look at {}", folder.join("report.html").display()));
    terminal::lines(&lines)
}
