//! The model map of `LiteLLM`, as a table of prices.

use serde_json::{Map, Value};

use super::table::Row;
use super::{Price, Rates, Rounding, Tier, decimal};

/// Its names of providers, with ours.
const PROVIDERS: [(&str, &[&str]); 12] = [
    ("anthropic", &["anthropic"]),
    ("openai", &["openai", "openai-chat"]),
    ("gemini", &["gemini"]),
    ("openrouter", &["openrouter"]),
    ("deepseek", &["deepseek"]),
    ("mistral", &["mistral"]),
    ("groq", &["groq"]),
    ("xai", &["xai"]),
    ("together_ai", &["together"]),
    ("azure", &["azure"]),
    ("ollama", &["ollama"]),
    ("lm_studio", &["lmstudio"]),
];

/// The rows of the map.
///
/// # Errors
/// What is wrong, in words.
pub(super) fn rows(text: &str) -> Result<Vec<Row>, String> {
    let map: Map<String, Value> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let rows: Vec<Row> = map.iter().filter_map(|(name, entry)| row(name, entry)).collect();
    if rows.is_empty() {
        return Err("it has no `input_cost_per_token` of a provider that this program knows".to_owned());
    }
    Ok(rows)
}

fn row(name: &str, entry: &Value) -> Option<Row> {
    let their = entry.get("litellm_provider")?.as_str()?;
    let (_, providers) = PROVIDERS.iter().find(|(known, _)| *known == their)?;
    let own = format!("{their}/");
    let name = name.strip_prefix(&own).unwrap_or(name);
    // What is left in front is a region or another way to buy the same.
    if name.contains('/') && their != "openrouter" && their != "groq" && their != "together_ai" {
        return None;
    }
    let base = rates(entry, "")?;
    // Local models stand there with zeros, and so do models whose price the map does not know.
    if base.input == 0 && base.output == 0 && !matches!(their, "ollama" | "lm_studio") {
        return None;
    }
    let mut tiers: Vec<Tier> = entry.as_object()?.keys().filter_map(|key| tier(entry, key)).collect();
    tiers.sort_unstable_by_key(|tier| tier.above);
    Some(Row {
        providers: providers.iter().map(|provider| (*provider).to_owned()).collect(),
        models: vec![name.to_owned()],
        price: Price { rates: base, up_to: None, tiers },
    })
}

/// The tier that a key such as `input_cost_per_token_above_200k_tokens` begins.
fn tier(entry: &Value, key: &str) -> Option<Tier> {
    let thousands = key.strip_prefix("input_cost_per_token_above_")?.strip_suffix("k_tokens")?;
    let above = thousands.parse::<u64>().ok()?.checked_mul(1000)?;
    Some(Tier { above, rates: rates(entry, &format!("_above_{thousands}k_tokens"))? })
}

fn rates(entry: &Value, ending: &str) -> Option<Rates> {
    let rate = |name: &str| rate(entry.get(format!("{name}{ending}"))?);
    Some(Rates {
        input: rate("input_cost_per_token")?,
        output: rate("output_cost_per_token")?,
        cache_read: rate("cache_read_input_token_cost"),
        cache_write: rate("cache_creation_input_token_cost"),
    })
}

/// Dollars for a token as millionths of a dollar for a million tokens. The map was written by a program that counts in
/// binary fractions.
fn rate(value: &Value) -> Option<u64> {
    decimal(&value.as_number()?.to_string(), 12, Rounding::Nearest)
}

#[cfg(test)]
mod tests {
    use crate::prices::PriceTable;
    use crate::{ModelId, Usage};

    #[test]
    fn the_map_is_read() {
        let text = r#"{
            "sample_spec": {"input_cost_per_token": 0.0, "output_cost_per_token": 0.0, "litellm_provider": "one of these"},
            "claude-haiku-5-5": {"litellm_provider": "anthropic", "input_cost_per_token": 1.0000000000000001e-07,
                "output_cost_per_token": 5e-07, "cache_read_input_token_cost": 1e-08,
                "input_cost_per_token_above_100k_tokens": 5e-07, "output_cost_per_token_above_100k_tokens": 2.5e-06},
            "gemini/gemini-3.8-flash": {"litellm_provider": "gemini", "input_cost_per_token": 7.5e-07,
                "output_cost_per_token": 3.75e-06},
            "azure/eu/gpt": {"litellm_provider": "azure", "input_cost_per_token": 1e-6, "output_cost_per_token": 1e-6},
            "openrouter/a/b": {"litellm_provider": "openrouter", "input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6},
            "xai/no-price": {"litellm_provider": "xai", "input_cost_per_token": 0, "output_cost_per_token": 0},
            "xai/no-price-either": {"litellm_provider": "xai", "input_cost_per_token": 0, "output_cost_per_token": 0,
                "cache_read_input_token_cost": 0},
            "text-embedding": {"litellm_provider": "openai", "input_cost_per_token": 1e-8}
        }"#;
        let table = PriceTable::from_litellm(text, "map.json").unwrap();
        let usage = Usage { input: 100_000, output: 100_000, cache_read: 50_000, ..Usage::default() };
        let cost = |provider: &str, name: &str| table.price(&ModelId::new(provider, name))?.cost(&usage);
        assert_eq!(table.len(), 3);
        assert_eq!(cost("anthropic", "claude-haiku-5-5"), Some(5000 + 500 + 50_000));
        let long = Usage { input: 100_001, ..usage };
        let price = table.price(&ModelId::new("anthropic", "claude-haiku-5-5")).unwrap();
        assert_eq!(price.cost(&long), Some(50_001 + 250_000), "cached tokens of a tier that states no rate for them");
        assert_eq!(cost("gemini", "gemini-3.8-flash"), Some(75_000 + 375_000));
        assert_eq!(cost("openrouter", "a/b"), Some(300_000));
        assert_eq!(cost("xai", "no-price"), None);
        let message = PriceTable::from_litellm("{}", "map.json").unwrap_err().to_string();
        assert!(message.contains("`map.json`") && message.contains("input_cost_per_token"), "{message}");
    }
}
