//! What leads a model that is too small to write: it answers small questions inside a grammar, and what a text says stands in
//! it as its sources say it.
//!
//! - An [`Offer`] is a sentence under a label; [`choice_schema`] is the schema of a choice among several, and [`compose`]
//!   makes a paragraph of what was chosen, each sentence with the mark of its source.
//! - [`Quoting`] lets a model choose as long as its choices can be read, and quotes the best where they cannot.
//! - [`object_schema`] is the schema of a small answer, [`likeliest`] finds the one of several that the model most likely
//!   says yes to, and [`repeated`] knows an answer that is taken from the examples of its prompt.
//!
//! Which sentences of found passages bear on a request is a question to them and not to a model; `graphloom-retrieval`
//! answers it in its module `answer`.
//!
//! ```
//! use graphloom_agents::guided::{Offer, Quoting, lettered};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), std::convert::Infallible> {
//! let offers = lettered([
//!     Offer::new("log", "Every change is written to the log first."),
//!     Offer::new("tea", "Tea is made of leaves."),
//! ]);
//! let mut quoting = Quoting::new(usize::MAX);
//! // A model would be asked here.
//! let ask = async { Ok::<_, std::convert::Infallible>(Ok::<_, String>(vec!["a".to_owned()])) };
//! let paragraph = quoting.paragraph(&offers, |source| format!("[{source}]"), ask).await?;
//! assert_eq!(paragraph.text, "Every change is written to the log first [log].");
//! # Ok(()) }
//! ```

mod example;
mod likeliest;
mod offer;
mod quoting;
mod schema;

pub use example::repeated;
pub use likeliest::likeliest;
pub use offer::{Chosen, Offer, choice_schema, compose, lettered};
pub use quoting::{Paragraph, Quoting};
pub use schema::object_schema;
