//! What an application tells its user before the built-in model answers.

/// The plain truth about the built-in model, to be printed once at the start of a run that uses it.
pub const NOTICE: &str = "\
No API key and no local model server was found, so the built-in model of 135 million parameters answers. \
It runs every step of the workflow offline and repeatably. \
Its plans are shallow, its prose is unreliable, and it invents facts: trust a statement only where a source is cited. \
For results worth reading set `ANTHROPIC_API_KEY`, `OPENAI_API_KEY` or `GEMINI_API_KEY`, start Ollama, \
or name a stronger model with `--model`.";
