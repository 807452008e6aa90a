//! Recording the answers of models and tools, and playing them back.
//!
//! A cassette is a file of JSON lines. The first line states the version of the format. A line for each model and a
//! line for each call follow. A call is identified by a hash of its canonical request and by the number of equal calls
//! before it, not by its place in the file, so calls that ran at the same time play back in any order. Each line is
//! written whole and at once, so a killed program leaves at most one torn line at the end. Loading drops the torn line
//! and reports it.
//!
//! Requests hold no keys. As a second guard, recording stops when a secret is about to be written: the value of an
//! environment variable whose name is that of a secret, the content of a file that such a variable names, or a key that
//! the program has from elsewhere ([`SecretGuard::and`]). Only the user who made a new recording can read it.

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
