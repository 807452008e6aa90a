//! What a server answers, as a model reads it.
//!
//! Each block, resource or message of an answer is read by itself: one that is not as it should be costs no other, and a
//! line in its place says what is wrong with it.

use graphloom_agents::ToolOutput;
use graphloom_llm::ImageSource;
use serde_json::Value;

use crate::offered::kind;
use crate::structured::say_the_same;

/// The longest content of an unknown kind that is passed on as it is, in bytes.
const UNKNOWN: usize = 4_096;

/// The content of an answer, gathered block by block, no larger than a limit.
#[derive(Debug)]
pub(crate) struct Gathered {
    text: String,
    images: Vec<ImageSource>,
    limit: usize,
    used: usize,
    /// Bytes that were left out.
    pub(crate) omitted: usize,
    /// What is not as it should be, in words.
    pub(crate) odd: Vec<String>,
}

impl Gathered {
    pub(crate) fn new(limit: usize) -> Self {
        Self { text: String::new(), images: Vec::new(), limit, used: 0, omitted: 0, odd: Vec::new() }
    }

    /// The contents of a resource that was read.
    pub(crate) fn of_resources(result: &Value, limit: usize) -> Self {
        let mut gathered = Self::new(limit);
        match result.get("contents").unwrap_or(result) {
            Value::Array(contents) => contents.iter().for_each(|content| gathered.resource(content)),
            content => gathered.resource(content),
        }
        gathered
    }

    /// The messages of a prompt.
    pub(crate) fn of_messages(result: &Value, limit: usize) -> Self {
        let mut gathered = Self::new(limit);
        match result.get("messages").unwrap_or(result) {
            Value::Array(messages) => {
                for message in messages {
                    let role = message.get("role").and_then(Value::as_str).unwrap_or("user");
                    gathered.line(&format!("{role}:"));
                    gathered.content(message.get("content").unwrap_or(message));
                }
            }
            Value::String(text) => gathered.line(text),
            other => gathered.not_read(&format!("its messages are {}, and no list", kind(other))),
        }
        gathered
    }

    /// Adds the blocks of a content: a list of them, one of them, or a bare text.
    fn content(&mut self, content: &Value) {
        match content {
            Value::Null => {}
            Value::Array(blocks) => blocks.iter().for_each(|block| self.block(block)),
            block => self.block(block),
        }
    }

    fn block(&mut self, block: &Value) {
        let text = |name: &str| block.get(name).and_then(Value::as_str);
        match (block, text("type")) {
            (Value::String(text), _) => self.line(text),
            (_, Some("text")) => self.words(block.get("text"), "a text"),
            (_, Some("image")) => match text("data") {
                Some(data) => {
                    let (named, data) = of_address(data);
                    let kind = text("mimeType").or(named).or_else(|| image_kind(data)).unwrap_or("image/png");
                    self.image(kind, data);
                }
                None => self.not_read("an image has no data"),
            },
            (_, Some("audio")) => self.line(&format!(
                "[a sound: {}, {} bytes, which is not passed on]",
                text("mimeType").unwrap_or("of an unknown kind"),
                bytes_of(text("data").unwrap_or_default())
            )),
            (_, Some("resource")) => self.resource(block.get("resource").unwrap_or(&Value::Null)),
            (_, Some("resource_link")) => match listed(block) {
                Ok(line) => self.line(&line),
                Err(reason) => self.not_read(&format!("a resource: {reason}")),
            },
            (Value::Object(members), named) => {
                let named = match named {
                    Some(name) => format!("of the kind `{}`, which is not known here", name.escape_debug()),
                    None => "of no kind".to_owned(),
                };
                if let Some(text) = text("text") {
                    self.line(text);
                    self.odd.push(format!("content {named}; its text was read"));
                    return;
                }
                self.not_read(&format!("content {named}"));
                let written = Value::Object(members.clone()).to_string();
                if written.len() <= UNKNOWN {
                    self.line(&written);
                }
            }
            (other, _) => self.not_read(&format!("content that is {}", kind(other))),
        }
    }

    /// Adds what should be a text.
    fn words(&mut self, text: Option<&Value>, what: &str) {
        match text {
            Some(Value::String(text)) => self.line(text),
            None | Some(Value::Null) => self.not_read(&format!("{what} has no words")),
            Some(other) => {
                self.line(&other.to_string());
                self.odd.push(format!("{what} is {}, which was read as it is", kind(other)));
            }
        }
    }

    fn resource(&mut self, resource: &Value) {
        let text = |name: &str| resource.get(name).and_then(Value::as_str);
        let Value::Object(members) = resource else {
            match resource {
                Value::String(text) => self.line(text),
                other => self.not_read(&format!("a resource is {}, and no object", kind(other))),
            }
            return;
        };
        self.line(&format!("resource {}:", text("uri").unwrap_or("without an address")));
        match (members.get("text"), text("blob")) {
            (None | Some(Value::Null), Some(blob)) => {
                let (named, blob) = of_address(blob);
                let kind = text("mimeType").or(named).unwrap_or("application/octet-stream");
                if kind.starts_with("image/") {
                    self.image(kind, blob);
                } else {
                    self.line(&format!("[{kind}, {} bytes, which are not passed on]", bytes_of(blob)));
                }
            }
            (words, _) => self.words(words, "a resource"),
        }
    }

    /// Adds an image whole, or says that it was left out.
    fn image(&mut self, kind: &str, data: &str) {
        let bytes = bytes_of(data);
        if !kind.starts_with("image/") {
            self.line(&format!("[{kind}, {bytes} bytes, which are no image]"));
        } else if data.len() > self.limit - self.used {
            self.omitted += data.len();
            self.line(&format!("[an image: {kind}, {bytes} bytes, left out because it is too large]"));
        } else {
            self.used += data.len();
            self.images.push(ImageSource::Base64 { media_type: kind.to_owned(), data: data.to_owned() });
            self.line(&format!("[image {}: {kind}, {bytes} bytes]", self.images.len()));
        }
    }

    /// Says in its place what could not be read.
    pub(crate) fn not_read(&mut self, what: &str) {
        self.line(&format!("[not read: {what}]"));
        self.odd.push(what.to_owned());
    }

    /// Adds a text on lines of its own, as much of it as there is room for.
    pub(crate) fn line(&mut self, text: &str) {
        let text = text.trim_end_matches('\n');
        let room = self.limit - self.used;
        let mut cut = text.len().min(room);
        while !text.is_char_boundary(cut) {
            cut -= 1;
        }
        self.omitted += text.len() - cut;
        self.used += cut;
        if !self.text.is_empty() && cut > 0 {
            self.text.push('\n');
        }
        self.text.push_str(&text[..cut]);
    }

    /// The answer of a tool, with a line about what was left out.
    pub(crate) fn output(mut self, data: Value, origin: String) -> ToolOutput {
        if self.omitted > 0 {
            let line =
                format!("[{} bytes of this answer were left out; at most {} are taken]", self.omitted, self.limit);
            if !self.text.is_empty() {
                self.text.push('\n');
            }
            self.text.push_str(&line);
        }
        ToolOutput::new(self.text).with_data(data).with_images(self.images).with_origin(origin)
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

/// What a tool answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) gathered: Gathered,
    /// What it answered as data.
    pub(crate) structured: Option<Value>,
    /// Whether it says that it failed.
    pub(crate) failed: bool,
}

/// The content of a tool's answer. Its data is a part of the content, unless the texts beside it say the same.
pub(crate) fn of_result(result: &Value, limit: usize) -> Answer {
    let mut gathered = Gathered::new(limit);
    let content = match result {
        Value::Object(members) => members.get("content").unwrap_or(&Value::Null),
        bare => bare,
    };
    gathered.content(content);
    let structured = result.get("structuredContent").filter(|data| !data.is_null());
    if let Some(data) = structured
        && !say_the_same(&texts(content), data)
    {
        gathered.line(&data.to_string());
    }
    let failed = match result.get("isError") {
        Some(Value::Bool(failed)) => *failed,
        Some(Value::String(text)) => text.eq_ignore_ascii_case("true"),
        _ => false,
    };
    Answer { gathered, structured: structured.cloned(), failed }
}

impl Answer {
    /// The content, and the data where it is not too large.
    pub(crate) fn parts(mut self) -> (Gathered, Value) {
        let data = self.structured.unwrap_or_default();
        let bytes = data.to_string().len();
        if bytes > self.gathered.limit {
            self.gathered.omitted += bytes;
            return (self.gathered, Value::Null);
        }
        (self.gathered, data)
    }
}

/// The texts of a content.
fn texts(content: &Value) -> Vec<String> {
    let blocks = content.as_array().map_or(std::slice::from_ref(content), Vec::as_slice);
    let text = |block: &Value| block.as_str().or_else(|| block.get("text")?.as_str()).map(str::to_owned);
    blocks.iter().filter_map(text).collect()
}

/// A resource on one line.
///
/// # Errors
/// Why it is none.
pub(crate) fn listed(resource: &Value) -> Result<String, String> {
    let text = |name: &str| resource.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    if !resource.is_object() {
        return Err(format!("it is {}, and no object", kind(resource)));
    }
    let uri = text("uri").ok_or_else(|| match text("name") {
        Some(name) => format!("`{name}` has no address"),
        None => "it has no address".to_owned(),
    })?;
    let mut line = format!("[resource `{}` at {uri}", text("name").or_else(|| text("title")).unwrap_or(uri));
    for part in [text("mimeType"), text("description")].into_iter().flatten() {
        line.push_str(", ");
        line.push_str(part);
    }
    line.push(']');
    Ok(line)
}

/// How many bytes a text of base64 stands for, about.
fn bytes_of(data: &str) -> usize {
    data.trim_end_matches('=').len() * 3 / 4
}

/// Base64 out of an address that holds it (`data:image/png;base64,…`), with the kind that the address names.
fn of_address(data: &str) -> (Option<&str>, &str) {
    let parts = data.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    parts.map_or((None, data), |(kind, data)| (Some(kind).filter(|kind| !kind.is_empty()), data))
}

/// The kind of an image by its first bytes.
fn image_kind(data: &str) -> Option<&'static str> {
    let kinds = [("iVBOR", "image/png"), ("/9j/", "image/jpeg"), ("R0lG", "image/gif"), ("UklG", "image/webp")];
    kinds.into_iter().find_map(|(begin, kind)| data.starts_with(begin).then_some(kind))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn gathered(blocks: &Value, limit: usize) -> Gathered {
        of_result(&json!({ "content": blocks }), limit).gathered
    }

    #[test]
    fn every_kind_of_content_is_read_or_named() {
        let blocks = json!([
            {"type": "text", "text": "one"},
            {"type": "image", "data": "AAAA", "mimeType": "image/png"},
            {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
            {"type": "resource", "resource": {"uri": "demo://a", "text": "inside", "mimeType": "text/plain"}},
            {"type": "resource", "resource": {"uri": "demo://b", "blob": "AAAAAA=="}},
            {"type": "resource_link", "uri": "demo://c", "name": "c"},
        ]);
        let gathered = gathered(&blocks, 1_000);
        assert_eq!(gathered.odd, [""; 0]);
        let output = gathered.output(Value::Null, "s".to_owned());
        assert_eq!(
            output.content,
            "one\n[image 1: image/png, 3 bytes]\n[a sound: audio/wav, 3 bytes, which is not passed on]\nresource \
             demo://a:\ninside\nresource demo://b:\n[application/octet-stream, 4 bytes, which are not passed \
             on]\n[resource `c` at demo://c]"
        );
        assert_eq!(
            output.images,
            [ImageSource::Base64 { media_type: "image/png".to_owned(), data: "AAAA".to_owned() }]
        );
    }

    #[test]
    fn a_block_that_is_not_as_it_should_be_costs_no_other() {
        for (block, line, odd) in [
            (json!({"type": "text", "text": null}), "[not read: a text has no words]", "a text has no words"),
            (json!({"type": "text"}), "[not read: a text has no words]", "a text has no words"),
            (json!({"type": "text", "text": 7}), "7", "a text is a number, which was read as it is"),
            (json!({"type": "image"}), "[not read: an image has no data]", "an image has no data"),
            (
                json!({"type": "resource"}),
                "[not read: a resource is null, and no object]",
                "a resource is null, and no object",
            ),
            (
                json!({"type": "resource", "resource": {"text": null}}),
                "resource without an address:\n[not read: a resource has no words]",
                "a resource has no words",
            ),
            (
                json!({"type": "resource_link"}),
                "[not read: a resource: it has no address]",
                "a resource: it has no address",
            ),
            (
                json!({"type": "video", "length": 3}),
                "[not read: content of the kind `video`, which is not known here]\n{\"type\":\"video\",\"length\":3}",
                "content of the kind `video`, which is not known here",
            ),
            (
                json!({"type": "markdown", "text": "# One"}),
                "# One",
                "content of the kind `markdown`, which is not known here; its text was read",
            ),
            (json!({"text": "bare"}), "bare", "content of no kind; its text was read"),
            (json!(null), "[not read: content that is null]", "content that is null"),
        ] {
            let gathered = gathered(&json!([{"type": "text", "text": "before"}, block, "after"]), 1_000);
            assert_eq!(gathered.text(), format!("before\n{line}\nafter"), "{block}");
            assert_eq!(gathered.odd, [odd], "{block}");
        }
    }

    #[test]
    fn a_result_is_read_in_whatever_form_it_comes() {
        for (result, text, failed) in [
            (json!("a text"), "a text", false),
            (json!(["a", {"type": "text", "text": "b"}]), "a\nb", false),
            (json!({}), "", false),
            (json!({"content": null}), "", false),
            (json!({"content": "a text", "isError": "true"}), "a text", true),
            (json!({"content": {"type": "text", "text": "one"}, "isError": true}), "one", true),
            (json!({"structuredContent": {"a": 1}, "isError": null}), "{\"a\":1}", false),
            (
                json!({"content": [{"type": "text", "text": "warm"}], "structuredContent": {"a": 1}}),
                "warm\n{\"a\":1}",
                false,
            ),
            (
                json!({"content": [{"type": "text", "text": "{\"a\": 1}"}], "structuredContent": {"a": 1}}),
                "{\"a\": 1}",
                false,
            ),
        ] {
            let answer = of_result(&result, 1_000);
            assert_eq!((answer.gathered.text(), answer.failed), (text, failed), "{result}");
            assert_eq!(answer.gathered.odd, [""; 0], "{result}");
        }
    }

    #[test]
    fn an_image_is_known_without_its_kind() {
        for (block, kind, data) in [
            (json!({"type": "image", "data": "/9j/AA"}), "image/jpeg", "/9j/AA"),
            (json!({"type": "image", "data": "data:image/gif;base64,R0lG"}), "image/gif", "R0lG"),
            (json!({"type": "image", "data": "AAAA", "mimeType": null}), "image/png", "AAAA"),
        ] {
            let output = gathered(&json!([block]), 100).output(Value::Null, "s".to_owned());
            let expected = ImageSource::Base64 { media_type: kind.to_owned(), data: data.to_owned() };
            assert_eq!(output.images, [expected], "{block}");
        }
    }

    #[test]
    fn messages_and_resources_are_read_in_whatever_form_they_come() {
        let messages = json!({"messages": [
            {"role": "user", "content": {"type": "text", "text": "one"}},
            {"role": "assistant", "content": [{"type": "text", "text": "two"}, {"type": "text", "text": null}]},
            {"content": "three"},
            {"role": "system", "content": {"type": "text", "text": "four"}},
        ]});
        let read = Gathered::of_messages(&messages, 1_000);
        assert_eq!(
            read.text(),
            "user:\none\nassistant:\ntwo\n[not read: a text has no words]\nuser:\nthree\nsystem:\nfour"
        );
        assert_eq!(read.odd, ["a text has no words"]);
        assert_eq!(
            Gathered::of_messages(&json!({"messages": 3}), 1_000).odd,
            ["its messages are a number, and no list"]
        );
        for (result, text) in [
            (
                json!({"contents": [{"uri": "a:b", "text": "one"}, 4]}),
                "resource a:b:\none\n[not read: a resource is a number, and no object]",
            ),
            (json!({"contents": {"uri": "a:b", "text": "one"}}), "resource a:b:\none"),
            (json!({"uri": "a:b", "text": "one"}), "resource a:b:\none"),
            (json!({"contents": "one"}), "one"),
        ] {
            assert_eq!(Gathered::of_resources(&result, 1_000).text(), text, "{result}");
        }
    }

    #[test]
    fn what_is_too_long_is_cut_between_characters_and_told() {
        let blocks =
            json!([{"type": "text", "text": "ab\u{e9}cd"}, {"type": "image", "data": "AAAA", "mimeType": "image/png"}]);
        let output = gathered(&blocks, 3).output(Value::Null, "s".to_owned());
        assert!(output.content.starts_with("ab\n["), "{}", output.content);
        assert!(output.content.contains("at most 3 are taken"), "{}", output.content);
        assert!(output.images.is_empty());
    }
}
