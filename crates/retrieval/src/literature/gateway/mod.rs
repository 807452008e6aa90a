//! The one way to a host: paced, patient, bounded, remembered.

mod http;
mod limits;
mod politeness;
mod rate_limiter;
mod response_cache;
mod transport;

use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use graphloom_http::authority;
use reqwest::Url;
use tokio::time::Instant;

pub use politeness::Politeness;
pub use transport::{Reply, Request, Transport};

use super::{Fault, Timestamp};
use http::Http;
use limits::Limits;
use rate_limiter::RateLimiter;
use response_cache::ResponseCache;

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
    cache: ResponseCache,
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
    /// [`RetrievalError::NoClient`](crate::RetrievalError::NoClient) when the system's certificates cannot be used.
    pub fn over_http(
        address: &Url,
        agent: &str,
        contact: Option<&str>,
        politeness: Politeness,
    ) -> Result<Self, crate::RetrievalError> {
        let transport = Http::new(address, agent, contact, politeness.longest_body, true)?;
        Ok(Self::over(address, Arc::new(transport), politeness))
    }

    /// As [`over_http`](Self::over_http), but a host that sends its clients elsewhere is not followed: what is posted,
    /// and a key in a header, are for this host alone.
    ///
    /// # Errors
    /// [`RetrievalError::NoClient`](crate::RetrievalError::NoClient) when the system's certificates cannot be used.
    pub fn without_redirects(
        address: &Url,
        agent: &str,
        contact: Option<&str>,
        politeness: Politeness,
    ) -> Result<Self, crate::RetrievalError> {
        let transport = Http::new(address, agent, contact, politeness.longest_body, false)?;
        Ok(Self::over(address, Arc::new(transport), politeness))
    }

    /// A gateway to the host of `address` over another transport.
    #[must_use]
    pub fn over(address: &Url, transport: Arc<dyn Transport>, politeness: Politeness) -> Self {
        let host = authority(address);
        let limiter = if politeness.shared { RateLimiter::of_host(&host) } else { Arc::new(RateLimiter::new()) };
        limiter.restrict(&politeness);
        Self {
            inner: Arc::new(Inner {
                host,
                cache: ResponseCache::default(),
                limiter,
                transport,
                politeness,
                wall: SystemTime::now,
            }),
        }
    }

    /// The same gateway with another wall clock, which dates of hosts are compared with.
    #[cfg(test)]
    fn at(self, wall: fn() -> SystemTime) -> Self {
        let Inner { host, politeness, limiter, transport, cache: _, wall: _ } = &*self.inner;
        let (limiter, transport) = (Arc::clone(limiter), Arc::clone(transport));
        let (host, politeness) = (host.clone(), politeness.clone());
        Self { inner: Arc::new(Inner { host, politeness, limiter, transport, cache: ResponseCache::default(), wall }) }
    }

    /// The host and, when it is not the usual one, its port.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.inner.host
    }

    /// Gets `url` and reads the answer with `read`, whose faults count like those of the host. Failed tries are
    /// repeated as [`Politeness`] says.
    ///
    /// # Errors
    /// The fault of the last try, or at once the one for which the host is left alone at the moment.
    pub async fn ask<T>(&self, url: &Url, read: impl Fn(&Reply) -> Result<T, Fault>) -> Result<Asked<T>, Fault> {
        self.send(&Request::get(url.clone()), read).await
    }

    /// As [`ask`](Self::ask), with headers or something to post.
    ///
    /// # Errors
    /// As [`ask`](Self::ask).
    pub async fn send<T>(
        &self,
        request: &Request,
        read: impl Fn(&Reply) -> Result<T, Fault>,
    ) -> Result<Asked<T>, Fault> {
        let identity = request.identity();
        let inner = &self.inner;
        let mut notes = Vec::new();
        if let Some(reply) = inner.cache.get(&identity)
            && let Ok(value) = read(&reply)
        {
            notes.push("the answer was remembered, the host was not asked again".to_owned());
            return Ok(Asked { value, notes });
        }
        let mut tries = 0;
        loop {
            tries += 1;
            let fault = match self.try_once(request, &read).await? {
                Ok((value, reply)) => {
                    inner.limiter.answered();
                    inner.cache.insert(&identity, reply, inner.politeness.remembered);
                    return Ok(Asked { value, notes });
                }
                Err(fault) => fault,
            };
            let pause = self.pause(&fault, tries);
            tracing::debug!(host = %inner.host, tries, %fault, ?pause, "a request failed");
            match pause {
                Some(pause) => {
                    notes.push(format!(
                        "try {tries} failed, the next one came {:.1} s later: it {fault}",
                        pause.as_secs_f64()
                    ));
                    inner.limiter.delay_until(Instant::now() + pause);
                }
                None => {
                    self.back_off(&fault);
                    return Err(fault);
                }
            }
        }
    }

    /// The outer error is that of a host that is left alone at the moment.
    async fn try_once<T>(
        &self,
        request: &Request,
        read: &impl Fn(&Reply) -> Result<T, Fault>,
    ) -> Result<Result<(T, Reply), Fault>, Fault> {
        let inner = &self.inner;
        let turn = inner.limiter.acquire().await?;
        let limit = inner.politeness.longest_answer;
        let answer = tokio::time::timeout(limit, inner.transport.send(request)).await;
        let reply = match answer {
            Ok(Ok(reply)) => reply,
            Ok(Err(fault)) => return Ok(Err(fault)),
            Err(_) => return Ok(Err(Fault::TimedOut { seconds: limit.as_secs() })),
        };
        let limits = Limits::of(&reply, (inner.wall)());
        inner.limiter.apply_limits(&limits, &inner.politeness);
        drop(turn);
        if let Some(fault) = limits.fault(&reply, (inner.wall)()) {
            return Ok(Err(fault));
        }
        Ok(read(&reply).map(|value| (value, reply)))
    }

    /// How long to wait before the next try, or `None` when there is none.
    fn pause(&self, fault: &Fault, tries: u32) -> Option<Duration> {
        let politeness = &self.inner.politeness;
        if tries >= fault.tries(politeness.tries) {
            return None;
        }
        if let Fault::RateLimited { until: Some(until) } = fault {
            let asked = self.time_until(*until);
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
    fn back_off(&self, fault: &Fault) {
        let inner = &self.inner;
        let now = Instant::now();
        match fault {
            Fault::RateLimited { until } | Fault::BudgetSpent { until } => {
                let wait = until.map_or(inner.politeness.rest, |until| self.time_until(until));
                // A host that asks for years is asked again tomorrow.
                inner.limiter.close(now + wait.min(Duration::from_secs(86_400)), fault.clone());
            }
            Fault::Down { .. } | Fault::TimedOut { .. } => {
                inner.limiter.failed(now, &inner.politeness, fault);
            }
            _ => inner.limiter.answered(),
        }
    }

    fn time_until(&self, until: Timestamp) -> Duration {
        Duration::from_secs(until.0.saturating_sub(Timestamp::of((self.inner.wall)()).0))
    }
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gateway").field("host", &self.inner.host).field("politeness", &self.inner.politeness).finish()
    }
}

/// A number from 0 to 1 that differs from call to call.
fn chance() -> f64 {
    let bits = RandomState::new().build_hasher().finish() >> 11;
    // 53 bits fit a double exactly.
    bits as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests;
