//! How a model is worked with.

use graphloom_llm::{Capabilities, StructuredSupport};

/// How a model is worked with. An application has both ways for what it does, and chooses one for each action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// The model is told in words what to do, and writes.
    Free,
    /// The model is small: it is guided by small questions inside a grammar, and chooses among sentences of the sources,
    /// which are quoted; see [`guided`](crate::guided).
    Guided,
}

impl Strategy {
    /// The strategy for a model of these capabilities: guided for one that answers inside a grammar in this process.
    #[must_use]
    pub fn of(capabilities: &Capabilities) -> Self {
        match capabilities.local && capabilities.structured == StructuredSupport::Constrained {
            true => Self::Guided,
            false => Self::Free,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_guided_when_it_is_local_and_answers_inside_a_grammar() {
        for (local, structured, strategy) in [
            (true, StructuredSupport::Constrained, Strategy::Guided),
            (false, StructuredSupport::Constrained, Strategy::Free),
            (true, StructuredSupport::JsonSchema, Strategy::Free),
        ] {
            let capabilities = Capabilities {
                structured,
                tools: false,
                images: false,
                sampling: true,
                context: None,
                local,
                documents: false,
            };
            assert_eq!(Strategy::of(&capabilities), strategy, "{local} {structured:?}");
        }
    }
}
