//! The library at its public boundary.

mod conversation;
mod flow;
mod golden_list;
mod sessions;
