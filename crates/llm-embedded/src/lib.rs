//! Chat models that run inside the process.
//!
//! - [`weights`] lists models by size, fetches a file once and checks it by its hash;
//! - [`Embedded`] loads it, or another GGUF file, and is a [`graphloom_llm::ChatModel`];
//! - answers fit a JSON schema by construction, options are compared by likelihood, and the same request gets the same answer.
//!
//! ```no_run
//! use graphloom_llm::{ChatModel, ChatRequest};
//! use graphloom_llm_embedded::{Embedded, LoadOptions, weights};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let dir = weights::default_dir()?;
//! weights::fetch(&weights::SMOLLM2_135M, &dir, &weights::FetchOptions::default(), |event| eprintln!("{event:?}"))?;
//! let model = Embedded::open(&weights::SMOLLM2_135M, &dir, &LoadOptions::default())?;
//!
//! let answer = model.chat(ChatRequest::user("Name three colours.")).await?;
//! println!("{}", answer.text());
//! # Ok(())
//! # }
//! ```
//!
//! # What the default model can do
//! It has 135 million parameters. It follows a schema because it cannot do otherwise, it tells approval from rejection most of
//! the time, and it writes fluent sentences that are often wrong. Applications say so before they use it.
//!
//! # Files
//! A file may be of the architectures `llama`, `qwen2`, `qwen3`, `gemma3`, `phi3` and `smollm3`, with a tokenizer of the GPT-2 or
//! the `SentencePiece` kind and tensors of the types `F32`, `F16`, `BF16`, `Q4_0`, `Q4_1`, `Q5_0`, `Q5_1`, `Q8_0` and `Q2_K`
//! to `Q6_K`. Any other is refused with [`EmbeddedError::Unsupported`], which says what is not supported; so is one that has a tensor without a place in
//! its network. Models that can think aloud are told not to.
//!
//! # Answers
//! Without [`graphloom_llm::Params`] an answer is drawn at temperature 0.7 from nine tenths of the probability mass, avoids its
//! last 64 tokens a little, and is at most 160 tokens long, or 1024 in a schema. Prose also ends when eight tokens in a row stand
//! in it for the second time. The seed of a request that names none is a hash of the request.
//!
//! # Schemas
//! A schema becomes a grammar, and only tokens that the grammar allows are drawn. Strings and arrays without a limit get one
//! (400 characters, 8 items), so that the answer ends. A schema that no grammar can be made of is refused with
//! [`graphloom_llm::ModelError::Invalid`]. An answer that is cut by `max_tokens` has
//! [`graphloom_llm::FinishReason::Length`] and is not whole JSON.
//!
//! # Choices
//! The score of an option is its log-likelihood as the whole answer: that of its tokens and of the end of the message after them.
//! It works best after a few examples, each a user's message and an assistant's that is exactly one of the options; of twenty
//! plain remarks on a draft the default model then sorts 16 rightly, and 12 without examples.
//!
//! # Several at once
//! Up to four calls are under way at once, each with a token in turn; more wait. What a call answers does not depend on the others.
//!
//! # Embeddings
//! [`MiniLm`] is a [`graphloom_llm::Embedder`]: `all-MiniLM-L6-v2`, whose files are fetched in the same way.
//!
//! # Cancelling
//! Dropping a future or stream ends the call at the next token, or at the next 32 of a conversation that is being read.

#![forbid(unsafe_code)]

/// The examples of the file that registries show.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod decode;
mod embedded;
mod embedder;
mod engine;
mod error;
mod model;
#[cfg(test)]
mod peer_tests;
mod prompt;
#[cfg(test)]
mod reference_tests;
mod tokenizer;
pub mod weights;

pub use embedded::{Embedded, LoadOptions};
pub use embedder::MiniLm;
pub use error::EmbeddedError;
