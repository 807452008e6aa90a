//! Every provider's wire against loopback servers: what is sent, how answers and errors read, what is learnt, and which
//! key goes where.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

mod anthropic;
mod embeddings;
mod errors;
mod finishes;
mod gemini;
mod keys;
mod lists;
mod ollama;
mod openai_chat;
mod openai_responses;
mod peer;
mod raw;
mod support;
mod thoughts;
mod trouble;
