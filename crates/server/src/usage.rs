//! What runs use of models: each call as a node tells it, and the sum over the calls of a run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The name under which a node tells that it called a model, as the crate `graphloom-agents` does. It goes to the channel
/// `trace` and into the [usage](RunUsage) of the run, and is no custom event.
pub(crate) const MODEL_CALL_EVENT: &str = "__model_call__";

/// A call of a model, as a node tells it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct ModelCall {
    /// Who was asked.
    pub(crate) model: String,
    #[serde(default)]
    source: Source,
    /// Tokens and cost; none of a call that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    usage: Option<CallUsage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// What else is told of it.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// Where the answer of a call comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum Source {
    /// The model was asked.
    #[default]
    Model,
    /// It was stored by an earlier attempt of the task, which asked the model.
    Record,
    /// It was kept from an earlier question that was the same.
    Cache,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
struct CallUsage {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
    reasoning: u64,
    /// Millionths of a dollar; none where it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<u64>,
}

/// The calls of a run, by model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(transparent)]
pub(crate) struct RunUsage(BTreeMap<String, ModelUsage>);

/// Sums over the calls of one model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
struct ModelUsage {
    /// Calls that were made, failed ones included.
    calls: u64,
    failed: u64,
    /// Answers for which no model was asked.
    reused: u64,
    input_tokens: u64,
    output_tokens: u64,
    cached_tokens: u64,
    /// Millionths of a dollar, of the calls whose cost is known.
    cost_usd_micros: u64,
    /// Calls whose cost is not known.
    unpriced: u64,
}

impl ModelCall {
    /// About how many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        const REST: usize = 32;
        self.model.len() + self.error.as_ref().map_or(0, String::len) + REST * self.rest.len()
    }

    /// What clients see of it.
    pub(crate) fn wire(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        }
    }
}

impl RunUsage {
    /// Whether no call was counted.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Counts a call.
    pub(crate) fn add(&mut self, call: &ModelCall) {
        let usage = self.0.entry(call.model.clone()).or_default();
        if call.source != Source::Model {
            usage.reused += 1;
            return;
        }
        usage.calls += 1;
        let Some(used) = call.usage else {
            usage.failed += 1;
            return;
        };
        usage.input_tokens = usage.input_tokens.saturating_add(used.input);
        usage.output_tokens = usage.output_tokens.saturating_add(used.output);
        usage.cached_tokens = usage.cached_tokens.saturating_add(used.cache_read);
        match used.cost {
            Some(cost) => usage.cost_usd_micros = usage.cost_usd_micros.saturating_add(cost),
            None => usage.unpriced += 1,
        }
    }

    /// What clients see: the sum, and that of each model; none of a run that called no model.
    pub(crate) fn wire(&self) -> Option<Value> {
        if self.0.is_empty() {
            return None;
        }
        let mut sum = ModelUsage::default();
        for usage in self.0.values() {
            sum.calls += usage.calls;
            sum.failed += usage.failed;
            sum.reused += usage.reused;
            sum.input_tokens = sum.input_tokens.saturating_add(usage.input_tokens);
            sum.output_tokens = sum.output_tokens.saturating_add(usage.output_tokens);
            sum.cached_tokens = sum.cached_tokens.saturating_add(usage.cached_tokens);
            sum.cost_usd_micros = sum.cost_usd_micros.saturating_add(usage.cost_usd_micros);
            sum.unpriced += usage.unpriced;
        }
        let mut wire = json!(sum);
        wire["models"] = json!(self.0);
        Some(wire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(calls: &[Value]) -> Option<Value> {
        let mut usage = RunUsage::default();
        for call in calls {
            usage.add(&serde_json::from_value(call.clone()).unwrap());
        }
        // As it is kept with the run.
        serde_json::from_value::<RunUsage>(json!(usage)).unwrap().wire()
    }

    #[test]
    fn a_run_that_called_no_model_has_no_usage() {
        assert_eq!(usage(&[]), None);
    }

    #[test]
    fn calls_are_counted_by_model_and_an_unknown_cost_is_not_zero() {
        let used = |cost: Value| json!({"input": 100, "output": 10, "cache_read": 40, "cost": cost});
        let calls = [
            json!({"model": "a:one", "call": "chat", "source": "model", "millis": 5, "usage": used(json!(7))}),
            json!({"model": "a:one", "source": "model", "usage": used(Value::Null)}),
            json!({"model": "a:one", "source": "model", "error": "busy"}),
            json!({"model": "a:one", "source": "record", "usage": used(json!(7))}),
            json!({"model": "b:two", "source": "cache", "usage": {"cost": 0}}),
        ];
        let one = json!({
            "calls": 3, "failed": 1, "reused": 1, "input_tokens": 200, "output_tokens": 20, "cached_tokens": 80,
            "cost_usd_micros": 7, "unpriced": 1,
        });
        let found = usage(&calls).unwrap();
        assert_eq!(found["models"]["a:one"], one);
        assert_eq!((&found["calls"], &found["reused"], &found["unpriced"]), (&json!(3), &json!(2), &json!(1)));
    }

    #[test]
    fn clients_see_what_was_told() {
        let told = json!({
            "model": "a:one", "source": "model", "call": "chat", "millis": 5, "role": "plan",
            "usage": {"input": 1, "output": 2, "cache_read": 0, "cache_write": 0, "reasoning": 0, "cost": 3},
            "budget": [{"unit": "calls", "spent": 1, "limit": 9}],
        });
        let call: ModelCall = serde_json::from_value(told.clone()).unwrap();
        assert_eq!(Value::from(call.wire()), told);
    }
}
