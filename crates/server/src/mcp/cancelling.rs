//! A request that is cancelled cancels its run.
//!
//! Over HTTP of 2026-07-28 a client cancels by closing its connection. All other clients send a notification: a session
//! that ends, or is closed because nothing happened for long, leaves its runs alone. A server that stops leaves them, too.

use std::sync::Arc;

use dashmap::DashMap;
use http::request::Parts;
use rmcp::RoleServer;
use rmcp::model::{ProtocolVersion, RequestId};
use rmcp::service::RequestContext;
use tokio::sync::Notify;

use crate::http::Guard;

/// The requests of one client that are under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Requests {
    under_way: Arc<DashMap<RequestId, Arc<Notify>>>,
}

/// One request that is under way.
#[derive(Debug)]
pub(super) struct Cancelling {
    requests: Requests,
    id: RequestId,
    asked: Arc<Notify>,
}

impl Requests {
    /// Takes up a request, until what is returned is dropped.
    pub(super) fn enter(&self, id: &RequestId) -> Cancelling {
        let asked = Arc::new(Notify::new());
        self.under_way.insert(id.clone(), Arc::clone(&asked));
        Cancelling { requests: self.clone(), id: id.clone(), asked }
    }

    /// The client wants a request to stop.
    pub(super) fn cancel(&self, id: &RequestId) {
        if let Some(asked) = self.under_way.get(id) {
            asked.notify_one();
        }
    }
}

impl Cancelling {
    /// Returns when the client wants the request to stop.
    pub(super) async fn asked(&self, context: &RequestContext<RoleServer>, guard: &Guard) {
        if !is_by_itself(context) {
            return self.asked.notified().await;
        }
        context.ct.cancelled().await;
        let stops = tokio::select! {
            biased;
            () = guard.draining() => true,
            () = std::future::ready(()) => false,
        };
        if stops {
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for Cancelling {
    fn drop(&mut self) {
        self.requests.under_way.remove(&self.id);
    }
}

/// Whether a client speaks 2026-07-28 or later.
pub(super) fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// Whether a request has a connection of its own, whose end cancels it.
fn is_by_itself(context: &RequestContext<RoleServer>) -> bool {
    is_modern(context) && context.extensions.get::<Parts>().is_some()
}
