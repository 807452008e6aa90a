//! A cache of the replies of hosts.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use http_cache_semantics::{AfterResponse, BeforeRequest, CacheOptions, CachePolicy};
use reqwest::Method;
use reqwest::header::{AGE, HeaderMap, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH};
use tokio::time::Instant;

use super::transport::{Reply, Request};

/// The most answers in the cache.
const MOST: usize = 256;

/// What stands for more seconds in an `Age`, RFC 9111 section 1.2.2.
const MOST_SECONDS: u64 = 1 << 31;

/// Longer bodies are not cached.
const LONGEST: usize = 1024 * 1024;

/// Replies by request, in this process only. An answer is used again for as long as the gateway remembers answers, and
/// beyond that as RFC 9111 lets the cache of one user do it.
#[derive(Default)]
pub(super) struct ResponseCache {
    replies: Mutex<HashMap<String, Cached>>,
}

#[derive(Clone)]
struct Cached {
    reply: Reply,
    /// Until when it is used whatever the host says.
    kept_until: Instant,
    since: Instant,
    /// What the host says; nothing for what is not got, or not to be stored.
    policy: Option<CachePolicy>,
}

/// What the cache has for a request.
pub(super) enum Lookup {
    Nothing,
    /// It is as good as a new answer.
    Fresh(Reply),
    /// The host may say that it still holds.
    Stale(Box<Stale>),
}

/// An answer that may still hold, with the headers that ask whether it does.
pub(super) struct Stale {
    pub(super) conditions: HeaderMap,
    cached: Cached,
}

impl ResponseCache {
    pub(super) fn get(&self, request: &Request, now: SystemTime) -> Lookup {
        let Some(cached) = self.replies().get(&request.identity()).cloned() else { return Lookup::Nothing };
        if cached.kept_until > Instant::now() {
            return Lookup::Fresh(cached.reply);
        }
        let asked =
            cached.policy.as_ref().zip(parts(request)).map(|(policy, parts)| policy.before_request(&parts, now));
        match asked {
            Some(BeforeRequest::Fresh(_)) => Lookup::Fresh(cached.reply),
            Some(BeforeRequest::Stale { request, matches: true }) => {
                let named = [IF_NONE_MATCH, IF_MODIFIED_SINCE].into_iter();
                let conditions: HeaderMap =
                    named.filter_map(|name| request.headers.get(&name).cloned().map(|value| (name, value))).collect();
                if conditions.is_empty() {
                    Lookup::Nothing
                } else {
                    Lookup::Stale(Box::new(Stale { conditions, cached }))
                }
            }
            _ => Lookup::Nothing,
        }
    }

    /// The answer that still holds, where `reply` says so.
    pub(super) fn confirmed(stale: Stale, request: &Request, reply: &Reply, now: SystemTime) -> Option<Reply> {
        let (policy, parts) = stale.cached.policy.as_ref().zip(parts(request))?;
        match policy.after_response(&parts, &response(reply)?, now) {
            AfterResponse::NotModified(_, new) => Some(Reply { headers: new.headers, ..stale.cached.reply }),
            // A host that does not repeat the validator means the one that it was sent.
            AfterResponse::Modified(..) if reply.status == 304 => Some(stale.cached.reply),
            AfterResponse::Modified(..) => None,
        }
    }

    /// Keeps an answer: for `how_long` whatever the host says, and where `revalidated` as the host says.
    pub(super) fn insert(
        &self,
        request: &Request,
        reply: Reply,
        how_long: Duration,
        revalidated: bool,
        now: SystemTime,
    ) {
        if reply.body.len() > LONGEST {
            return;
        }
        let policy = if revalidated { policy(request, &reply, now) } else { None };
        if how_long.is_zero() && policy.is_none() {
            return;
        }
        let since = Instant::now();
        let mut replies = self.replies();
        if replies.len() >= MOST {
            replies.retain(|_, cached| cached.kept_until > since || cached.policy.is_some());
        }
        if replies.len() >= MOST
            && let Some(oldest) =
                replies.iter().min_by_key(|(_, cached)| cached.since).map(|(request, _)| request.clone())
        {
            replies.remove(&oldest);
        }
        replies.insert(request.identity(), Cached { reply, kept_until: since + how_long, since, policy });
    }

    fn replies(&self) -> MutexGuard<'_, HashMap<String, Cached>> {
        self.replies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The rules of an answer that is worth keeping: one that is fresh for a while, or can be asked about.
fn policy(request: &Request, reply: &Reply, now: SystemTime) -> Option<CachePolicy> {
    let options = CacheOptions { shared: false, ..CacheOptions::default() };
    let policy = CachePolicy::new_options(&parts(request)?, &response(reply)?, now, options);
    let can_be_asked_about = reply.headers.contains_key("etag") || reply.headers.contains_key("last-modified");
    (policy.is_storable() && (can_be_asked_about || !policy.time_to_live(now).is_zero())).then_some(policy)
}

/// A request that gets something, in the form of the rules.
fn parts(request: &Request) -> Option<http::request::Parts> {
    if request.body.is_some() {
        return None;
    }
    let mut made = http::Request::builder().method(Method::GET).uri(request.url.as_str()).body(()).ok()?;
    made.headers_mut().clone_from(&request.headers);
    Some(made.into_parts().0)
}

fn response(reply: &Reply) -> Option<http::response::Parts> {
    let mut made = http::Response::builder().status(reply.status).body(()).ok()?;
    made.headers_mut().clone_from(&reply.headers);
    // The rules add to it, and a sum that no duration holds is a panic. RFC 9111 section 1.2.2 names the value for more
    // than can be counted.
    if reply.header("age").and_then(|age| age.parse::<u64>().ok()).is_some_and(|age| age > MOST_SECONDS) {
        made.headers_mut().insert(AGE, HeaderValue::from(MOST_SECONDS));
    }
    Some(made.into_parts().0)
}
