//! What models cost: a dated table in this crate, and a user's own table over it.
//!
//! Amounts are whole millionths of a dollar, and rates whole millionths of a dollar for a million tokens; no amount is a
//! binary fraction. **A price that is not known is `None` and never zero**: [`layers::Priced`](crate::layers::Priced) leaves
//! the cost of such a call open, sums say how many calls they lack, and a budget in dollars refuses such a model. The cost
//! that a provider states itself counts before any table.
//!
//! ```
//! use graphloom_llm::prices::{PriceTable, dollars};
//! use graphloom_llm::{ModelId, Usage};
//!
//! # fn main() -> Result<(), graphloom_llm::ModelError> {
//! let own = PriceTable::from_toml(
//!     r#"
//!     version = 1
//!     date = "2026-11-26"
//!     [[price]]
//!     provider = "ollama"
//!     model = "*"
//!     input = 0
//!     output = 0
//!     "#,
//!     "prices.toml",
//! )?;
//! let prices = PriceTable::built_in().under(own);
//! let usage = Usage { input: 10_000, output: 500, cache_read: 8000, ..Usage::default() };
//! let cost = |provider, name| prices.price(&ModelId::new(provider, name))?.cost(&usage);
//! assert_eq!(cost("anthropic", "claude-opus-5-5-20261001").map(dollars).as_deref(), Some("0.0196"));
//! assert_eq!(cost("ollama", "qwen3:8b"), Some(0));
//! assert_eq!(cost("compatible", "somebody"), None);
//! # Ok(())
//! # }
//! ```

mod decimal;
mod litellm;
mod price;
mod table;

pub(crate) use decimal::{Rounding, decimal};
pub use price::{Price, Rates, Tier, dollars};
pub use table::PriceTable;
