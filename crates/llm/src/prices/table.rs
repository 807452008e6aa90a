//! The prices of many models, and the file that states them.

use std::path::Path;

use serde::Deserialize;

use super::litellm;
use super::{Price, Rates, Rounding, Tier, decimal};
use crate::{ModelError, ModelId};

/// The table of this crate.
const BUILT_IN: &str = include_str!("prices.toml");

/// The version of the form of the file.
const VERSION: u32 = 1;

/// The longest file that is read, in bytes.
const LONGEST_FILE: u64 = 64 << 20;

/// The prices of models. Rows that come first count first, and among rows of one file the one that says most about the name.
#[derive(Clone, Debug, Default)]
pub struct PriceTable {
    /// The files, the one that counts most first.
    files: Vec<File>,
}

#[derive(Clone, Debug)]
struct File {
    /// When the prices were stated.
    date: String,
    rows: Vec<Row>,
}

/// One row: which models it is for, and their price.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) providers: Vec<String>,
    pub(super) models: Vec<String>,
    pub(super) price: Price,
}

impl PriceTable {
    /// The table of this crate.
    pub fn built_in() -> Self {
        // A test reads the same file, so it is there.
        Self::from_toml(BUILT_IN, "the table of this program").unwrap_or_default()
    }

    /// Reads a file: the form of this crate, or, with the ending `.json`, the one of the model map of `LiteLLM`.
    ///
    /// # Errors
    /// [`ModelError::Setup`] with the file and what is wrong in it.
    pub fn read(path: &Path) -> Result<Self, ModelError> {
        let shown = path.display().to_string();
        let fault =
            |error: String| ModelError::Setup { message: format!("the prices in `{shown}` cannot be read: {error}") };
        let length = std::fs::metadata(path).map_err(|error| fault(error.to_string()))?.len();
        if length > LONGEST_FILE {
            return Err(fault(format!("the file has {length} bytes, more than {LONGEST_FILE}")));
        }
        let text = std::fs::read_to_string(path).map_err(|error| fault(error.to_string()))?;
        let is_json = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
        if is_json { Self::from_litellm(&text, &shown) } else { Self::from_toml(&text, &shown) }
    }

    /// Reads the form of this crate:
    ///
    /// ```toml
    /// version = 1
    /// date = "2026-11-26"          # when the prices were stated
    ///
    /// [[price]]
    /// provider = "anthropic"       # one, or a list
    /// model = "claude-opus-5-5"    # one, or a list; also with a date or `-latest` behind it; `*` is anything
    /// input = 4                    # dollars for a million tokens
    /// output = 20
    /// cache_read = 0.20            # as `input` unless given
    /// cache_write = 5              # as `input` unless given
    /// up_to = 1_000_000            # no price is known for more input than this; for all unless given
    /// tier = [{ above = 200_000, input = 8, output = 30 }]
    /// ```
    ///
    /// # Errors
    /// [`ModelError::Setup`] with the place `source` and what is wrong.
    pub fn from_toml(text: &str, source: &str) -> Result<Self, ModelError> {
        let fault = |error: String| {
            let error = error.trim_end();
            ModelError::Setup { message: format!("the prices in `{source}` cannot be read: {error}") }
        };
        let form: Form = toml::from_str(text).map_err(|error| fault(error.to_string()))?;
        if form.version != VERSION {
            return Err(fault(format!("`version` is {}, this program reads {VERSION}", form.version)));
        }
        if form.currency.as_deref().is_some_and(|currency| currency != "USD") {
            return Err(fault("`currency` must be `USD`".to_owned()));
        }
        let rows = form.price.into_iter().map(FormRow::read).collect::<Result<_, _>>().map_err(fault)?;
        Ok(Self { files: vec![File { date: form.date, rows }] })
    }

    /// Reads the model map of `LiteLLM` (`model_prices_and_context_window.json`). Rows without a price for tokens, and
    /// those of providers that this crate does not know, are left out.
    ///
    /// # Errors
    /// [`ModelError::Setup`] with the place `source` and what is wrong.
    pub fn from_litellm(text: &str, source: &str) -> Result<Self, ModelError> {
        let fault =
            |error: String| ModelError::Setup { message: format!("the prices in `{source}` cannot be read: {error}") };
        let rows = litellm::rows(text).map_err(fault)?;
        Ok(Self { files: vec![File { date: String::new(), rows }] })
    }

    /// This table under another one, whose rows count first.
    #[must_use]
    pub fn under(mut self, mut over: Self) -> Self {
        over.files.append(&mut self.files);
        over
    }

    /// The price of a model; `None` when it is not known.
    pub fn price(&self, model: &ModelId) -> Option<&Price> {
        self.row(model).map(|(_, row)| &row.price)
    }

    /// When the price of a model was stated; `None` when it is not known, and for a file that does not say.
    pub fn date(&self, model: &ModelId) -> Option<&str> {
        self.row(model).map(|(file, _)| file.date.as_str()).filter(|date| !date.is_empty())
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.files.iter().map(|file| file.rows.len()).sum()
    }

    /// Whether no price is known.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn row(&self, model: &ModelId) -> Option<(&File, &Row)> {
        self.files.iter().find_map(|file| {
            let fit = |row: &&Row| row.providers.contains(&model.provider);
            let said = |row: &Row| row.models.iter().filter_map(|pattern| said(pattern, &model.name)).max();
            let rows = file.rows.iter().filter(fit).filter_map(|row| Some((said(row)?, row)));
            // The first of equals.
            let best = rows.reduce(|best, next| if next.0 > best.0 { next } else { best });
            best.map(|(_, row)| (file, row))
        })
    }
}

/// How much a pattern says about a name that it fits; `None` when it does not fit. The name itself says more than the name
/// with a date, and that more than a pattern, by the number of its characters.
fn said(pattern: &str, name: &str) -> Option<(u8, usize)> {
    if pattern == name {
        return Some((2, 0));
    }
    if !pattern.contains('*') {
        let rest = name.strip_prefix(pattern)?.strip_prefix('-')?;
        return (is_date(rest) || rest == "latest").then_some((1, pattern.len()));
    }
    fits(pattern, name).then_some((0, pattern.len()))
}

/// Whether a text is a date such as `20261001` or `2026-10-01`.
fn is_date(text: &str) -> bool {
    let digits = match text.as_bytes() {
        [year @ .., b'-', _, _, b'-', _, _] if year.len() == 4 => text.replace('-', ""),
        _ => text.to_owned(),
    };
    digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a name fits a pattern in which `*` stands for anything.
fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// The file as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    version: u32,
    date: String,
    currency: Option<String>,
    #[serde(default)]
    price: Vec<FormRow>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FormRow {
    provider: OneOrMore,
    model: OneOrMore,
    input: Amount,
    output: Amount,
    cache_read: Option<Amount>,
    cache_write: Option<Amount>,
    up_to: Option<u64>,
    #[serde(default)]
    tier: Vec<FormTier>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FormTier {
    above: u64,
    input: Amount,
    output: Amount,
    cache_read: Option<Amount>,
    cache_write: Option<Amount>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

/// Dollars. A number is read by its shortest text, so `0.1` is a tenth.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Amount {
    Whole(u64),
    Number(f64),
    Text(String),
}

impl OneOrMore {
    fn list(self) -> Vec<String> {
        match self {
            Self::One(one) => vec![one],
            Self::More(more) => more,
        }
    }
}

impl Amount {
    fn read(&self) -> Result<u64, String> {
        let text = match self {
            Self::Whole(whole) => whole.to_string(),
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text.trim().to_owned(),
        };
        decimal(&text, 6, Rounding::Exact)
            .ok_or_else(|| format!("`{text}` is no amount of dollars with at most six digits behind the point"))
    }
}

fn rates(
    input: &Amount,
    output: &Amount,
    cache_read: Option<&Amount>,
    cache_write: Option<&Amount>,
) -> Result<Rates, String> {
    Ok(Rates {
        input: input.read()?,
        output: output.read()?,
        cache_read: cache_read.map(Amount::read).transpose()?,
        cache_write: cache_write.map(Amount::read).transpose()?,
    })
}

impl FormRow {
    fn read(self) -> Result<Row, String> {
        let models = self.model.list();
        let told = |error: String| format!("{error} (the price of `{}`)", models.join("`, `"));
        let base = rates(&self.input, &self.output, self.cache_read.as_ref(), self.cache_write.as_ref());
        let mut tiers = Vec::new();
        for tier in &self.tier {
            let rates = rates(&tier.input, &tier.output, tier.cache_read.as_ref(), tier.cache_write.as_ref());
            tiers.push(Tier { above: tier.above, rates: rates.map_err(told)? });
        }
        let price = Price { rates: base.map_err(told)?, up_to: self.up_to, tiers };
        Ok(Row { providers: self.provider.list(), models, price })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Usage;
    use crate::providers::Provider;

    fn table(rows: &str) -> Result<PriceTable, ModelError> {
        PriceTable::from_toml(&format!("version = 1\ndate = \"2026-11-26\"\n{rows}"), "own.toml")
    }

    #[test]
    fn the_table_of_this_crate_is_read_and_names_known_providers() {
        let table = PriceTable::from_toml(BUILT_IN, "prices.toml").unwrap();
        assert!(table.len() >= 7);
        for row in table.files.iter().flat_map(|file| &file.rows) {
            for provider in &row.providers {
                assert!(Provider::named(provider).is_some(), "{provider}");
            }
            assert!(row.price.rates.input > 0 && row.price.rates.output > row.price.rates.input, "{row:?}");
        }
        let usage = Usage { input: 1_000_000, output: 1_000_000, ..Usage::default() };
        let cost = |provider: &str, name: &str| table.price(&ModelId::new(provider, name))?.cost(&usage);
        assert_eq!(cost("gemini", "gemini-3.8-flash"), Some(4_500_000));
        assert_eq!(cost("openai", "gpt-6-luna-2026-09-22"), Some(950_000), "the tier of long requests");
        assert_eq!(table.date(&ModelId::new("gemini", "gemini-3.8-flash")), Some("2026-11-21"));
        // Another model of a like name, the same name elsewhere, and a model that nobody knows.
        assert_eq!(cost("gemini", "gemini-3.8-flash-cyber"), None);
        assert_eq!(cost("compatible", "gpt-6-luna"), None);
        assert_eq!(cost("openai", "gpt-6-luna-20-26-0922"), None);
    }

    #[test]
    fn the_row_that_says_most_about_a_name_counts_and_a_users_row_counts_first() {
        let rows = r#"
            [[price]]
            provider = ["a", "b"]
            model = "*"
            input = 1
            output = 1
            [[price]]
            provider = "a"
            model = ["m-*-x", "m"]
            input = 2
            output = "2.5"
            [[price]]
            provider = "a"
            model = "m-2026-01-01"
            input = 3
            output = 1e-3
        "#;
        let table = table(rows).unwrap();
        let rates = |table: &PriceTable, provider: &str, name: &str| {
            let price = table.price(&ModelId::new(provider, name))?;
            Some((price.rates.input, price.rates.output))
        };
        assert_eq!(rates(&table, "a", "other"), Some((1_000_000, 1_000_000)));
        assert_eq!(rates(&table, "b", "m"), Some((1_000_000, 1_000_000)));
        assert_eq!(rates(&table, "c", "m"), None);
        for name in ["m-1-x", "m", "m-latest", "m-20260102"] {
            assert_eq!(rates(&table, "a", name), Some((2_000_000, 2_500_000)), "{name}");
        }
        assert_eq!(rates(&table, "a", "m-2026-01-01"), Some((3_000_000, 1000)));
        let own = self::table("[[price]]\nprovider = 'a'\nmodel = 'm*'\ninput = 0\noutput = 0").unwrap();
        let both = table.under(own);
        assert_eq!(rates(&both, "a", "m-2026-01-01"), Some((0, 0)));
        assert_eq!(rates(&both, "a", "other"), Some((1_000_000, 1_000_000)));
    }

    #[test]
    fn wrong_files_say_what_is_wrong() {
        let row = |fields: &str| table(&format!("[[price]]\nprovider = 'a'\nmodel = 'm'\n{fields}"));
        for (read, expected) in [
            (row("input = 1"), "missing field `output`"),
            (row("input = 1\noutput = -2"), "`-2` is no amount of dollars"),
            (row("input = nan\noutput = 2"), "is no amount of dollars"),
            (row("input = 0.00000001\noutput = 2"), "(the price of `m`)"),
            (row("input = 1\noutput = 2\ncache = 3"), "unknown field `cache`"),
            (PriceTable::from_toml("version = 2\ndate = ''", "own.toml"), "`version` is 2, this program reads 1"),
            (PriceTable::from_toml("version = 1\ndate = ''\ncurrency = 'EUR'", "own.toml"), "must be `USD`"),
            (PriceTable::from_toml("[", "own.toml"), "own.toml"),
        ] {
            let message = read.unwrap_err().to_string();
            assert!(message.contains(expected) && message.contains("`own.toml`"), "{message}");
        }
    }

    #[test]
    fn patterns_fit_what_they_say() {
        for (pattern, name, expected) in [
            ("*", "", true),
            ("a*", "abc", true),
            ("*c", "abc", true),
            ("a*c", "ac", true),
            ("a*b*c", "aXbYc", true),
            ("a*a", "a", false),
            ("a*b*c", "acb", false),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }
}
