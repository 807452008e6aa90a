//! The default model with its real weights, which the first test fetches into the shared cache.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod answers;
mod choices;
mod files;
mod limits;
mod schemas;
mod streams;

use std::sync::LazyLock;

use graphloom_llm::{ChatRequest, Params};
use graphloom_llm_embedded::{Embedded, LoadOptions, weights};

static MODEL: LazyLock<Embedded> = LazyLock::new(|| {
    let dir = weights::default_dir().unwrap();
    let options = weights::FetchOptions::default();
    weights::fetch(&weights::SMOLLM2_135M, &dir, &options, |_| {}).unwrap();
    Embedded::open(&weights::SMOLLM2_135M, &dir, &LoadOptions::default()).unwrap()
});

/// The one model of all tests.
fn model() -> Embedded {
    MODEL.clone()
}

fn ask(text: &str, params: Params) -> ChatRequest {
    ChatRequest { params, ..ChatRequest::user(text) }
}

fn short(max_tokens: u32) -> Params {
    Params { max_tokens: Some(max_tokens), ..Params::default() }
}
