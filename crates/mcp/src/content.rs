//! What a server answers, as a model reads it.

use graphloom_agents::ToolOutput;
use graphloom_llm::ImageSource;
use rmcp::model::{CallToolResult, ContentBlock, PromptMessage, Resource, ResourceContents, Role};
use serde_json::Value;

/// The content of an answer, gathered block by block, no larger than a limit.
#[derive(Debug)]
pub(crate) struct Gathered {
    text: String,
    images: Vec<ImageSource>,
    limit: usize,
    used: usize,
    /// Bytes that were left out.
    pub(crate) omitted: usize,
}

impl Gathered {
    pub(crate) fn new(limit: usize) -> Self {
        Self { text: String::new(), images: Vec::new(), limit, used: 0, omitted: 0 }
    }

    pub(crate) fn of_blocks(blocks: &[ContentBlock], limit: usize) -> Self {
        let mut gathered = Self::new(limit);
        for block in blocks {
            gathered.block(block);
        }
        gathered
    }

    pub(crate) fn of_resources(contents: &[ResourceContents], limit: usize) -> Self {
        let mut gathered = Self::new(limit);
        for content in contents {
            gathered.resource(content);
        }
        gathered
    }

    pub(crate) fn of_messages(messages: &[PromptMessage], limit: usize) -> Self {
        let mut gathered = Self::new(limit);
        for message in messages {
            let role = match message.role {
                Role::User => "user:",
                Role::Assistant => "assistant:",
            };
            gathered.line(role);
            gathered.block(&message.content);
        }
        gathered
    }

    fn block(&mut self, block: &ContentBlock) {
        match block {
            ContentBlock::Text(text) => self.line(&text.text),
            ContentBlock::Image(image) => self.image(&image.mime_type, &image.data),
            ContentBlock::Audio(audio) => self.line(&format!(
                "[a sound: {}, {} bytes, which is not passed on]",
                audio.mime_type,
                bytes_of(&audio.data)
            )),
            ContentBlock::Resource(embedded) => self.resource(&embedded.resource),
            ContentBlock::ResourceLink(link) => self.line(&listed(link)),
            _ => self.line("[content of a kind that is not known here]"),
        }
    }

    fn resource(&mut self, resource: &ResourceContents) {
        match resource {
            ResourceContents::TextResourceContents { uri, text, .. } => {
                self.line(&format!("resource {uri}:"));
                self.line(text);
            }
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                let kind = mime_type.as_deref().unwrap_or("application/octet-stream");
                self.line(&format!("resource {uri}:"));
                if kind.starts_with("image/") {
                    self.image(kind, blob);
                } else {
                    self.line(&format!("[{kind}, {} bytes, which are not passed on]", bytes_of(blob)));
                }
            }
            _ => self.line("[a resource of a kind that is not known here]"),
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

/// The content of a tool's answer. Where it has none beside its data, the data is the content.
pub(crate) fn of_result(result: &CallToolResult, limit: usize) -> (Gathered, Value) {
    let mut gathered = Gathered::of_blocks(&result.content, limit);
    let Some(data) = &result.structured_content else { return (gathered, Value::Null) };
    let written = data.to_string();
    if result.content.is_empty() {
        gathered.line(&written);
    }
    if written.len() > limit {
        gathered.omitted += written.len();
        return (gathered, Value::Null);
    }
    (gathered, data.clone())
}

/// A resource on one line.
pub(crate) fn listed(resource: &Resource) -> String {
    let mut line = format!("[resource `{}` at {}", resource.name, resource.uri);
    for part in [&resource.mime_type, &resource.description].into_iter().flatten() {
        line.push_str(", ");
        line.push_str(part);
    }
    line.push(']');
    line
}

/// How many bytes a text of base64 stands for, about.
fn bytes_of(data: &str) -> usize {
    data.trim_end_matches('=').len() * 3 / 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_content_is_read_or_named() {
        let blocks = [
            ContentBlock::text("one"),
            ContentBlock::image("AAAA", "image/png"),
            ContentBlock::audio("AAAA", "audio/wav"),
            ContentBlock::embedded_text("demo://a", "inside"),
            ContentBlock::resource(ResourceContents::blob("AAAAAA==", "demo://b")),
            ContentBlock::resource_link(Resource::new("demo://c", "c")),
        ];
        let output = Gathered::of_blocks(&blocks, 1_000).output(Value::Null, "s".to_owned());
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
    fn what_is_too_long_is_cut_between_characters_and_told() {
        let blocks = [ContentBlock::text("ab\u{e9}cd"), ContentBlock::image("AAAA", "image/png")];
        let output = Gathered::of_blocks(&blocks, 3).output(Value::Null, "s".to_owned());
        assert!(output.content.starts_with("ab\n["), "{}", output.content);
        assert!(output.content.contains("at most 3 are taken"), "{}", output.content);
        assert!(output.images.is_empty());
    }
}
