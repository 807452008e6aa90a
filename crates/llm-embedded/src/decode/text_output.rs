//! The text of an answer as it is given out: whole characters only, and nothing of a stop text.

/// Turns the bytes of tokens into text that may be shown.
#[derive(Debug)]
pub(crate) struct TextOutput {
    stops: Vec<String>,
    /// Bytes of a character that is not whole yet.
    bytes: Vec<u8>,
    /// Text that may be the start of a stop text.
    held: String,
    text: String,
    stopped: bool,
}

impl TextOutput {
    /// An output that ends at the first of `stops`; empty ones are ignored.
    pub(crate) fn new(stops: &[String]) -> Self {
        let stops = stops.iter().filter(|stop| !stop.is_empty()).cloned().collect();
        Self { stops, bytes: Vec::new(), held: String::new(), text: String::new(), stopped: false }
    }

    /// Takes the bytes of a token and returns the text that can be shown now.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> String {
        if self.stopped {
            return String::new();
        }
        self.bytes.extend_from_slice(bytes);
        self.take_whole_characters();
        let first = self.stops.iter().filter_map(|stop| self.held.find(stop.as_str())).min();
        let shown = match first {
            Some(at) => {
                self.stopped = true;
                at
            }
            None => self.held.len() - self.open_stop(),
        };
        let rest = self.held.split_off(shown);
        let shown = std::mem::replace(&mut self.held, rest);
        self.text.push_str(&shown);
        shown
    }

    /// Whether a stop text was met.
    pub(crate) fn stopped(&self) -> bool {
        self.stopped
    }

    /// Ends the answer: returns what was held back, and the whole text. Bytes that make no character are dropped.
    pub(crate) fn finish(mut self) -> (String, String) {
        let rest = if self.stopped { String::new() } else { std::mem::take(&mut self.held) };
        self.text.push_str(&rest);
        (rest, self.text)
    }

    fn take_whole_characters(&mut self) {
        let mut start = 0;
        loop {
            match std::str::from_utf8(&self.bytes[start..]) {
                Ok(text) => {
                    self.held.push_str(text);
                    start = self.bytes.len();
                    break;
                }
                Err(error) => {
                    let valid = &self.bytes[start..start + error.valid_up_to()];
                    self.held.push_str(&String::from_utf8_lossy(valid));
                    start += error.valid_up_to();
                    let Some(bad) = error.error_len() else { break };
                    self.held.push(char::REPLACEMENT_CHARACTER);
                    start += bad;
                }
            }
        }
        self.bytes.drain(..start);
    }

    /// The length of the longest end of the held text that a stop text starts with.
    fn open_stop(&self) -> usize {
        self.stops
            .iter()
            .flat_map(|stop| stop.char_indices().map(|(at, _)| &stop[..at]))
            .filter(|start| self.held.ends_with(start))
            .map(str::len)
            .max()
            .unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pieces shown, the rest, and the whole text.
    fn run(stops: &[&str], pieces: &[&[u8]]) -> (Vec<String>, String, String) {
        let stops: Vec<String> = stops.iter().map(|&stop| stop.to_owned()).collect();
        let mut text_output = TextOutput::new(&stops);
        let shown = pieces.iter().map(|piece| text_output.push(piece)).collect();
        let (rest, text) = text_output.finish();
        (shown, rest, text)
    }

    #[test]
    fn characters_come_whole() {
        let bytes = "a😀é".as_bytes();
        for cut in 1..bytes.len() {
            let (shown, rest, text) = run(&[], &[&bytes[..cut], &bytes[cut..]]);
            assert_eq!(shown.concat() + &rest, "a😀é");
            assert_eq!(text, "a😀é");
            assert!(!shown.concat().contains(char::REPLACEMENT_CHARACTER));
        }
    }

    #[test]
    fn an_unfinished_character_is_dropped_and_a_wrong_byte_marked() {
        assert_eq!(run(&[], &[b"a", &"😀".as_bytes()[..2]]).2, "a");
        assert_eq!(run(&[], &[b"a\xFFb"]).2, "a\u{FFFD}b");
    }

    #[test]
    fn a_stop_text_never_leaves_in_any_cut() {
        let bytes = "one two STOP three".as_bytes();
        for first in 1..bytes.len() - 1 {
            for second in first + 1..bytes.len() {
                let (shown, rest, text) = run(&["STOP"], &[&bytes[..first], &bytes[first..second], &bytes[second..]]);
                assert_eq!(shown.concat() + &rest, "one two ", "{first} {second}");
                assert_eq!(text, "one two ");
            }
        }
    }

    #[test]
    fn text_that_only_looks_like_a_stop_is_shown_late() {
        let (shown, rest, text) = run(&["STOP", ""], &[b"a ST", b"EP S"]);
        assert_eq!((shown, rest.as_str(), text.as_str()), (vec!["a ".to_owned(), "STEP ".to_owned()], "S", "a STEP S"));
    }

    #[test]
    fn the_earliest_of_two_stops_counts() {
        assert_eq!(run(&["later", "x"], &[b"a x later"]).2, "a ");
    }
}
