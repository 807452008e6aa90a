//! Messages that are written over several lines, as printers for people write them.

/// Gathers the lines of a message that is written over several: it begins with a line that is `{` alone, and ends with one
/// that is `}` alone.
#[derive(Debug)]
pub(super) struct Pretty {
    begun: Vec<u8>,
    limit: usize,
}

impl Pretty {
    /// No message is longer than `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self { begun: Vec::new(), limit }
    }

    /// The text that is whole with this line, if one is: the line, or the message that it ends. A message of one line is
    /// whole also between those of another.
    pub(super) fn whole(&mut self, line: Vec<u8>) -> Option<Vec<u8>> {
        let text = line.trim_ascii_end();
        if text == b"{" {
            self.begun = line;
            return None;
        }
        if self.begun.is_empty() || (text.starts_with(b"{") && text.ends_with(b"}")) {
            return Some(line);
        }
        if self.begun.len() + line.len() > self.limit {
            return Some(std::mem::take(&mut self.begun));
        }
        let ends = text == b"}";
        self.begun.extend(line);
        ends.then(|| std::mem::take(&mut self.begun))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, limit: usize) -> Vec<String> {
        let mut pretty = Pretty::new(limit);
        let lines = text.split_inclusive('\n').filter_map(|line| pretty.whole(line.into()));
        lines.map(|text| String::from_utf8(text).unwrap().replace('\n', "")).collect()
    }

    #[test]
    fn the_lines_of_a_message_are_one_text_and_messages_between_them_are_their_own() {
        let text = "up\n{\n  \"id\": 1,\n{\"id\":2}\n  \"result\": {\n  }\n}\n{\"id\":3}\n";
        assert_eq!(read(text, 100), ["up", "{\"id\":2}", "{  \"id\": 1,  \"result\": {  }}", "{\"id\":3}"]);
        assert_eq!(read("{\n\"a\": 1\n{\n\"b\": 2\n}\nup\n", 100), ["{\"b\": 2}", "up"], "the first has no end");
    }

    #[test]
    fn what_has_no_end_is_not_kept_for_ever() {
        let text = format!("{{\n{}up\n", "\"a\": 1,\n".repeat(20));
        assert_eq!(read(&text, 50).last().map(String::as_str), Some("up"));
    }
}
