//! Which parameters hold addresses.

use serde_json::Value;

use super::dotted;

/// What the names of addresses end in, of one or of several.
const ENDINGS: [&str; 6] = ["url", "uri", "address", "host", "endpoint", "proxy"];

/// The parameter, `key` itself or one inside it, that `value` gives an address.
pub(super) fn named_in(key: &str, value: &Value) -> Option<String> {
    match value {
        Value::String(text) => (text.contains("://") || (!text.is_empty() && is_address(key))).then(|| key.to_owned()),
        Value::Object(fields) => fields.iter().find_map(|(name, value)| named_in(&dotted(key, name), value)),
        Value::Array(items) => items.iter().find_map(|value| named_in(key, value)),
        _ => None,
    }
}

fn is_address(key: &str) -> bool {
    let name = key.rsplit('.').next().unwrap_or(key).to_ascii_lowercase();
    let one = ["es", "s", ""].map(|plural| name.strip_suffix(plural));
    one.into_iter().flatten().any(|name| ENDINGS.iter().any(|ending| name.ends_with(ending)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn addresses_are_told_from_other_parameters() {
        for (key, value, expected) in [
            ("llm_config.general.base_url", json!("h.example"), Some("llm_config.general.base_url")),
            ("web", json!({ "extension": { "page_hosts": ["127.0.0.1:8080"] } }), Some("web.extension.page_hosts")),
            ("literature.address", json!("h.example"), Some("literature.address")),
            ("mirror.addresses", json!(["h.example"]), Some("mirror.addresses")),
            ("HTTP_PROXY", json!("h.example:3128"), Some("HTTP_PROXY")),
            ("anything", json!([{ "text": "see https://h.example" }]), Some("anything.text")),
            ("web.search_url", json!(""), None),
            ("language", json!("en"), None),
            ("page_hosts", json!([]), None),
            ("max_redirects", json!(3), None),
        ] {
            assert_eq!(named_in(key, &value).as_deref(), expected, "{key}");
        }
    }
}
