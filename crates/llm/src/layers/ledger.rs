//! The spending of a run, counted against its budget.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::Budget;
use crate::prices::dollars;
use crate::{ModelError, Usage};

/// The sums that a run has spent. The sums are stored with the run, so that a resumed run goes on counting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Spent {
    /// Calls of a model, failed ones included.
    pub calls: u64,
    /// Tokens read and generated.
    pub tokens: u64,
    /// Millionths of a dollar, for calls with a known cost.
    pub usd_micros: u64,
    /// Answers whose cost is not known. They are in `usd_micros` only under a budget in dollars, with what was set aside for
    /// them.
    #[serde(skip_serializing_if = "is_zero")]
    pub unpriced: u64,
    /// Answers from a cache, which are no calls.
    #[serde(skip_serializing_if = "is_zero")]
    pub cached: u64,
    /// Milliseconds of work.
    pub millis: u64,
    /// How often work was left out or made smaller because too little of the budget was left.
    pub degraded: u64,
}

impl Spent {
    /// The greater of two sums, count by count. Counts only grow, so the result is the later of the two sums.
    #[must_use]
    pub fn or_later(self, other: Self) -> Self {
        Self {
            calls: self.calls.max(other.calls),
            tokens: self.tokens.max(other.tokens),
            usd_micros: self.usd_micros.max(other.usd_micros),
            unpriced: self.unpriced.max(other.unpriced),
            cached: self.cached.max(other.cached),
            millis: self.millis.max(other.millis),
            degraded: self.degraded.max(other.degraded),
        }
    }

    /// The cost for people, such as `$0.0123`, and what is not known of it; `None` where nothing costs anything.
    pub fn cost_text(&self) -> Option<String> {
        cost_text(self.usd_micros, self.unpriced)
    }

    /// Calls, tokens and the cost for people, such as `3 calls, 1200 tokens, $0.0123`, and answers from a cache.
    pub fn text(&self) -> String {
        let cost = self.cost_text().map(|cost| format!(", {cost}")).unwrap_or_default();
        let cached = if self.cached == 0 { String::new() } else { format!(", {} answers from the cache", self.cached) };
        format!("{} calls, {} tokens{cost}{cached}", self.calls, self.tokens)
    }

    /// Keeps the greater of two sums, count by count. A field of a state uses this reducer as `#[state(reduce_with =
    /// Spent::keep_greater)]`.
    pub fn keep_greater(&mut self, other: Self) {
        *self = self.or_later(other);
    }
}

/// A cost for people. `unpriced` answers are not in it.
pub(super) fn cost_text(micros: u64, unpriced: u64) -> Option<String> {
    match (micros, unpriced) {
        (0, 0) => None,
        (micros, 0) => Some(format!("${}", dollars(micros))),
        (0, _) => Some("cost not known".to_owned()),
        (micros, 1) => Some(format!("${} and the unknown cost of 1 call", dollars(micros))),
        (micros, calls) => Some(format!("${} and the unknown cost of {calls} calls", dollars(micros))),
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(super) fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Counts what calls spend and refuses those beyond the budget. One ledger serves all models of a run.
#[derive(Debug)]
pub struct Ledger {
    budget: Budget,
    started: Instant,
    before: Duration,
    counts: Mutex<Counts>,
    refusal: Mutex<Option<ModelError>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    spent: Spent,
    reserved_tokens: u64,
    reserved_micros: u64,
}

/// Tokens and money set aside for one call. Dropping a reservation without [`Reservation::settle`] frees them, and the
/// call still counts.
#[derive(Debug)]
pub struct Reservation {
    ledger: Arc<Ledger>,
    tokens: u64,
    micros: u64,
}

impl Ledger {
    /// A ledger of a new run.
    pub fn new(budget: Budget) -> Arc<Self> {
        Self::resume(budget, Spent::default())
    }

    /// A ledger that goes on from `spent`.
    pub fn resume(budget: Budget, spent: Spent) -> Arc<Self> {
        Arc::new(Self {
            budget,
            started: Instant::now(),
            before: Duration::from_millis(spent.millis),
            counts: Mutex::new(Counts { spent, ..Counts::default() }),
            refusal: Mutex::new(None),
        })
    }

    /// The budget.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The sums spent so far, without what is set aside for calls under way.
    pub fn spent(&self) -> Spent {
        let counts = *self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        Spent { millis: u64::try_from(self.elapsed().as_millis()).unwrap_or(u64::MAX), ..counts.spent }
    }

    /// The error of the last refused call; `None` while the budget has sufficed. A program that degrades instead of
    /// failing learns from this error that it has to report so.
    pub fn refusal(&self) -> Option<ModelError> {
        self.refusal.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// When the time of the budget ends; `None` without such a limit.
    pub fn deadline(&self) -> Option<Instant> {
        let left = self.budget.time?.saturating_sub(self.before);
        self.started.checked_add(left)
    }

    /// The refusal of a call that the end of the time cuts off.
    pub(super) fn out_of_time(&self) -> ModelError {
        let refusal = self.time_is_up(self.budget.time.unwrap_or_default());
        *self.refusal.lock().unwrap_or_else(PoisonError::into_inner) = Some(refusal.clone());
        refusal
    }

    fn time_is_up(&self, limit: Duration) -> ModelError {
        let used = format!("{:.1}", self.elapsed().as_secs_f64());
        ModelError::Budget { unit: "seconds".to_owned(), limit: limit.as_secs_f64().to_string(), used }
    }

    /// Counts work that a program leaves out or makes smaller because too little of the budget is left. The count stays
    /// with the run, so that a reduced result can say so at its end.
    pub fn degrade(&self) {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).spent.degraded += 1;
    }

    /// Counts an answer from a cache.
    pub fn count_cached(&self) {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).spent.cached += 1;
    }

    /// Counts a call and sets aside the tokens and money that the call is expected to need.
    ///
    /// # Errors
    /// [`ModelError::Budget`] with the limit that is reached.
    pub fn reserve(self: &Arc<Self>, tokens: u64, micros: u64) -> Result<Reservation, ModelError> {
        let reserved = self.try_reserve(tokens, micros);
        if let Err(refusal) = &reserved {
            *self.refusal.lock().unwrap_or_else(PoisonError::into_inner) = Some(refusal.clone());
        }
        reserved
    }

    /// As [`Ledger::reserve`], for a call that the run can do without: a refusal is not remembered.
    pub(super) fn try_reserve(self: &Arc<Self>, tokens: u64, micros: u64) -> Result<Reservation, ModelError> {
        let spent_error =
            |unit: &str, limit: String, used: String| ModelError::Budget { unit: unit.to_owned(), limit, used };
        if let Some(limit) = self.budget.time
            && self.elapsed() >= limit
        {
            return Err(self.time_is_up(limit));
        }
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(limit) = self.budget.calls
            && counts.spent.calls >= limit
        {
            return Err(spent_error("calls", limit.to_string(), counts.spent.calls.to_string()));
        }
        if let Some(limit) = self.budget.tokens {
            let taken = counts.spent.tokens.saturating_add(counts.reserved_tokens);
            if taken >= limit || taken.saturating_add(tokens) > limit {
                let used =
                    needs(&counts.spent.tokens.to_string(), &counts.reserved_tokens.to_string(), &tokens.to_string());
                return Err(spent_error("tokens", limit.to_string(), used));
            }
        }
        if let Some(limit) = self.budget.usd_micros {
            let taken = counts.spent.usd_micros.saturating_add(counts.reserved_micros);
            if (taken >= limit && micros > 0) || taken.saturating_add(micros) > limit {
                let used = needs(&dollars(counts.spent.usd_micros), &dollars(counts.reserved_micros), &dollars(micros));
                return Err(spent_error("usd", dollars(limit), used));
            }
        }
        counts.spent.calls = counts.spent.calls.saturating_add(1);
        counts.reserved_tokens = counts.reserved_tokens.saturating_add(tokens);
        counts.reserved_micros = counts.reserved_micros.saturating_add(micros);
        Ok(Reservation { ledger: Arc::clone(self), tokens, micros })
    }

    fn elapsed(&self) -> Duration {
        self.before.saturating_add(self.started.elapsed())
    }
}

impl Reservation {
    /// Takes back a call that is not made after all.
    pub(super) fn take_back(self) {
        let mut counts = self.ledger.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.spent.calls = counts.spent.calls.saturating_sub(1);
    }

    /// Counts what the call used and frees what was set aside. `micros` is the cost in millionths of a dollar, `None` where
    /// it is not known. What is not known is not zero: under a budget in dollars an unknown cost counts as what was set
    /// aside, and so does an answer without counts under a budget in tokens.
    pub fn settle(self, usage: Usage, micros: Option<u64>) {
        {
            let mut counts = self.ledger.counts.lock().unwrap_or_else(PoisonError::into_inner);
            let is_counted = usage.total() > 0 || self.ledger.budget.tokens.is_none();
            let tokens = if is_counted { usage.total() } else { self.tokens };
            counts.spent.tokens = counts.spent.tokens.saturating_add(tokens);
            if micros.is_none() {
                counts.spent.unpriced = counts.spent.unpriced.saturating_add(1);
            }
            let unknown = if self.ledger.budget.usd_micros.is_some() { self.micros } else { 0 };
            counts.spent.usd_micros = counts.spent.usd_micros.saturating_add(micros.unwrap_or(unknown));
        }
        // Dropping `self` takes the lock again and frees what was set aside.
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut counts = self.ledger.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.reserved_tokens = counts.reserved_tokens.saturating_sub(self.tokens);
        counts.reserved_micros = counts.reserved_micros.saturating_sub(self.micros);
    }
}

/// The used amount of a budget error: a text that ends with the number, because ` used` follows in the message.
fn needs(used: &str, reserved: &str, next: &str) -> String {
    match reserved {
        "0" => format!("the next call needs about {next}, {used}"),
        _ => format!("the next call needs about {next}, {reserved} are set aside for others, {used}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_is_told_with_what_is_not_known_of_it() {
        let text =
            |calls, usd_micros, unpriced| Spent { calls, tokens: 9, usd_micros, unpriced, ..Spent::default() }.text();
        assert_eq!(text(2, 0, 0), "2 calls, 9 tokens");
        assert_eq!(text(2, 12_300, 0), "2 calls, 9 tokens, $0.0123");
        assert_eq!(text(2, 0, 2), "2 calls, 9 tokens, cost not known");
        assert_eq!(text(2, 12_300, 1), "2 calls, 9 tokens, $0.0123 and the unknown cost of 1 call");
        let cached = Spent { calls: 1, cached: 2, ..Spent::default() };
        assert_eq!(cached.text(), "1 calls, 0 tokens, 2 answers from the cache");
        assert_eq!(text(9, 2_000_000, 3), "9 calls, 9 tokens, $2 and the unknown cost of 3 calls");
    }
}
