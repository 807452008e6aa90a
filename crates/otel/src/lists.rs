//! Lists that `tracing`, which has none, holds as texts are lists again.

use opentelemetry::{Array, KeyValue, Value};

/// The attributes that are lists of texts by the conventions.
const LISTS: &[&str] = &["gen_ai.response.finish_reasons", "gen_ai.request.stop_sequences"];
/// Headers are lists, too: one may come more than once.
const HEADERS: &str = "http.response.header.";

/// Makes lists of the attributes that are lists. A text that is no list in JSON is the only member of its list.
pub(crate) fn restore(attributes: &mut [KeyValue]) {
    for attribute in attributes {
        let key = attribute.key.as_str();
        if !LISTS.contains(&key) && !key.starts_with(HEADERS) {
            continue;
        }
        if let Value::String(text) = &attribute.value {
            let members: Vec<String> =
                serde_json::from_str(text.as_str()).unwrap_or_else(|_| vec![text.as_str().to_owned()]);
            attribute.value = Value::Array(Array::String(members.into_iter().map(Into::into).collect()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_becomes_the_list_that_it_is() {
        let list = |members: &[&'static str]| {
            Value::Array(Array::String(members.iter().map(|member| (*member).into()).collect()))
        };
        let mut attributes = [
            KeyValue::new("gen_ai.response.finish_reasons", "[\"stop\",\"length\"]"),
            KeyValue::new("http.response.header.x-request-id", "abc"),
            KeyValue::new("gen_ai.request.model", "[\"m\"]"),
            KeyValue::new("gen_ai.usage.input_tokens", 3),
        ];
        restore(&mut attributes);
        let values = attributes.map(|attribute| attribute.value);
        assert_eq!(values, [list(&["stop", "length"]), list(&["abc"]), "[\"m\"]".into(), 3.into()]);
    }
}
