//! Text made safe for a page, and the page around it.

use crate::picture::Picture;

/// The policy every page carries: pictures written into it, its own style, and nothing else; no script, no fetching.
const POLICY: &str =
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// Larger pictures are shown at half, a third, ... of their size.
const LARGEST_SHOWN: usize = 1024;

/// Names longer than this are cut in tables and captions.
pub(super) const LONGEST_NAME: usize = 40;

/// Writes formatted text to the end of a page. A page is a `String`, which takes all.
macro_rules! put {
    ($page:expr, $($text:tt)*) => {{
        use std::fmt::Write as _;
        let _ = write!($page, $($text)*);
    }};
}
pub(super) use put;

/// A page of its own: no address in it leads outside.
pub(super) fn page(title: &str, body: &str) -> String {
    let title = escape(title);
    let style = include_str!("style.css");
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title} · gradless</title>\n<style>\n{style}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )
}

/// Any text, safe between tags and inside quoted attributes. Control characters become the replacement character.
pub(super) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' | '\t' => safe.push(letter),
            _ if letter.is_control() => safe.push('\u{FFFD}'),
            _ => safe.push(letter),
        }
    }
    safe
}

/// Text whose direction of writing does not reach beyond it.
pub(super) fn isolated(text: &str) -> String {
    format!("<bdi>{}</bdi>", escape(text))
}

/// A name, cut if it has more characters than `longest`; the whole of it appears when pointed at.
pub(super) fn name(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("<bdi title=\"{}\">{}…</bdi>", escape(text), escape(&text[..end])),
        None => isolated(text),
    }
}

/// A picture inside the page; small ones keep their pixels sharp when enlarged.
pub(super) fn image(picture: &Picture, alt: &str) -> String {
    let shown = picture.shrunk(LARGEST_SHOWN);
    let (height, width) = (shown.height(), shown.width());
    let class = if height.max(width) <= 128 { " class=\"crisp\"" } else { "" };
    let (data, alt) = (shown.data_uri(), escape(alt));
    format!("<img{class} width=\"{width}\" height=\"{height}\" src=\"{data}\" alt=\"{alt}\">")
}

/// A relative address: whatever the name, it neither leaves the site nor runs.
pub(super) fn relative(path: &str) -> String {
    let mut address = String::from("./");
    for &byte in path.trim_start_matches('/').as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                address.push(char::from(byte));
            }
            _ => put!(address, "%{byte:02X}"),
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_sign_of_markup_survives() {
        assert_eq!(escape("<a b='c' d=\"e\">&\0"), "&lt;a b=&#39;c&#39; d=&quot;e&quot;&gt;&amp;\u{FFFD}");
    }

    #[test]
    fn long_names_are_cut_between_characters() {
        assert_eq!(name("kurz", 40), "<bdi>kurz</bdi>");
        let long = "ü".repeat(41);
        assert_eq!(name(&long, 40), format!("<bdi title=\"{long}\">{}…</bdi>", "ü".repeat(40)));
    }

    #[test]
    fn an_address_stays_below_its_page() {
        assert_eq!(relative("a b/report.html"), "./a%20b/report.html");
        assert_eq!(relative("javascript:alert(1)"), "./javascript%3Aalert%281%29");
        assert_eq!(relative("//elsewhere/x"), "./elsewhere/x");
    }
}
