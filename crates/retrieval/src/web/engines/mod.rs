//! The engines, one a file: how each is asked and how its answer is read.

mod brave;
mod exa;
mod searxng;
mod serper;
mod tavily;
mod wikipedia;

use std::time::Duration;

pub use brave::Brave;
pub use exa::Exa;
pub use searxng::Searxng;
pub use serper::Serper;
pub use tavily::Tavily;
pub use wikipedia::Wikipedia;

use super::options::Setup;
use super::{EngineName, WebOptions};
use crate::RetrievalError;
use crate::literature::{Gateway, Politeness};
use graphloom_http::is_loopback;

/// The manners towards an interface that is paid for: several questions at once, an answer remembered for an hour so
/// that it is not paid twice.
fn paid() -> Politeness {
    Politeness::paced(Duration::from_millis(100), 4).trying(3).remembering(Duration::from_secs(3600))
}

/// The way to the host of an engine. It is not followed elsewhere, so that key and question stay with it.
fn gateway(setup: &Setup, options: &WebOptions, usual: Politeness) -> Result<Gateway, RetrievalError> {
    let politeness = match &setup.politeness {
        Some(politeness) => politeness.clone(),
        None if is_loopback(&setup.url) => on_this_machine(usual),
        None => usual,
    };
    let contact = options.contact.as_ref().map(crate::literature::Contact::as_str);
    Ok(Gateway::without_redirects(&setup.url, &options.agent, contact, politeness)?)
}

/// A server on this machine comes and goes, and nobody else asks it.
fn on_this_machine(usual: Politeness) -> Politeness {
    let mut politeness = usual.remembering(Duration::ZERO);
    politeness.interval = Duration::ZERO;
    politeness.first_pause = Duration::from_millis(50);
    politeness.longest_pause = Duration::from_millis(500);
    politeness.shared = false;
    politeness
}

/// The engine of a name.
pub(super) fn open(
    name: EngineName,
    options: &WebOptions,
) -> Result<std::sync::Arc<dyn super::Engine>, RetrievalError> {
    Ok(match name {
        EngineName::Tavily => std::sync::Arc::new(Tavily::open(options)?),
        EngineName::Google => std::sync::Arc::new(Serper::open(options)?),
        EngineName::Brave => std::sync::Arc::new(Brave::open(options)?),
        EngineName::Exa => std::sync::Arc::new(Exa::open(options)?),
        EngineName::Searxng => std::sync::Arc::new(Searxng::open(options)?),
        EngineName::Wikipedia => std::sync::Arc::new(Wikipedia::open(options)?),
    })
}
