//! The hosts of the open web, which texts of others name: each is guarded, asked what it allows, and paced.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use reqwest::{Client, Url, redirect};

use super::guard::{ResolveHost, cause, check, check_url, guarded};
use super::response_cache::ResponseCache;
use super::robots::Robots;
use super::transport::{Reply, Request, Transport};
use super::{AnswerError, Asked, Gateway, HostFault, Politeness};
use crate::{HttpError, authority, is_loopback, unproxied};

/// With more hosts than these, those that are not asked at the moment are opened anew when they are asked again.
const MOST_HOSTS: usize = 256;

/// What [`OpenWeb`] may ask, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenWebOptions {
    /// The program, as the hosts see it, such as `graphloom/0.1.0`. What stands before the `/` is the name that
    /// `robots.txt` can address.
    pub agent: String,
    /// The ports that may be asked; 80 and 443 unless set.
    pub ports: Vec<u16>,
    /// Hosts, with their ports, that may be asked wherever they are; none unless set.
    pub exempt: Vec<String>,
    /// Whether `robots.txt` is obeyed; so unless set.
    pub robots: bool,
    /// The manners towards each host. Unless set, two requests at once, a quarter of a second apart, two tries, pauses of
    /// up to 5 s, and answers used again as the host says. A host on this machine is asked without pauses.
    pub politeness: Politeness,
}

impl OpenWebOptions {
    /// The usual options for a program that calls itself `agent`.
    #[must_use]
    pub fn new(agent: &str) -> Self {
        Self {
            agent: agent.to_owned(),
            ports: vec![80, 443],
            exempt: Vec::new(),
            robots: true,
            politeness: Politeness {
                interval: Duration::from_millis(250),
                at_once: 2,
                tries: 2,
                first_pause: Duration::from_millis(500),
                longest_pause: Duration::from_secs(5),
                patience: Duration::from_secs(5),
                rest: Duration::from_secs(30),
                longest_body: 4 * 1024 * 1024,
                remembered: Duration::ZERO,
                ..Politeness::default()
            },
        }
    }
}

/// Asks any host of the open web.
///
/// Only the ports of the options are asked, and only hosts none of whose addresses is
/// [forbidden](super::forbidden_address). Redirects are not followed: who follows one asks for the next address, which is
/// checked like the first. No proxy is used, because a proxy would look the host up itself. Cookies and credentials are
/// never sent. What the `robots.txt` of a host forbids is not asked for; a file is used for a day.
pub struct OpenWeb {
    transport: Arc<dyn Transport>,
    hosts: Mutex<HashMap<String, Gateway>>,
    cache: Arc<ResponseCache>,
    robots: Robots,
    options: OpenWebOptions,
}

impl OpenWeb {
    /// The open web, with `names` to look hosts up.
    ///
    /// # Errors
    /// [`HttpError::Client`] when the system's certificates cannot be used.
    pub fn new(options: OpenWebOptions, names: Arc<dyn ResolveHost>) -> Result<Self, HttpError> {
        let transport = Guarded::new(&options, names)?;
        Ok(Self::over(options, Arc::new(transport)))
    }

    /// The open web over another transport, which then is what guards it.
    #[must_use]
    pub fn over(options: OpenWebOptions, transport: Arc<dyn Transport>) -> Self {
        Self { transport, hosts: Mutex::default(), cache: Arc::default(), robots: Robots::default(), options }
    }

    /// Asks for something, and reads the answer with `read`.
    ///
    /// # Errors
    /// As [`Gateway::send`]; [`HostFault::Robots`] and [`HostFault::RobotsUnknown`].
    pub async fn ask<T, E: AnswerError>(
        &self,
        request: &Request,
        read: impl Fn(&Reply) -> Result<T, E>,
    ) -> Result<Asked<T>, E> {
        if self.options.robots
            && let Some(delay) = self.robots.check(self, &request.url, &self.options.agent).await?
        {
            self.gateway(&request.url).slow_down(delay);
        }
        self.ask_regardless(request, read).await
    }

    /// As [`ask`](Self::ask), whatever `robots.txt` says.
    pub(super) async fn ask_regardless<T, E: AnswerError>(
        &self,
        request: &Request,
        read: impl Fn(&Reply) -> Result<T, E>,
    ) -> Result<Asked<T>, E> {
        if crate::check(&request.url).is_err() {
            return Err(HostFault::Offline { host: authority(&request.url) }.into());
        }
        self.gateway(&request.url).send(request, read).await
    }

    fn gateway(&self, url: &Url) -> Gateway {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        let host = authority(url);
        if hosts.len() >= MOST_HOSTS && !hosts.contains_key(&host) {
            // Paces are kept by host elsewhere, and answers in the one cache.
            hosts.clear();
        }
        let open = || {
            let politeness = match is_loopback(url) {
                true => Politeness {
                    tries: 1,
                    revalidated: true,
                    longest_body: self.options.politeness.longest_body,
                    ..Politeness::none()
                },
                false => self.options.politeness.clone(),
            };
            Gateway::sharing(url, Arc::clone(&self.transport), politeness, Arc::clone(&self.cache))
        };
        hosts.entry(host).or_insert_with(open).clone()
    }
}

impl fmt::Debug for OpenWeb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenWeb").field("options", &self.options).finish_non_exhaustive()
    }
}

/// The transport to hosts that nobody chose.
struct Guarded {
    guarded: Client,
    /// For exempt hosts, which may be anywhere.
    exempt: Client,
    ports: Vec<u16>,
    exempt_hosts: Vec<String>,
    longest_body: usize,
}

impl Guarded {
    fn new(options: &OpenWebOptions, names: Arc<dyn ResolveHost>) -> Result<Self, HttpError> {
        let made = |client: Result<Client, reqwest::Error>| {
            client.map_err(|error| HttpError::client("pages of the web".to_owned(), &error))
        };
        Ok(Self {
            guarded: made(guarded(&options.agent, names).build())?,
            exempt: made(
                unproxied(&options.agent).redirect(redirect::Policy::none()).pool_max_idle_per_host(0).build(),
            )?,
            ports: options.ports.clone(),
            exempt_hosts: options.exempt.clone(),
            longest_body: options.politeness.longest_body,
        })
    }
}

#[async_trait]
impl Transport for Guarded {
    async fn send(&self, request: &Request) -> Result<Reply, HostFault> {
        let url = &request.url;
        let host = url.host_str().unwrap_or_default().to_owned();
        let port = url.port_or_known_default().unwrap_or_default();
        let is_exempt = self.exempt_hosts.contains(&format!("{host}:{port}"));
        if !is_exempt {
            if !self.ports.contains(&port) {
                return Err(HostFault::Port { host, port });
            }
            // A host that is written as an address is not looked up, so the resolver never sees it.
            check_url(url)?;
        }
        let client = if is_exempt { &self.exempt } else { &self.guarded };
        let response = request.with(client).send().await.map_err(|error| cause(&error))?;
        if !is_exempt && let Some(remote) = response.remote_addr() {
            // What is connected to is what was checked; this holds even if the client should change.
            check(&host, remote.ip())?;
        }
        Reply::of(response, request, self.longest_body).await
    }
}
