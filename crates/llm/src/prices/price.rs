//! What one model costs.

use serde::{Deserialize, Serialize};

use crate::Usage;

/// Rates in millionths of a dollar for a million tokens, which is billionths of a thousandth of a dollar a token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Rates {
    /// A million tokens read.
    pub input: u64,
    /// A million tokens generated, reasoning included.
    pub output: u64,
    /// A million tokens that the provider reads from its cache; as `input` where the provider states none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<u64>,
    /// A million tokens that the provider writes to its cache; as `input` where the provider states none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<u64>,
}

/// What a model costs, where that is known. Requests that read more than a number of tokens may have other rates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Price {
    /// The rates of a request that no tier is for.
    pub rates: Rates,
    /// The most tokens of input that the price is known for; `None` for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub up_to: Option<u64>,
    /// Other rates for long requests, in rising order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tiers: Vec<Tier>,
}

/// The rates of requests that read more than `above` tokens. They hold for all tokens of such a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tier {
    /// The number of tokens of input that this tier begins behind.
    pub above: u64,
    /// The rates.
    pub rates: Rates,
}

impl Rates {
    /// The cost of these tokens in millionths of a dollar, rounded up.
    fn micros(&self, usage: &Usage) -> u64 {
        let read = usage.cache_read.min(usage.input);
        let written = usage.cache_write.min(usage.input - read);
        let plain = usage.input - read - written;
        let product = |tokens: u64, rate: u64| u128::from(tokens) * u128::from(rate);
        let sum = product(plain, self.input)
            + product(read, self.cache_read.unwrap_or(self.input))
            + product(written, self.cache_write.unwrap_or(self.input))
            + product(usage.output, self.output);
        u64::try_from(sum.div_ceil(1_000_000)).unwrap_or(u64::MAX)
    }
}

impl Price {
    /// A price of one rate for tokens read and one for tokens generated, in millionths of a dollar for a million tokens.
    pub fn new(input: u64, output: u64) -> Self {
        Self { rates: Rates { input, output, ..Rates::default() }, ..Self::default() }
    }

    /// The cost of one call in millionths of a dollar, rounded up; `None` when the price of so long a call is not known, and
    /// for an answer without counts, unless the model is free.
    pub fn cost(&self, usage: &Usage) -> Option<u64> {
        let is_free = self.rates.input == 0 && self.rates.output == 0;
        if self.up_to.is_some_and(|most| usage.input > most) || (usage.total() == 0 && !is_free) {
            return None;
        }
        Some(self.rates_for(usage.input).micros(usage))
    }

    /// The most that a call is expected to cost, in millionths of a dollar: nothing of `input` comes from the provider's
    /// cache, all of it is written there where that costs more, and a call that is too long for the price has the rates of
    /// the longest one.
    pub fn expected(&self, input: u64, output: u64) -> u64 {
        let rates = self.rates_for(input);
        let cache_write = if rates.cache_write.is_some_and(|rate| rate > rates.input) { input } else { 0 };
        rates.micros(&Usage { input, output, cache_write, ..Usage::default() })
    }

    /// A price that no call of either is expected to exceed; the other one where only one is known.
    #[must_use]
    pub fn dearer(one: Option<Self>, two: Option<Self>) -> Option<Self> {
        let (Some(one), Some(two)) = (&one, &two) else { return one.or(two) };
        let most = |one: &Rates, two: &Rates| {
            let cached =
                |of: fn(&Rates) -> Option<u64>| Some(of(one).unwrap_or(one.input).max(of(two).unwrap_or(two.input)));
            Rates {
                input: one.input.max(two.input),
                output: one.output.max(two.output),
                cache_read: cached(|rates| rates.cache_read),
                cache_write: cached(|rates| rates.cache_write),
            }
        };
        let mut bounds: Vec<u64> = one.tiers.iter().chain(&two.tiers).map(|tier| tier.above).collect();
        bounds.sort_unstable();
        bounds.dedup();
        let tier = |above: u64| {
            let input = above.saturating_add(1);
            Tier { above, rates: most(one.rates_for(input), two.rates_for(input)) }
        };
        let up_to = match (one.up_to, two.up_to) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
        Some(Self { rates: most(&one.rates, &two.rates), up_to, tiers: bounds.into_iter().map(tier).collect() })
    }

    fn rates_for(&self, input: u64) -> &Rates {
        let tier = self.tiers.iter().filter(|tier| input > tier.above).max_by_key(|tier| tier.above);
        tier.map_or(&self.rates, |tier| &tier.rates)
    }
}

/// An amount of dollars as text, such as `0.0123`; `micros` are millionths of a dollar.
pub fn dollars(micros: u64) -> String {
    let text = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(input: u64, output: u64, cache_read: u64, cache_write: u64) -> Usage {
        Usage { input, output, cache_read, cache_write, ..Usage::default() }
    }

    #[test]
    fn cached_tokens_have_their_own_rates_and_are_part_of_the_input() {
        let rates =
            Rates { input: 4_000_000, output: 20_000_000, cache_read: Some(200_000), cache_write: Some(5_000_000) };
        let price = Price { rates, ..Price::default() };
        assert_eq!(price.cost(&usage(1_000_000, 0, 0, 0)), Some(4_000_000));
        assert_eq!(price.cost(&usage(1_000_000, 100, 900_000, 50_000)), Some(200_000 + 180_000 + 250_000 + 2000));
        // A provider that counts wrongly costs no less than nothing.
        assert_eq!(price.cost(&usage(10, 0, 1000, 1000)), Some(2));
        assert_eq!(price.expected(1_000_000, 100), 5_000_000 + 2000, "all of it may be written to the cache");
        assert_eq!(price.cost(&usage(0, 0, 0, 0)), None, "an answer without counts");
        assert_eq!(Price::default().cost(&usage(0, 0, 0, 0)), Some(0), "it is free");
        let plain = Price::new(4_000_000, 20_000_000);
        assert_eq!(plain.cost(&usage(1000, 0, 900, 100)), Some(4000), "an unknown rate is that of the input");
    }

    #[test]
    fn long_requests_have_the_rates_of_their_tier() {
        let tier = |above, input| Tier { above, rates: Rates { input, output: input, ..Rates::default() } };
        let price = Price { tiers: vec![tier(200, 3_000_000), tier(100, 2_000_000)], ..Price::new(1_000_000, 0) };
        let costs = [100, 101, 200, 201].map(|input| price.cost(&usage(input, 0, 0, 0)).unwrap());
        assert_eq!(costs, [100, 202, 400, 603]);
        let known = Price { up_to: Some(150), ..price };
        assert_eq!((known.cost(&usage(150, 0, 0, 0)), known.cost(&usage(151, 0, 0, 0))), (Some(300), None));
        assert_eq!(known.expected(201, 1), 606);
    }

    #[test]
    fn the_dearer_of_two_is_never_cheaper_than_either() {
        let tier = Tier { above: 100, rates: Rates { input: 9, output: 1, cache_read: Some(5), cache_write: None } };
        let one = Price { tiers: vec![tier], ..Price::new(1_000_000, 50_000_000) };
        let two = Price { up_to: Some(300), ..Price::new(3_000_000, 2_000_000) };
        let both = Price::dearer(Some(one.clone()), Some(two.clone())).unwrap();
        for (input, output) in [(10, 0), (10, 10), (100, 7), (101, 7), (300, 1)] {
            let most = one.expected(input, output).max(two.expected(input, output));
            assert!(both.expected(input, output) >= most, "{input} {output}");
        }
        assert_eq!((both.expected(101, 0), both.up_to), (303, Some(300)));
        assert_eq!(Price::dearer(None, Some(two.clone())), Some(two));
    }

    #[test]
    fn small_costs_round_up_and_large_ones_do_not_overflow() {
        let price = Price::new(1, u64::MAX);
        assert_eq!(price.cost(&usage(1, 0, 0, 0)), Some(1));
        assert_eq!(price.cost(&usage(0, u64::MAX, 0, 0)), Some(u64::MAX));
        assert_eq!(
            [0, 1, 500_000, 1_230_000, 2_000_000].map(dollars),
            ["0", "0.000001", "0.5", "1.23", "2"].map(str::to_owned)
        );
    }
}
