//! Answers of a host that are still good.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use reqwest::Url;
use tokio::time::Instant;

use super::transport::Reply;

/// The most answers that are kept.
const MOST: usize = 128;

/// Longer bodies are not kept.
const LONGEST: usize = 1024 * 1024;

/// Answers by address, in this process only.
#[derive(Default)]
pub(super) struct Memory {
    kept: Mutex<HashMap<String, (Instant, Reply)>>,
}

impl Memory {
    pub(super) fn recall(&self, url: &Url) -> Option<Reply> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (until, reply) = kept.get(url.as_str())?;
        (*until > Instant::now()).then(|| reply.clone())
    }

    pub(super) fn keep(&self, url: &Url, reply: Reply, how_long: Duration) {
        if how_long.is_zero() || reply.body.len() > LONGEST {
            return;
        }
        let now = Instant::now();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST {
            kept.retain(|_, (until, _)| *until > now);
        }
        if kept.len() >= MOST
            && let Some(oldest) = kept.iter().min_by_key(|(_, (until, _))| *until).map(|(url, _)| url.clone())
        {
            kept.remove(&oldest);
        }
        kept.insert(url.as_str().to_owned(), (now + how_long, reply));
    }
}
