//! Recording what models and tools answered, and playing it back.
//!
//! A cassette is a file of JSON lines. The first says the format's version; then come a line for each model and one for
//! each call. A call is known by what was asked (a hash of the canonical request) and by how many equal calls went before
//! it, not by its place in the file: calls that ran at the same time play back in any order. A line is written whole,
//! and at once, so a killed program leaves at most one torn line at the end, which loading drops and tells of.
//!
//! Requests hold no keys. As a second guard, recording stops when a secret is about to be written: the value of an
//! environment variable that looks like one, what stands in a file that such a variable names, or one that the program has
//! from elsewhere ([`SecretGuard::and`]). A new recording can be read by its user only.

mod canonical;
mod entry;
mod exchange;
mod load;
mod nearest;
mod record;
mod replay;
mod secrets;
mod store;

pub use canonical::{canonical, key_of};
pub use entry::{Entry, Header, ModelLine, Outcome, VERSION};
pub use record::Recorder;
pub use replay::Replay;
pub use secrets::SecretGuard;
pub use store::Cassette;
