//! A cache of a host's replies.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::transport::Reply;

/// The most answers in the cache.
const MOST: usize = 128;

/// Longer bodies are not cached.
const LONGEST: usize = 1024 * 1024;

/// Replies by request, each until its time of expiry, in this process only.
#[derive(Default)]
pub(super) struct ResponseCache {
    replies: Mutex<HashMap<String, (Instant, Reply)>>,
}

impl ResponseCache {
    pub(super) fn get(&self, request: &str) -> Option<Reply> {
        let replies = self.replies.lock().unwrap_or_else(PoisonError::into_inner);
        let (until, reply) = replies.get(request)?;
        (*until > Instant::now()).then(|| reply.clone())
    }

    pub(super) fn insert(&self, request: &str, reply: Reply, how_long: Duration) {
        if how_long.is_zero() || reply.body.len() > LONGEST {
            return;
        }
        let now = Instant::now();
        let mut replies = self.replies.lock().unwrap_or_else(PoisonError::into_inner);
        if replies.len() >= MOST {
            replies.retain(|_, (until, _)| *until > now);
        }
        if replies.len() >= MOST
            && let Some(oldest) =
                replies.iter().min_by_key(|(_, (until, _))| *until).map(|(request, _)| request.clone())
        {
            replies.remove(&oldest);
        }
        replies.insert(request.to_owned(), (now + how_long, reply));
    }
}
