//! What a run may spend, as written after `--budget`.

use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::prices::{Price, Rates, Rounding, decimal};

/// Limits of a run; `None` is no limit.
///
/// Written as `calls=N,tokens=N,usd=N,time=N`, in any order and all optional. Numbers may end in `k` or `m`, times in
/// `s`, `m` or `h`. A limit in dollars needs the price of every model that does not run in this process: that of a
/// [table](crate::prices), or `price=IN/OUT` in dollars per million tokens, which counts before it. `price=IN/OUT/READ` and
/// `price=IN/OUT/READ/WRITE` state what tokens of the provider's cache cost, too.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Budget {
    /// Calls of a model.
    pub calls: Option<u64>,
    /// Tokens read and generated.
    pub tokens: Option<u64>,
    /// Millionths of a dollar.
    pub usd_micros: Option<u64>,
    /// Time of work; pauses between runs are not counted.
    pub time: Option<Duration>,
    /// The price of every model that does not run in this process, where the user states one.
    pub price: Option<Price>,
}

/// Why a budget could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{part}` is no part of a budget: {why}; write for instance `calls=100,tokens=200k,usd=0.50,time=10m`")]
pub struct BudgetError {
    /// The part that is wrong.
    pub part: String,
    /// What is wrong with the part.
    pub why: String,
}

impl FromStr for Budget {
    type Err = BudgetError;

    fn from_str(text: &str) -> Result<Self, BudgetError> {
        let mut budget = Self::default();
        for part in text.split(',') {
            let part = part.trim();
            let wrong = |why: &str| BudgetError { part: part.to_owned(), why: why.to_owned() };
            let (name, value) = part.split_once('=').ok_or_else(|| wrong("it has no `=`"))?;
            let (name, value) = (name.trim(), value.trim());
            let given = match name {
                "calls" => {
                    budget.calls.replace(whole(value).ok_or_else(|| wrong("it needs a whole number"))?).is_some()
                }
                "tokens" => {
                    budget.tokens.replace(whole(value).ok_or_else(|| wrong("it needs a whole number"))?).is_some()
                }
                "usd" => {
                    let amount = value.trim_start_matches('$');
                    let micros = scaled(amount, 6).ok_or_else(|| wrong("it needs an amount such as `0.50`"))?;
                    budget.usd_micros.replace(micros).is_some()
                }
                "time" => budget
                    .time
                    .replace(time(value).ok_or_else(|| wrong("it needs a time such as `90s`, `10m` or `2h`"))?)
                    .is_some(),
                "price" => budget
                    .price
                    .replace(price(value).ok_or_else(|| wrong("it needs two amounts such as `0.10/0.50`"))?)
                    .is_some(),
                _ => return Err(wrong("the parts are `calls`, `tokens`, `usd`, `time` and `price`")),
            };
            if given {
                return Err(wrong("it is given twice"));
            }
        }
        Ok(budget)
    }
}

/// A whole number, which may end in `k` or `m`.
pub(super) fn whole(text: &str) -> Option<u64> {
    let lower = text.to_ascii_lowercase().replace('_', "");
    let (digits, decimals) = if let Some(digits) = lower.strip_suffix('k') {
        (digits, 3)
    } else if let Some(digits) = lower.strip_suffix('m') {
        (digits, 6)
    } else {
        (lower.as_str(), 0)
    };
    scaled(digits, decimals)
}

/// A time, which may end in `s`, `m` or `h`.
pub(super) fn time(text: &str) -> Option<Duration> {
    let (digits, unit) = match text.chars().last()? {
        's' => (&text[..text.len() - 1], 1),
        'm' => (&text[..text.len() - 1], 60),
        'h' => (&text[..text.len() - 1], 3600),
        _ => (text, 1),
    };
    Some(Duration::from_millis(scaled(digits, 3)?.checked_mul(unit)?))
}

fn price(text: &str) -> Option<Price> {
    let rates: Vec<u64> = text.split('/').map(|amount| scaled(amount.trim(), 6)).collect::<Option<_>>()?;
    let (input, output) = (*rates.first()?, *rates.get(1)?);
    let rates = match rates.len() {
        2..=4 => Rates { input, output, cache_read: rates.get(2).copied(), cache_write: rates.get(3).copied() },
        _ => return None,
    };
    Some(Price { rates, ..Price::default() })
}

/// A decimal number times ten to the power of `decimals`, exactly.
fn scaled(text: &str, decimals: i32) -> Option<u64> {
    let is_plain = text.chars().all(|c| c.is_ascii_digit() || c == '.');
    if is_plain { decimal(text, decimals, Rounding::Exact) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_read() {
        let budget: Budget = "tokens=200k, usd=$0.5,calls=1_000,time=1.5m,price=0.10/2".parse().unwrap();
        let price = Price::new(100_000, 2_000_000);
        let expected = Budget {
            calls: Some(1000),
            tokens: Some(200_000),
            usd_micros: Some(500_000),
            time: Some(Duration::from_secs(90)),
            price: Some(price),
        };
        assert_eq!(budget, expected);
        let price = budget.price.unwrap();
        assert_eq!(price.expected(1_000_000, 0), 100_000);
        assert_eq!(price.expected(0, 1_000_000), 2_000_000);
        assert_eq!(price.expected(1, 0), 1);
        let cached = "price=1/2/0.1/1.25".parse::<Budget>().unwrap().price.unwrap().rates;
        assert_eq!((cached.cache_read, cached.cache_write), (Some(100_000), Some(1_250_000)));
        assert_eq!("tokens=2m".parse::<Budget>().unwrap().tokens, Some(2_000_000));
        assert_eq!("tokens=1.5k".parse::<Budget>().unwrap().tokens, Some(1500));
        assert_eq!("time=2h".parse::<Budget>().unwrap().time, Some(Duration::from_secs(7200)));
    }

    #[test]
    fn wrong_budgets_say_why() {
        let cases = [
            ("", "it has no `=`"),
            ("tokens", "it has no `=`"),
            ("tokens=", "it needs a whole number"),
            ("tokens=-5", "it needs a whole number"),
            ("tokens=1.5", "it needs a whole number"),
            ("calls=99999999999999999999", "it needs a whole number"),
            ("usd=five", "it needs an amount"),
            ("time=10x", "it needs a time"),
            ("price=1", "it needs two amounts"),
            ("price=1/2/3/4/5", "it needs two amounts"),
            ("price=1/-2", "it needs two amounts"),
            ("words=5", "the parts are `calls`"),
            ("calls=1,calls=2", "it is given twice"),
            ("calls=1,", "it has no `=`"),
        ];
        for (text, expected) in cases {
            let message = text.parse::<Budget>().unwrap_err().to_string();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
