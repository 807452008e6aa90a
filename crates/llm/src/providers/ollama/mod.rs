//! Ollama's own interface.

mod encode;
mod read;

use serde_json::Value;

use super::answer::{count, string};
use super::listing::{OfferedModel, Page, has};
use super::wire::{Framing, Outgoing, Place, Protocol, Reader};

pub(super) const NAME: &str = "ollama";

#[derive(Debug)]
pub(super) struct Ollama;

impl Protocol for Ollama {
    fn place(&self, _: &str, _: bool) -> Place {
        Place::of(&["api", "chat"])
    }

    fn encode(&self, outgoing: &Outgoing<'_>) -> Result<Value, String> {
        encode::encode(outgoing)
    }

    fn framing(&self) -> Framing {
        Framing::Lines
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(read::Chat)
    }

    fn list_place(&self, _: Option<&str>) -> Place {
        Place::of(&["api", "tags"])
    }

    fn list(&self, root: &Value) -> Option<Page> {
        let entries = root.get("models")?.as_array()?;
        let models = entries.iter().filter_map(|entry| {
            let size = entry.pointer("/details/parameter_size").and_then(Value::as_str);
            let form = entry.pointer("/details/quantization_level").and_then(Value::as_str);
            Some(OfferedModel {
                name: string(entry, "name")?,
                title: size.map(|size| [Some(size), form].into_iter().flatten().collect::<Vec<_>>().join(" ")),
                context: count(entry, "/details/context_length"),
                images: has(entry, "/capabilities", "vision"),
                tools: has(entry, "/capabilities", "tools"),
                ..OfferedModel::default()
            })
        });
        Some(Page { models: models.collect(), next: None })
    }
}
