//! Logging in to a server that asks for it: OAuth 2.1 as the authorization chapter of the protocol has it.
//!
//! - [`login`] finds out who gives the login (RFC 9728, RFC 8414), makes this client known there (RFC 7591) unless the file
//!   names a client, shows the address that a person opens, takes what the browser brings back to a port of this machine,
//!   and keeps the tokens. The code is bound to this client by PKCE.
//! - [`LoginFolder`] keeps them, a private file for each server. A token is for the address that it was given for, and goes to
//!   no other; one that is about to end is exchanged for a new one.
//! - Nothing of this goes over plain `http`, except to this machine.

mod callback;
mod client;
mod error;
mod flow;
mod folder;

pub use error::LoginError;
pub(crate) use flow::authorization;
pub use flow::{Login, login};
pub use folder::LoginFolder;
