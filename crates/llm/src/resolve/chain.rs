//! Several models in the place of one, as users write them.

use std::fmt;

use super::{ModelSpec, SpecError};
use crate::layers::{FallbackOn, RouteOrder};

/// What stands before models of which the cheapest is asked first.
const CHEAPEST: &str = "cheapest:";

/// Several models in the place of one: `A|B`, `A||B`, `cheapest:A|B`.
///
/// Behind `|` stands a model that is asked when the ones before it cannot answer, behind `||` one that is asked after any
/// failure of a model; see [`FallbackOn`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainSpec {
    order: RouteOrder,
    first: Box<ModelSpec>,
    rest: Vec<(FallbackOn, ModelSpec)>,
}

impl ChainSpec {
    /// Reads a chain; `None` for what is none.
    pub(super) fn read(text: &str) -> Option<Result<Self, SpecError>> {
        let (order, models) = match text.strip_prefix(CHEAPEST) {
            Some(models) => (RouteOrder::Cheapest, models),
            None if text.contains('|') => (RouteOrder::AsGiven, text),
            None => return None,
        };
        Some(Self::of(order, models, text))
    }

    fn of(order: RouteOrder, models: &str, text: &str) -> Result<Self, SpecError> {
        let wrong = |why: &str| SpecError { text: crate::providers::without_user(text), why: why.to_owned() };
        let mut parts = models.split('|');
        let member = |text: &str| match text.parse::<ModelSpec>() {
            Ok(ModelSpec::Replay(_)) => Err(wrong("a recording stands alone")),
            Ok(ModelSpec::FirstOf(_)) => Err(wrong("`cheapest:` stands before all of them")),
            read => read,
        };
        let first = Box::new(member(parts.next().unwrap_or_default())?);
        let (mut rest, mut on) = (Vec::new(), FallbackOn::Unavailable);
        for part in parts {
            if part.trim().is_empty() && on == FallbackOn::Unavailable {
                on = FallbackOn::AnyFailure;
                continue;
            }
            rest.push((on, member(part)?));
            on = FallbackOn::Unavailable;
        }
        if rest.is_empty() || on == FallbackOn::AnyFailure {
            return Err(wrong("a model must stand on both sides of `|`"));
        }
        Ok(Self { order, first, rest })
    }

    /// In which order the models are asked.
    pub fn order(&self) -> RouteOrder {
        self.order
    }

    /// The models as written, each with the failures that it is there for.
    pub fn models(&self) -> impl Iterator<Item = (FallbackOn, &ModelSpec)> {
        [(FallbackOn::Unavailable, &*self.first)].into_iter().chain(self.rest.iter().map(|(on, spec)| (*on, spec)))
    }
}

impl fmt::Display for ChainSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.order == RouteOrder::Cheapest {
            f.write_str(CHEAPEST)?;
        }
        write!(f, "{}", self.first)?;
        for (on, spec) in &self.rest {
            let sign = if *on == FallbackOn::AnyFailure { "||" } else { "|" };
            write!(f, "{sign}{spec}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_are_read_and_written() {
        for (text, models) in [
            ("anthropic:a|ollama:b", 2),
            ("anthropic:a||ollama:b|embedded", 3),
            ("cheapest:openai:a|compatible:b@http://127.0.0.1:8080/v1", 2),
        ] {
            let spec: ModelSpec = text.parse().unwrap();
            assert_eq!(spec.to_string(), text);
            assert_eq!(spec.members().len(), models);
            let json = serde_json::to_string(&spec).unwrap();
            assert_eq!(serde_json::from_str::<ModelSpec>(&json).unwrap(), spec);
        }
        let ModelSpec::FirstOf(chain) = "a.gguf || embedded".parse::<ModelSpec>().unwrap() else { panic!("a chain") };
        let on: Vec<FallbackOn> = chain.models().map(|(on, _)| on).collect();
        assert_eq!(on, [FallbackOn::Unavailable, FallbackOn::AnyFailure]);
    }

    #[test]
    fn wrong_chains_say_why() {
        for (text, expected) in [
            ("embedded|", "on both sides of `|`"),
            ("|embedded", "it is empty"),
            ("embedded||", "it is empty"),
            ("embedded|||embedded", "it is empty"),
            ("cheapest:embedded", "on both sides of `|`"),
            ("embedded|cheapest:ollama:a", "a model must stand on both sides"),
            ("embedded|replay:r.jsonl", "a recording stands alone"),
            ("embedded|gpt", "neither a kind of model"),
        ] {
            let message = text.parse::<ModelSpec>().unwrap_err().to_string();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
