//! What is enough and needed: with it alone the class stays, without it the class goes.

pub(super) const NAME: &str = "essential";
pub(super) const TITLE: &str = "What is enough and needed";
pub(super) const TERM: &str = "sufficient and necessary";

pub(super) fn sentence(these: &str, used: usize, class: &str) -> String {
    let (verb, them) = if used == 1 { ("is", "it") } else { ("are", "them") };
    format!("{these} {verb} enough for {class}, and without {them} the class is another.")
}

pub(super) fn missed(original: &str) -> String {
    format!(
        "No part of the input was found that is enough for {original} and without which the class is another"
    )
}
