//! What processes write down.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use graphloom_core_graph::{Clock, SystemClock};

/// Where all processes write what they do, and how long a part of a book takes.
#[derive(Clone, Debug)]
pub struct Notes {
    pub(crate) file: PathBuf,
    pub(crate) pause: Duration,
}

impl Notes {
    /// Writes a line at once, so that lines of processes do not mix: what happened to which thread, the process and its time.
    ///
    /// # Panics
    /// Where the file cannot be written.
    pub fn note(&self, what: &str, thread: &str, about: &str) {
        let mut file = OpenOptions::new().append(true).create(true).open(&self.file).expect("the notes open");
        let (process, time) = (std::process::id(), SystemClock.now());
        let line =
            [what, thread, &about.replace(['\n', '\t'], " "), &process.to_string(), &time.to_string()].join("\t");
        file.write_all(format!("{line}\n").as_bytes()).expect("a note is written");
    }
}
