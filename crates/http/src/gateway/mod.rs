//! The one way to a host: paced, patient, bounded, remembered.
//!
//! - A [`Gateway`] asks one host and keeps its [`Politeness`]: pace, tries, pauses that the host asks for with
//!   `Retry-After`, answers that are used again as long as they hold.
//! - [`OpenWeb`] asks hosts that texts of others name. It is a gateway for each of them behind a guard against private
//!   networks, and obeys `robots.txt`.
//! - A [`HostFault`] says why there is no answer. Who reads answers has errors of its own, see [`AnswerError`].
//!
//! ```
//! use graphloom_http::gateway::{Gateway, HostFault, Politeness, Reply};
//! use reqwest::Url;
//!
//! # async fn title() -> Result<(), Box<dyn std::error::Error>> {
//! let address = Url::parse("https://api.example.org/works?id=1")?;
//! let gateway = Gateway::over_http(&address, "reader/1.0", Some("me@example.org"), Politeness::default())?;
//! let read = |reply: &Reply| Ok::<_, HostFault>(reply.text().into_owned());
//! let asked = gateway.ask(&address, read).await?;
//! println!("{}", asked.value);
//! # Ok(())
//! # }
//! ```

mod fault;
mod guard;
mod limits;
mod one_host;
mod open_web;
mod politeness;
mod rate_limiter;
mod response_cache;
mod robots;
mod transport;

use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use reqwest::Url;
use tokio::time::Instant;

pub use fault::{AnswerError, HostFault};
pub use guard::{ResolveHost, SystemNames, cause, check_url, forbidden_address, guarded};
pub use open_web::{OpenWeb, OpenWebOptions};
pub use politeness::Politeness;
pub use transport::{Reply, Request, Transport};

use crate::{HttpError, authority};
use limits::Limits;
use one_host::OneHost;
use rate_limiter::RateLimiter;
use response_cache::{Lookup, ResponseCache, Stale};

/// What is told of an answer from the cache.
const REMEMBERED: &str = "the answer was remembered, the host was not asked again";

/// Asks one host, and keeps its rules: requests wait for their turn, failed ones are tried again after a growing pause
/// or the one that the host asks for, and answers are remembered.
///
/// The pace belongs to the host, not to the gateway: all gateways of a process to one host wait in one line. Other
/// processes and machines are not known to it. Time is tokio's, so it can be virtual.
#[derive(Clone)]
pub struct Gateway {
    inner: Arc<Inner>,
}

struct Inner {
    host: String,
    politeness: Politeness,
    limiter: Arc<RateLimiter>,
    transport: Arc<dyn Transport>,
    cache: Arc<ResponseCache>,
    wall: fn() -> SystemTime,
}

/// The outcome of a question to a host.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Asked<T> {
    /// What was read from the answer.
    pub value: T,
    /// What a person may want to know: tries that failed, an answer from cache.
    pub notes: Vec<String>,
}

impl Gateway {
    /// A gateway to the host of `address` over HTTP. `agent` names the program, such as `pocketflow/0.1.0`; `contact`
    /// is an e-mail address where the host's operators can reach who runs it.
    ///
    /// # Errors
    /// [`HttpError::Offline`]; [`HttpError::Client`] when the system's certificates cannot be used.
    pub fn over_http(
        address: &Url,
        agent: &str,
        contact: Option<&str>,
        politeness: Politeness,
    ) -> Result<Self, HttpError> {
        let transport = OneHost::new(address, agent, contact, politeness.longest_body, true)?;
        Ok(Self::over(address, Arc::new(transport), politeness))
    }

    /// As [`over_http`](Self::over_http), but a host that sends its clients elsewhere is not followed: what is posted,
    /// and a key in a header, are for this host alone.
    ///
    /// # Errors
    /// As [`over_http`](Self::over_http).
    pub fn without_redirects(
        address: &Url,
        agent: &str,
        contact: Option<&str>,
        politeness: Politeness,
    ) -> Result<Self, HttpError> {
        let transport = OneHost::new(address, agent, contact, politeness.longest_body, false)?;
        Ok(Self::over(address, Arc::new(transport), politeness))
    }

    /// A gateway to the host of `address` over another transport.
    #[must_use]
    pub fn over(address: &Url, transport: Arc<dyn Transport>, politeness: Politeness) -> Self {
        Self::sharing(address, transport, politeness, Arc::default())
    }

    /// A gateway that shares the answers that others remember.
    fn sharing(
        address: &Url,
        transport: Arc<dyn Transport>,
        politeness: Politeness,
        cache: Arc<ResponseCache>,
    ) -> Self {
        let host = authority(address);
        let limiter = if politeness.shared { RateLimiter::of_host(&host) } else { Arc::new(RateLimiter::new()) };
        limiter.restrict(&politeness);
        Self { inner: Arc::new(Inner { host, cache, limiter, transport, politeness, wall: SystemTime::now }) }
    }

    /// The same gateway with another wall clock, which dates of hosts are compared with.
    #[cfg(test)]
    fn at(self, wall: fn() -> SystemTime) -> Self {
        let Inner { host, politeness, limiter, transport, cache: _, wall: _ } = &*self.inner;
        let (limiter, transport) = (Arc::clone(limiter), Arc::clone(transport));
        let (host, politeness) = (host.clone(), politeness.clone());
        Self { inner: Arc::new(Inner { host, politeness, limiter, transport, cache: Arc::default(), wall }) }
    }

    /// The host and, when it is not the usual one, its port.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.inner.host
    }

    /// Lets at least `interval` pass between two requests to the host.
    fn slow_down(&self, interval: Duration) {
        self.inner.limiter.slow_down(interval);
    }

    /// Gets `url` and reads the answer with `read`, whose errors count like faults of the host where they are. Failed
    /// tries are repeated as [`Politeness`] says.
    ///
    /// # Errors
    /// The fault of the last try, or at once the one for which the host is left alone at the moment.
    pub async fn ask<T, E: AnswerError>(
        &self,
        url: &Url,
        read: impl Fn(&Reply) -> Result<T, E>,
    ) -> Result<Asked<T>, E> {
        self.send(&Request::get(url.clone()), read).await
    }

    /// As [`ask`](Self::ask), with headers or something to post.
    ///
    /// # Errors
    /// As [`ask`](Self::ask).
    pub async fn send<T, E: AnswerError>(
        &self,
        request: &Request,
        read: impl Fn(&Reply) -> Result<T, E>,
    ) -> Result<Asked<T>, E> {
        let inner = &self.inner;
        let Politeness { remembered, revalidated, .. } = inner.politeness;
        let mut notes = Vec::new();
        if let Lookup::Fresh(reply) = inner.cache.get(request, (inner.wall)())
            && let Ok(value) = read(&reply)
        {
            notes.push(REMEMBERED.to_owned());
            return Ok(Asked { value, notes });
        }
        let mut tries = 0;
        loop {
            tries += 1;
            let error = match self.try_once(request, &read).await? {
                Ok((value, Some(reply))) => {
                    inner.limiter.answered();
                    inner.cache.insert(request, reply, remembered, revalidated, (inner.wall)());
                    return Ok(Asked { value, notes });
                }
                // It is not put in again, which would lengthen its life with each question.
                Ok((value, None)) => {
                    notes.push(REMEMBERED.to_owned());
                    return Ok(Asked { value, notes });
                }
                Err(error) => error,
            };
            let pause = self.pause(&error, tries);
            // The words of the host are left out, because they may repeat a key.
            let fault = error.host_fault().map(tracing::field::display);
            tracing::debug!(host = %inner.host, tries, fault, ?pause, "a request failed");
            match pause {
                Some(pause) => {
                    notes.push(format!(
                        "try {tries} failed, the next one came {:.1} s later: it {error}",
                        pause.as_secs_f64()
                    ));
                    inner.limiter.delay_until(Instant::now() + pause);
                }
                None => {
                    self.back_off(&error);
                    return Err(error);
                }
            }
        }
    }

    /// The outer error is that of a host that is left alone at the moment. Without a reply the answer was remembered.
    async fn try_once<T, E: AnswerError>(
        &self,
        request: &Request,
        read: &impl Fn(&Reply) -> Result<T, E>,
    ) -> Result<Result<(T, Option<Reply>), E>, HostFault> {
        let inner = &self.inner;
        let turn = inner.limiter.acquire().await?;
        let limit = inner.politeness.longest_answer;
        // Another request may have got the answer meanwhile, so it is looked for only now.
        let stale = match inner.cache.get(request, (inner.wall)()) {
            Lookup::Fresh(reply) => match read(&reply) {
                Ok(value) => return Ok(Ok((value, None))),
                Err(_) => None,
            },
            Lookup::Stale(stale) => Some(stale),
            Lookup::Nothing => None,
        };
        let sent = stale.as_ref().map(|stale| conditional(request, stale));
        let answer = tokio::time::timeout(limit, inner.transport.send(sent.as_ref().unwrap_or(request))).await;
        let mut reply = match answer {
            Ok(Ok(reply)) => reply,
            Ok(Err(fault)) => return Ok(Err(fault.into())),
            Err(_) => return Ok(Err(HostFault::TimedOut { seconds: limit.as_secs() }.into())),
        };
        let limits = Limits::of(&reply, (inner.wall)());
        inner.limiter.apply_limits(&limits, &inner.politeness);
        drop(turn);
        if let Some(fault) = limits.fault(&reply, (inner.wall)()) {
            return Ok(Err(fault.into()));
        }
        if let Some(stale) = stale
            && let Some(same) = ResponseCache::confirmed(*stale, request, &reply, (inner.wall)())
        {
            reply = same;
        }
        Ok(read(&reply).map(|value| (value, Some(reply))))
    }

    /// How long to wait before the next try, or `None` when there is none.
    fn pause(&self, error: &impl AnswerError, tries: u32) -> Option<Duration> {
        let politeness = &self.inner.politeness;
        if tries >= fault::tries(error, politeness.tries) {
            return None;
        }
        if let Some(HostFault::RateLimited { until: Some(until), .. }) = error.host_fault() {
            let asked = self.time_until(until);
            // A second more, because a moment has no fractions.
            return (asked <= politeness.patience)
                .then(|| if asked.is_zero() { asked } else { asked + Duration::from_secs(1) });
        }
        let factor = 2_u32.saturating_pow(tries - 1);
        let pause = politeness.first_pause.saturating_mul(factor).min(politeness.longest_pause);
        // A quarter is left to chance, so that programs that failed together do not come back together.
        Some(pause.mul_f64(1.0 - 0.25 * chance()))
    }

    /// After a request for a long pause, or when the host is down again and again, it is not asked for a while.
    fn back_off(&self, error: &impl AnswerError) {
        let inner = &self.inner;
        let now = Instant::now();
        match error.host_fault() {
            Some(fault @ (HostFault::RateLimited { until, .. } | HostFault::BudgetSpent { until })) => {
                let wait = until.map_or(inner.politeness.rest, |until| self.time_until(until));
                // A host that asks for years is asked again tomorrow.
                inner.limiter.close(now + wait.min(Duration::from_secs(86_400)), fault);
            }
            Some(fault @ (HostFault::Failing { .. } | HostFault::Down { .. } | HostFault::TimedOut { .. })) => {
                inner.limiter.failed(now, &inner.politeness, &fault);
            }
            _ => inner.limiter.answered(),
        }
    }

    fn time_until(&self, until: SystemTime) -> Duration {
        until.duration_since((self.inner.wall)()).unwrap_or_default()
    }
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gateway").field("host", &self.inner.host).field("politeness", &self.inner.politeness).finish()
    }
}

/// The request for an answer only where it is another than before.
fn conditional(request: &Request, stale: &Stale) -> Request {
    let mut request = request.clone();
    request.headers.extend(stale.conditions.clone());
    request
}

/// A number from 0 to 1 that differs from call to call.
fn chance() -> f64 {
    let bits = RandomState::new().build_hasher().finish() >> 11;
    // 53 bits fit a double exactly.
    bits as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests;
