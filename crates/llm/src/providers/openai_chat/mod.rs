//! OpenAI's chat completions, which most servers speak.

mod encode;
mod read;

use serde_json::Value;

use super::listing::{Page, openai_page};
use super::wire::{Outgoing, Place, Protocol, Reader};

pub(super) const NAME: &str = "openai_chat";

#[derive(Debug)]
pub(super) struct OpenAiChat;

impl Protocol for OpenAiChat {
    fn place(&self, _: &str, _: bool) -> Place {
        Place::of(&["chat", "completions"])
    }

    fn encode(&self, outgoing: &Outgoing<'_>) -> Result<Value, String> {
        encode::encode(outgoing)
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(read::Completion)
    }

    fn list_place(&self, _: Option<&str>) -> Place {
        Place::of(&["models"])
    }

    fn list(&self, root: &Value) -> Option<Page> {
        openai_page(root)
    }
}
