//! Architectures, tokenizers and the wires of `graphloom-llm` against llama.cpp: small files with random weights, real vocabularies,
//! the same questions to both. The server takes part in ignored tests; a part of what it answered is kept for the ordinary ones.

mod files;
mod networks;
mod refusals;
mod server;
mod templates;
mod vocabularies;
mod wires;
