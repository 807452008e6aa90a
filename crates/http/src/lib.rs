//! One builder of HTTP clients for everything that leaves the process.
//!
//! - [`client`] begins every client of the house: one provider of cryptography, no referrer, the machine itself reached
//!   without a proxy.
//! - [`Outbound`] says how the process reaches the network: through which proxy, with which certificates beside the
//!   system's, or not at all. A program [installs](Outbound::install) it once, before the first client is made.
//! - What a library asks is refused when the process is offline: [`check`] is the one rule, and this machine is always
//!   allowed.
//! - With the feature `gateway`, [`gateway`] asks hosts politely: one pace for each host in the whole process, `Retry-After`,
//!   `robots.txt`, answers that are used again, bounds, and a guard against private networks.
//!
//! ```
//! use graphloom_http::{Outbound, client};
//! use reqwest::Url;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! Outbound::default().offline(true).install()?;
//! let here = Url::parse("http://127.0.0.1:8080/v1")?;
//! let there = Url::parse("https://api.example.org/v1")?;
//! let own = client(&here, "my-program/1.0")?.build()?;
//! let refused = client(&there, "my-program/1.0").map(|_| ()).unwrap_err();
//! assert!(refused.to_string().contains("`api.example.org` is not asked"));
//! # drop(own);
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod address;
mod cause;
#[cfg(feature = "gateway")]
pub mod gateway;
mod outbound;

pub use address::{authority, is_loopback};
pub use cause::innermost;
pub use outbound::{HttpError, Outbound, check, client, unproxied};
