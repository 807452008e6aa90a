//! Gemini's `generateContent`.

mod encode;
mod read;

use serde_json::Value;

use super::answer::{count, string};
use super::listing::{OfferedModel, Page};
use super::wire::{Outgoing, Place, Protocol, Reader};

pub(super) const NAME: &str = "gemini";

#[derive(Debug)]
pub(super) struct Gemini;

impl Protocol for Gemini {
    fn place(&self, model: &str, stream: bool) -> Place {
        let method = if stream { "streamGenerateContent" } else { "generateContent" };
        // A name may say its collection itself, such as `tunedModels/NAME`.
        let mut segments: Vec<String> = match model.split_once('/') {
            Some(_) => model.split('/').map(str::to_owned).collect(),
            None => vec!["models".to_owned(), model.to_owned()],
        };
        if let Some(last) = segments.last_mut() {
            last.push_str(&format!(":{method}"));
        }
        let query = if stream { vec![("alt", "sse".to_owned())] } else { Vec::new() };
        Place { segments, query }
    }

    fn encode(&self, outgoing: &Outgoing<'_>) -> Result<Value, String> {
        encode::encode(outgoing)
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(read::Contents)
    }

    fn list_place(&self, next: Option<&str>) -> Place {
        let mut place = Place::of(&["models"]);
        place.query.push(("pageSize", "1000".to_owned()));
        place.query.extend(next.map(|token| ("pageToken", token.to_owned())));
        place
    }

    fn list(&self, root: &Value) -> Option<Page> {
        let entries = root.get("models")?.as_array()?;
        let chats = |entry: &&Value| {
            let methods = entry.get("supportedGenerationMethods").and_then(Value::as_array);
            methods.is_none_or(|methods| methods.iter().any(|method| method == "generateContent"))
        };
        let models = entries.iter().filter(chats).filter_map(|entry| {
            let name = string(entry, "name")?;
            Some(OfferedModel {
                name: name.strip_prefix("models/").unwrap_or(&name).to_owned(),
                title: string(entry, "displayName"),
                context: count(entry, "/inputTokenLimit"),
                output: count(entry, "/outputTokenLimit"),
                ..OfferedModel::default()
            })
        });
        Some(Page { models: models.collect(), next: string(root, "nextPageToken").filter(|token| !token.is_empty()) })
    }
}
