//! Answers of a host that are still good.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::transport::Reply;

/// The most answers that are kept.
const MOST: usize = 128;

/// Longer bodies are not kept.
const LONGEST: usize = 1024 * 1024;

/// Answers by request, in this process only.
#[derive(Default)]
pub(super) struct Memory {
    kept: Mutex<HashMap<String, (Instant, Reply)>>,
}

impl Memory {
    pub(super) fn recall(&self, request: &str) -> Option<Reply> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (until, reply) = kept.get(request)?;
        (*until > Instant::now()).then(|| reply.clone())
    }

    pub(super) fn keep(&self, request: &str, reply: Reply, how_long: Duration) {
        if how_long.is_zero() || reply.body.len() > LONGEST {
            return;
        }
        let now = Instant::now();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST {
            kept.retain(|_, (until, _)| *until > now);
        }
        if kept.len() >= MOST
            && let Some(oldest) = kept.iter().min_by_key(|(_, (until, _))| *until).map(|(request, _)| request.clone())
        {
            kept.remove(&oldest);
        }
        kept.insert(request.to_owned(), (now + how_long, reply));
    }
}
