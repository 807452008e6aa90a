//! Which kinds of records changed, for whoever shows lists of them.
//!
//! A listener is told that something of a kind changed, and reads its list again. So nothing is lost however much changes, and a
//! listener that is slow holds up nobody.
//!
//! | rule | where |
//! | --- | --- |
//! | the kinds, and where the store has them | `kind.rs` |
//! | what is put or deleted is noted | `store.rs` |
//! | changes are counted, and heard | `counts.rs` |
//! | processes that share the store tell each other | `runs/shared.rs` |
//! | server-sent events | `stream.rs` |

mod counts;
mod kind;
mod store;
mod stream;
#[cfg(test)]
mod tests;

pub(crate) use counts::Changes;
pub(crate) use kind::Kind;
pub(crate) use store::observed;
pub(crate) use stream::routes;
