//! Lines of a server that are too long to be taken.
//!
//! Over standard output a message is one line. A line beyond the limit is read past without being kept. Where it answers
//! a request, an error with the request's id takes its place, so that whoever waits for it is told at once.

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::mpsc;

/// The code of the error that takes the place of a line that is too long.
pub(crate) const TOO_LONG: i32 = -32_098;
/// A line this many times longer than the limit ends the connection.
const PATIENCE: usize = 64;

/// Passes lines on, up to `limit` bytes each, until there are no more or nobody takes them.
///
/// # Errors
/// Those of reading, and a line that does not end.
pub(super) async fn pass_on(
    mut from: impl AsyncRead + Unpin,
    to: mpsc::Sender<Vec<u8>>,
    limit: usize,
) -> std::io::Result<()> {
    let mut chunk = vec![0_u8; 64 * 1024];
    let mut line: Vec<u8> = Vec::new();
    // How long the line is that is read past, and what tells its id.
    let mut past: Option<(usize, IdScan)> = None;
    loop {
        let read = from.read(&mut chunk).await?;
        if read == 0 {
            // The last line may have no end.
            if !line.is_empty() && past.is_none() {
                let _ = to.send(line).await;
            }
            return Ok(());
        }
        let mut rest = &chunk[..read];
        while !rest.is_empty() {
            let end = rest.iter().position(|byte| *byte == b'\n');
            let (part, after) = rest.split_at(end.map_or(rest.len(), |at| at + 1));
            rest = after;
            match &mut past {
                None if line.len() + part.len() <= limit => line.extend_from_slice(part),
                None => {
                    let mut scan = IdScan::default();
                    scan.feed(&line);
                    scan.feed(part);
                    past = Some((line.len() + part.len(), scan));
                    line = Vec::new();
                }
                Some((length, scan)) => {
                    *length = length.saturating_add(part.len());
                    scan.feed(part);
                    if *length > limit.saturating_mul(PATIENCE) {
                        return Err(std::io::Error::other(format!("a line of it has more than {length} bytes")));
                    }
                }
            }
            if end.is_none() {
                continue;
            }
            let whole = match past.take() {
                None => Some(std::mem::take(&mut line)),
                Some((length, scan)) => scan.found().map(|id| {
                    format!(
                        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":{TOO_LONG},\"message\":\"{length}\"}}}}\n"
                    )
                    .into_bytes()
                }),
            };
            if let Some(whole) = whole
                && to.send(whole).await.is_err()
            {
                return Ok(());
            }
        }
    }
}

/// The member `id` at the top of an object, as far as it can be told from a text that is no JSON as a whole.
pub(super) fn id_in(text: &[u8]) -> Option<Value> {
    let mut scan = IdScan::default();
    scan.feed(text);
    serde_json::from_str(&scan.found()?).ok()
}

/// Finds the member `id` at the top of an object that is read piece by piece and not kept.
#[derive(Debug, Default)]
struct IdScan {
    depth: u32,
    in_text: bool,
    escaped: bool,
    /// Whether the next text at the top is the name of a member.
    naming: bool,
    /// The name of a member, or the value of `id`, as it is read.
    token: Vec<u8>,
    /// Whether the value that is read is that of `id`.
    of_id: bool,
    id: Option<String>,
}

impl IdScan {
    /// The longest id that is kept.
    const LONGEST: usize = 128;

    fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.step(*byte);
        }
    }

    fn step(&mut self, byte: u8) {
        let at_top = self.depth == 1;
        if self.in_text {
            if self.escaped {
                self.escaped = false;
            } else if byte == b'\\' {
                self.escaped = true;
            } else if byte == b'"' {
                self.in_text = false;
            }
            self.keep(byte, at_top);
            return;
        }
        match byte {
            b'"' => {
                self.in_text = true;
                self.keep(byte, at_top);
            }
            b'{' | b'[' => {
                self.depth = self.depth.saturating_add(1);
                self.naming = self.depth == 1 && byte == b'{';
            }
            b'}' | b']' => {
                if at_top {
                    self.end();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if at_top => {
                self.of_id = self.naming && self.token == b"\"id\"";
                self.naming = false;
                self.token.clear();
            }
            b',' if at_top => {
                self.end();
                self.naming = true;
            }
            byte if byte.is_ascii_whitespace() => {}
            byte => self.keep(byte, at_top),
        }
    }

    fn keep(&mut self, byte: u8, at_top: bool) {
        if at_top && (self.naming || self.of_id) && self.token.len() <= Self::LONGEST {
            self.token.push(byte);
        }
    }

    fn end(&mut self) {
        let token = std::mem::take(&mut self.token);
        if std::mem::take(&mut self.of_id) && token.len() <= Self::LONGEST {
            let value = std::str::from_utf8(&token).ok();
            let fit =
                |text: &&str| serde_json::from_str::<Value>(text).is_ok_and(|id| id.is_number() || id.is_string());
            self.id = value.filter(fit).map(str::to_owned);
        }
    }

    fn found(self) -> Option<String> {
        self.id
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn id_of(text: &str) -> Option<Value> {
        let mut scan = IdScan::default();
        for piece in text.as_bytes().chunks(3) {
            scan.feed(piece);
        }
        scan.found().map(|id| serde_json::from_str(&id).unwrap())
    }

    #[test]
    fn the_id_is_that_at_the_top() {
        for (text, id) in [
            (r#"{"jsonrpc":"2.0","id":7,"result":{"id":8}}"#, Some(json!(7))),
            (r#"{"result":{"id":8,"text":"\"id\":9,"},"id" : "a\"b"}"#, Some(json!("a\"b"))),
            (r#"{"method":"id","params":{"id":1}}"#, None),
            (r#"{"id":null}"#, None),
            (r#"{"id":{"id":3}}"#, None),
            (r#"[{"id":3}]"#, None),
            (r#"{"x":"id","y":4}"#, None),
        ] {
            assert_eq!(id_of(text), id, "{text}");
        }
    }

    proptest! {
        #[test]
        fn the_id_is_what_a_parser_finds(
            before in "[\\PC\"\\\\:,{}]{0,20}", id in 0_u64..1_000_000, after in prop::collection::vec(".{0,9}", 0..4),
        ) {
            let value = json!({"a": {"id": before}, "b": [before, {"id": 1}], "id": id, "c": after, "d": {"x": [after]}});
            prop_assert_eq!(id_of(&value.to_string()), Some(json!(id)));
            prop_assert_eq!(id_of(&serde_json::to_string_pretty(&value).unwrap()), Some(json!(id)));
        }
    }

    async fn passed(input: &[u8], limit: usize) -> (Vec<String>, bool) {
        let (to, mut lines) = mpsc::channel(100);
        let fine = pass_on(input, to, limit).await.is_ok();
        let mut passed = Vec::new();
        while let Some(line) = lines.recv().await {
            passed.push(String::from_utf8(line).unwrap());
        }
        (passed, fine)
    }

    #[tokio::test]
    async fn a_long_line_is_replaced_and_the_others_pass() {
        let long = format!("{{\"id\":3,\"result\":\"{}\"}}\n", "x".repeat(200));
        let notice = format!("{{\"method\":\"{}\"}}\n", "x".repeat(200));
        let input = format!("{{\"id\":2}}\n{long}{notice}{{\"id\":4}}\nunfinished");
        let (mut passed, fine) = passed(input.as_bytes(), 64).await;
        assert!(fine);
        assert_eq!(passed.pop().as_deref(), Some("unfinished"), "a program may end with a line that has no end");
        let lines: Vec<Value> = passed.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 3, "{passed:?}");
        assert_eq!((&lines[0]["id"], &lines[2]["id"]), (&json!(2), &json!(4)));
        assert_eq!((&lines[1]["id"], &lines[1]["error"]["code"]), (&json!(3), &json!(TOO_LONG)));
    }

    #[tokio::test]
    async fn a_line_that_does_not_end_ends_the_connection() {
        let endless = "x".repeat(10 * PATIENCE + 1_000_000);
        let (output, fine) = passed(endless.as_bytes(), 10).await;
        assert!(!fine && output.is_empty());
    }
}
