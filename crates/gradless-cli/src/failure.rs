//! An error and everything that caused it, as one paragraph.

/// The message of the error and of each of its causes, joined by colons; a cause that was already told is left out.
pub(crate) fn paragraph(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |told, cause| {
        if told.is_empty() {
            cause
        } else if told.contains(&cause) {
            told
        } else {
            format!("{told}: {cause}")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::anyhow;

    #[test]
    fn causes_follow_what_they_caused_and_are_told_once() {
        let error =
            anyhow!("no such disk").context("cannot write a: no such disk").context("MNIST is missing");
        assert_eq!(paragraph(&error), "MNIST is missing: cannot write a: no such disk");
    }
}
