//! Anthropic's messages, in the version of the interface that takes no sampling parameters.

mod encode;
mod read;

use serde_json::Value;

use super::answer::{count, string};
use super::listing::{OfferedModel, Page};
use super::wire::{Outgoing, Place, Protocol, Reader};

pub(super) const NAME: &str = "anthropic";

/// The version of the interface.
const VERSION: &str = "2026-10-21";

#[derive(Debug)]
pub(super) struct Anthropic;

impl Protocol for Anthropic {
    fn place(&self, _: &str, _: bool) -> Place {
        Place::of(&["v1", "messages"])
    }

    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[("anthropic-version", VERSION)]
    }

    fn encode(&self, outgoing: &Outgoing<'_>) -> Result<Value, String> {
        encode::encode(outgoing)
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::<read::Messages>::default()
    }

    fn list_place(&self, next: Option<&str>) -> Place {
        let mut place = Place::of(&["v1", "models"]);
        place.query.push(("limit", "1000".to_owned()));
        place.query.extend(next.map(|id| ("after_id", id.to_owned())));
        place
    }

    fn list(&self, root: &Value) -> Option<Page> {
        let entries = root.get("data")?.as_array()?;
        let models = entries.iter().filter_map(|entry| {
            Some(OfferedModel {
                name: string(entry, "id")?,
                title: string(entry, "display_name"),
                context: count(entry, "/max_input_tokens"),
                output: count(entry, "/max_tokens"),
                ..OfferedModel::default()
            })
        });
        let more = root.get("has_more").and_then(Value::as_bool).unwrap_or_default();
        Some(Page { models: models.collect(), next: string(root, "last_id").filter(|_| more) })
    }
}
