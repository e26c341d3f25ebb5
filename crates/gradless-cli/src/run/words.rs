//! The words a run was called with.

/// The command that repeats the run, quoted for a shell.
pub(crate) fn command() -> String {
    let quoted = |word: String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,=+:%@".contains(c);
        if !word.is_empty() && word.chars().all(plain) {
            word
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    };
    let words = crate::arguments::typed().map(|word| quoted(word.to_string_lossy().into_owned()));
    std::iter::once("gradless".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// The words of the command, if they can be written down.
pub(crate) fn arguments() -> Option<Vec<String>> {
    crate::arguments::typed().map(|word| word.to_str().map(str::to_owned)).collect()
}
