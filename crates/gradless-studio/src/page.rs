//! The files of the page, which are part of the program.

/// A file: its name, what it is, and its bytes.
pub(crate) struct Asset {
    pub(crate) name: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) bytes: &'static [u8],
}

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The page itself.
pub(crate) const INDEX: &str = include_str!("../page/index.html");

/// What it loads.
pub(crate) const ASSETS: &[Asset] = &[
    Asset {
        name: "studio.css",
        kind: "text/css; charset=utf-8",
        bytes: include_bytes!("../page/studio.css"),
    },
    Asset { name: "studio.js", kind: SCRIPT, bytes: include_bytes!("../page/studio.js") },
    Asset { name: "server.js", kind: SCRIPT, bytes: include_bytes!("../page/server.js") },
    Asset { name: "search.js", kind: SCRIPT, bytes: include_bytes!("../page/search.js") },
    Asset { name: "elements.js", kind: SCRIPT, bytes: include_bytes!("../page/elements.js") },
    Asset { name: "drawing.js", kind: SCRIPT, bytes: include_bytes!("../page/drawing.js") },
    Asset { name: "draw.js", kind: SCRIPT, bytes: include_bytes!("../page/draw.js") },
    Asset { name: "pictures.js", kind: SCRIPT, bytes: include_bytes!("../page/pictures.js") },
    Asset { name: "plot.js", kind: SCRIPT, bytes: include_bytes!("../page/plot.js") },
    Asset { name: "forming.js", kind: SCRIPT, bytes: include_bytes!("../page/forming.js") },
    Asset { name: "answers.js", kind: SCRIPT, bytes: include_bytes!("../page/answers.js") },
    Asset { name: "own.js", kind: SCRIPT, bytes: include_bytes!("../page/own.js") },
    Asset { name: "table.js", kind: SCRIPT, bytes: include_bytes!("../page/table.js") },
    Asset { name: "runs.js", kind: SCRIPT, bytes: include_bytes!("../page/runs.js") },
    Asset { name: "minimum.js", kind: SCRIPT, bytes: include_bytes!("../page/minimum.js") },
    Asset { name: "icon.svg", kind: "image/svg+xml", bytes: include_bytes!("../page/icon.svg") },
];
