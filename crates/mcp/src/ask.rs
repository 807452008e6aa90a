//! Requests whose results are read as the server sent them.

use rmcp::model::ClientRequest;
use rmcp::service::{Peer, PeerRequestOptions, RequestHandle, RoleClient, ServiceError};
use serde_json::Value;

use crate::transport::raw;

/// Makes a request and gives its result as the server sent it. Dropping the future tells the server that nobody waits for
/// the answer.
///
/// # Errors
/// Those of the server and of the connection.
pub(crate) async fn ask(peer: &Peer<RoleClient>, request: ClientRequest) -> Result<Value, ServiceError> {
    let handle = peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await?;
    let mut made = CancelOnDrop(Some(handle));
    let answer = match &mut made.0 {
        Some(handle) => (&mut handle.rx).await,
        None => return Err(ServiceError::TransportClosed),
    };
    made.0 = None;
    answer.map_err(|_ended| ServiceError::TransportClosed)?.map(raw)
}

/// A request that was made. Dropped while it is made, it is cancelled at the server.
struct CancelOnDrop(Option<RequestHandle<RoleClient>>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if let Some(handle) = self.0.take()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.spawn(async move {
                let _ = handle.cancel(Some("nobody waits for it any more".to_owned())).await;
            });
        }
    }
}
