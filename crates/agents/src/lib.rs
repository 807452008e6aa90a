//! Agents: build input, call a model, parse; chosen by profile.
