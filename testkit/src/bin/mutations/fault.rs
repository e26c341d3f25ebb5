//! A fault, and the test that must notice it.

use std::fmt;

/// A change of one place in the code, and who notices.
pub(crate) struct Fault {
    pub(crate) part: &'static str,
    /// What is then the case.
    pub(crate) what: &'static str,
    /// The folder below which the old text stands, once and nowhere else: files may move.
    pub(crate) within: &'static str,
    pub(crate) old: &'static str,
    pub(crate) new: &'static str,
    pub(crate) test: Test,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.part, self.what, self.test)
    }
}

/// A test, or all with such a name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Test {
    pub(crate) package: &'static str,
    /// The file in `tests`, or `lib`.
    pub(crate) file: &'static str,
    pub(crate) name: &'static str,
}

impl Test {
    /// The package's folder.
    pub(crate) fn folder(self) -> String {
        format!("crates/{}", self.package)
    }

    /// How cargo is told.
    pub(crate) fn target(self) -> Vec<&'static str> {
        if self.file == "lib" { vec!["--lib"] } else { vec!["--test", self.file] }
    }

    pub(crate) fn features(self) -> Option<&'static str> {
        (self.package == "gradless-paper").then_some("reproduce")
    }
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { package, file, name } = self;
        write!(f, "{package}, {file}: `{name}`")
    }
}
