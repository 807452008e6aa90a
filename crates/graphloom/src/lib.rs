//! Typed, durable state graphs for LLM workflows: the facade library and the graphloom command.
