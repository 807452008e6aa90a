//! Server-sent events as a client reads them.

use serde_json::Value;

/// One event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StreamEvent {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) data: Value,
}

impl StreamEvent {
    /// The part of its id that counts.
    pub(crate) fn number(&self) -> u64 {
        self.id.rsplit('-').next().and_then(|number| number.parse().ok()).unwrap_or_default()
    }
}

/// A stream that is being read.
pub(crate) struct EventStream {
    response: reqwest::Response,
    buffer: Vec<u8>,
    pub(crate) status: u16,
    /// Where the run of the stream is found, as `Content-Location` says.
    pub(crate) location: String,
}

impl EventStream {
    pub(crate) async fn open(request: reqwest::RequestBuilder) -> Result<Self, reqwest::Error> {
        let response = request.send().await?;
        let location = response.headers().get("content-location").and_then(|at| at.to_str().ok());
        let location = location.unwrap_or_default().to_owned();
        Ok(Self { status: response.status().as_u16(), location, response, buffer: Vec::new() })
    }

    /// The next event; none at the end of the stream. What came of an event before the connection broke is no event.
    pub(crate) async fn next(&mut self) -> Result<Option<StreamEvent>, reqwest::Error> {
        loop {
            while let Some(end) = end(&self.buffer) {
                let rest = self.buffer.split_off(end);
                let block = std::mem::replace(&mut self.buffer, rest);
                if let Some(event) = read(&String::from_utf8_lossy(&block)) {
                    return Ok(Some(event));
                }
            }
            match self.response.chunk().await? {
                Some(bytes) => self.buffer.extend_from_slice(&bytes),
                None => return Ok(None),
            }
        }
    }
}

/// The end of the first block of lines. Protocols end lines in two ways.
fn end(buffer: &[u8]) -> Option<usize> {
    let after = |end: &[u8]| Some(buffer.windows(end.len()).position(|bytes| bytes == end)? + end.len());
    after(b"\r\n\r\n").or_else(|| after(b"\n\n"))
}

/// The event of a block of lines; none for a comment.
fn read(block: &str) -> Option<StreamEvent> {
    let mut event = StreamEvent { id: String::new(), name: String::new(), data: Value::Null };
    let mut is_event = false;
    for line in block.lines() {
        let Some((field, value)) = line.split_once(": ") else { continue };
        match field {
            "event" => event.name = value.to_owned(),
            "id" => event.id = value.to_owned(),
            "data" => {
                event.data = serde_json::from_str(value).unwrap();
                is_event = true;
            }
            _ => {}
        }
    }
    is_event.then_some(event)
}
