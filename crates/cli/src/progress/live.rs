//! The live display: a spinning phase line and a block of lines below it.

use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use crate::terminal;

pub(super) struct Live {
    area: MultiProgress,
    phase: ProgressBar,
    tree: ProgressBar,
}

impl Live {
    pub(super) fn new() -> Self {
        let area = MultiProgress::new();
        let phase = area.add(ProgressBar::new_spinner());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg} {elapsed}") {
            phase.set_style(style);
        }
        let tree = area.add(ProgressBar::new_spinner());
        if let Ok(style) = ProgressStyle::with_template("{msg}") {
            tree.set_style(style);
        }
        Self { area, phase, tree }
    }

    pub(super) fn phase(&self, text: &str) {
        // A display that was taken away comes back, with a clock of its own.
        if self.phase.is_finished() {
            self.phase.reset();
        }
        self.phase.set_message(terminal::plain(text).into_owned());
        self.phase.enable_steady_tick(Duration::from_millis(120));
    }

    pub(super) fn tree(&self, text: &str) {
        if self.tree.is_finished() {
            self.tree.reset();
        }
        self.tree.set_message(terminal::plain(text).into_owned());
    }

    pub(super) fn clear(&self) {
        self.phase.disable_steady_tick();
        self.phase.finish_and_clear();
        self.tree.finish_and_clear();
        // Nothing can be done about a terminal that does not take it.
        self.area.clear().ok();
    }

    pub(super) fn suspend<T>(&self, work: impl FnOnce() -> T) -> T {
        self.area.suspend(work)
    }
}
