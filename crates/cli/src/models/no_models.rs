//! The model where none is to be called.

use std::sync::Arc;

use graphloom_agents::Models;
use graphloom_llm::{ChatRequest, ModelError, Scripted};

/// Models for what calls none, such as looking at a conversation; a call fails.
pub fn no_models() -> Models {
    Models::new(Arc::new(Scripted::from_fn(|_: &ChatRequest| {
        let message = "no model is called by this command".to_owned();
        Err::<String, _>(ModelError::Setup { message })
    })))
}
