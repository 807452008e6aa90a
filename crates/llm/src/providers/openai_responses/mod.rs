//! OpenAI's responses.

mod encode;
mod read;

use serde_json::Value;

use super::listing::{Page, openai_page};
use super::wire::{Outgoing, Place, Protocol, Reader};

pub(super) const NAME: &str = "openai_responses";

#[derive(Debug)]
pub(super) struct OpenAiResponses;

impl Protocol for OpenAiResponses {
    fn place(&self, _: &str, _: bool) -> Place {
        Place::of(&["responses"])
    }

    fn encode(&self, outgoing: &Outgoing<'_>) -> Result<Value, String> {
        encode::encode(outgoing)
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::<read::Items>::default()
    }

    fn list_place(&self, _: Option<&str>) -> Place {
        Place::of(&["models"])
    }

    fn list(&self, root: &Value) -> Option<Page> {
        openai_page(root)
    }
}
