//! What hosts ask of programs that read their pages: `robots.txt`, RFC 9309.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::Url;
use reqwest::header::{ACCEPT_ENCODING, LOCATION};
use texting_robots::Robot;
use tokio::time::Instant;

use super::open_web::OpenWeb;
use super::{HostFault, Reply, Request};
use crate::authority;

/// How long a file is used, section 2.4.
const LONGEST_USE: Duration = Duration::from_secs(24 * 3600);
/// As much of a file is read; section 2.5 asks for 500 KiB at least.
const MOST_BYTES: usize = 512 * 1024;
/// The most rules with `$` of a file; each of them is compiled.
const MOST_ENDS: usize = 1_000;
/// Redirects that are followed, section 2.3.1.2.
const MOST_REDIRECTS: usize = 5;
/// The longest pause between two pages that a file can ask for.
const LONGEST_DELAY: f32 = 10.0;
/// With more hosts than these, those whose file is too old are forgotten.
const MOST_HOSTS: usize = 512;

/// The files of the hosts that were asked.
#[derive(Default)]
pub(super) struct Robots {
    /// Who holds the lock of a host is the one that reads its file.
    hosts: Mutex<HashMap<String, Arc<tokio::sync::Mutex<Option<Known>>>>>,
}

/// What the file of a host says to this program.
struct Known {
    until: Instant,
    /// Nothing where there is no file: everything may be read.
    rules: Option<Robot>,
}

/// What became of the request for a file.
enum Step {
    Rules(Vec<u8>),
    Free,
    Elsewhere(Url),
}

impl Robots {
    /// Whether a page may be read by the program that calls itself `agent`; the pause that its host asks for, if any.
    ///
    /// # Errors
    /// [`HostFault::Robots`] and [`HostFault::RobotsUnknown`]; the faults of a host that cannot be reached at all.
    pub(super) async fn check(&self, web: &OpenWeb, url: &Url, agent: &str) -> Result<Option<Duration>, HostFault> {
        let host = authority(url);
        let place = self.of_host(&format!("{}://{host}", url.scheme()));
        let mut known = place.lock().await;
        let is_new = known.as_ref().is_none_or(|known| known.until <= Instant::now());
        if is_new {
            let rules = read(web, url, agent).await?;
            *known = Some(Known { until: Instant::now() + LONGEST_USE, rules });
        }
        let Some(rules) = known.as_ref().and_then(|known| known.rules.as_ref()) else { return Ok(None) };
        if !rules.allowed(url.as_str()) {
            return Err(HostFault::Robots { host });
        }
        let delay = rules.delay.filter(|seconds| seconds.is_finite() && *seconds > 0.0);
        Ok(delay.map(|seconds| Duration::from_secs_f32(seconds.min(LONGEST_DELAY))))
    }

    fn of_host(&self, host: &str) -> Arc<tokio::sync::Mutex<Option<Known>>> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() >= MOST_HOSTS {
            let now = Instant::now();
            let is_used = |place: &Arc<tokio::sync::Mutex<Option<Known>>>| match place.try_lock() {
                Ok(known) => known.as_ref().is_some_and(|known| known.until > now),
                Err(_) => true,
            };
            hosts.retain(|_, place| is_used(place));
            if hosts.len() >= MOST_HOSTS {
                hosts.clear();
            }
        }
        Arc::clone(hosts.entry(host.to_owned()).or_default())
    }
}

/// The rules of the host of `url`; nothing where everything may be read.
async fn read(web: &OpenWeb, url: &Url, agent: &str) -> Result<Option<Robot>, HostFault> {
    let host = authority(url);
    let unknown = |reason: String| HostFault::RobotsUnknown { host: host.clone(), reason };
    let mut at = url.clone();
    at.set_path("/robots.txt");
    at.set_query(None);
    at.set_fragment(None);
    for _ in 0..=MOST_REDIRECTS {
        let mut request = Request::get(at.clone()).header(ACCEPT_ENCODING, "identity");
        request.cut_at = Some(MOST_BYTES);
        let asked = web.ask_regardless(&request, |reply| step(reply, &request.url)).await;
        let found = match asked {
            Ok(asked) => asked.value,
            // Section 2.3.1.3: a file that is not available forbids nothing.
            Err(HostFault::Refused { status: 400..=499, .. }) => Step::Free,
            // Section 2.3.1.4: a host that fails forbids everything.
            Err(
                fault @ (HostFault::RateLimited { .. } | HostFault::BudgetSpent { .. } | HostFault::Failing { .. }),
            ) => {
                return Err(unknown(fault.to_string()));
            }
            Err(fault) => return Err(fault),
        };
        match found {
            Step::Free => return Ok(None),
            Step::Elsewhere(next) => at = next,
            Step::Rules(body) => {
                if body.iter().filter(|byte| **byte == b'$').count() > MOST_ENDS {
                    return Err(unknown(format!("has more than {MOST_ENDS} rules with `$`")));
                }
                let product = agent.split('/').next().unwrap_or(agent);
                return Robot::new(product, &body).map(Some).map_err(|_| unknown("cannot be read".to_owned()));
            }
        }
    }
    // Section 2.3.1.2 leaves it to the program.
    Ok(None)
}

/// A client would send them to the host.
fn has_credentials(url: &Url) -> bool {
    !url.username().is_empty() || url.password().is_some()
}

fn step(reply: &Reply, from: &Url) -> Result<Step, HostFault> {
    Ok(match reply.status {
        200..=299 => Step::Rules(reply.body.clone()),
        300..=399 => match reply.header(LOCATION.as_str()).and_then(|place| from.join(place).ok()) {
            Some(next) if matches!(next.scheme(), "http" | "https") && !has_credentials(&next) => Step::Elsewhere(next),
            _ => Step::Free,
        },
        _ => Step::Free,
    })
}
