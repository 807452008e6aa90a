//! What a person says in a chat, line by line, each with the question that they had been shown when they said it.
//!
//! A line that came in before a question was printed is not about that question. So all that has come in is read before
//! anything is printed, and kept as said about the older question.

use std::collections::VecDeque;
use std::io;

use graphloom_pocketflow::session::Question;

/// A line of a person.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) text: String,
    /// The question that the person had been shown.
    pub(crate) about: Option<Question>,
}

/// Bytes that are read ahead at most. Whoever sends more before the answer is printed reads no questions at all.
const MOST_AHEAD: usize = 4 * 1024 * 1024;

/// Lines of the standard input.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    ready: VecDeque<Line>,
    /// The line whose end has not come yet.
    partial: Vec<u8>,
    /// The question that the partial line is about.
    partial_about: Option<Question>,
    ended: bool,
    ahead: usize,
}

impl Lines {
    /// Reads all input that is available, as lines about `about`. To be called before the next question is printed.
    pub(crate) fn read_available(&mut self, about: Option<&Question>) -> io::Result<()> {
        while !self.ended && self.ahead <= MOST_AHEAD && input::is_ready()? {
            self.ahead += self.read(about)?;
        }
        Ok(())
    }

    /// The next line that was read already.
    pub(crate) fn next_ready(&mut self) -> Option<Line> {
        self.ready.pop_front()
    }

    /// Waits for the next line; `None` at the end of the input.
    pub(crate) fn next(&mut self, about: Option<&Question>) -> io::Result<Option<Line>> {
        // Where more came in than is read ahead, nobody knows what the rest is about.
        let about = about.filter(|_| self.ahead <= MOST_AHEAD);
        while self.ready.is_empty() && !self.ended {
            self.read(about)?;
        }
        Ok(self.ready.pop_front())
    }

    fn read(&mut self, about: Option<&Question>) -> io::Result<usize> {
        let mut chunk = [0; 64 * 1024];
        let read = input::read(&mut chunk)?;
        self.add(&chunk[..read], about);
        Ok(read)
    }

    /// Adds bytes that were read; no bytes mean the end of the input.
    fn add(&mut self, bytes: &[u8], about: Option<&Question>) {
        if bytes.is_empty() {
            self.ended = true;
            if !self.partial.is_empty() {
                self.end_line(about);
            }
            return;
        }
        for piece in bytes.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
            if self.partial.is_empty() {
                self.partial_about = about.cloned();
            }
            self.partial.extend_from_slice(piece);
            match piece.last() {
                // The second half of a line's end of two bytes.
                Some(b'\n') if self.partial == b"\n" && self.after_return() => self.partial.clear(),
                Some(b'\n' | b'\r') => self.end_line(about),
                _ => {}
            }
        }
    }

    fn after_return(&self) -> bool {
        self.ready.back().is_some_and(|line| line.text.ends_with('\r'))
    }

    /// Ends a line. A line that began before a question was shown is about the question before it.
    fn end_line(&mut self, about: Option<&Question>) {
        let bytes = std::mem::take(&mut self.partial);
        let began = self.partial_about.take();
        let about = if began.as_ref() == about { about.cloned() } else { began };
        // A letter that is not UTF-8 is read as the sign for that, and does not end the conversation.
        self.ready.push_back(Line { text: String::from_utf8_lossy(&bytes).trim_end_matches('\n').to_owned(), about });
    }
}

#[cfg(unix)]
mod input {
    use std::io;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    /// Whether a read would not wait.
    pub(super) fn is_ready() -> io::Result<bool> {
        let stdin = io::stdin();
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        loop {
            match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&at_once)) {
                Err(rustix::io::Errno::INTR) => {}
                ready => return Ok(ready? > 0),
            }
        }
    }

    /// Reads past the buffer of the standard library, which would hide what has come in.
    pub(super) fn read(bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            match rustix::io::read(io::stdin(), &mut *bytes) {
                Err(rustix::io::Errno::INTR) => {}
                read => return Ok(read?),
            }
        }
    }
}

#[cfg(not(unix))]
mod input {
    use std::io::{self, Read};

    /// Not to be known here: what came in before is read when it is asked for.
    pub(super) fn is_ready() -> io::Result<bool> {
        Ok(false)
    }

    pub(super) fn read(bytes: &mut [u8]) -> io::Result<usize> {
        io::stdin().lock().read(bytes)
    }
}

#[cfg(test)]
mod tests {
    use graphloom_pocketflow::session::Session;

    use super::*;

    #[test]
    fn a_line_is_about_what_was_shown_when_it_began() {
        let shown = Question::of(&Session::new("c1"));
        let mut lines = Lines::default();
        lines.add(b"tides\nappr", None);
        lines.add(b"ove\nyes\r\nno", Some(&shown));
        lines.add(b"", Some(&shown));
        let read: Vec<(String, bool)> =
            lines.ready.into_iter().map(|line| (line.text.trim().to_owned(), line.about.is_some())).collect();
        let read: Vec<(&str, bool)> = read.iter().map(|(text, about)| (text.as_str(), *about)).collect();
        assert_eq!(read, [("tides", false), ("approve", false), ("yes", true), ("no", true)]);
    }
}
