//! What is done to its end, though the client that asked for it goes away.

use crate::refusal::Refusal;

/// Does something of several steps to its end: the request's own task is dropped, in the middle of whatever it waits for, when
/// its client goes away.
///
/// # Errors
/// Those of the work; [`Refusal::Failed`] where it panics.
pub(crate) async fn detached<T, E>(work: impl Future<Output = Result<T, E>> + Send + 'static) -> Result<T, E>
where
    T: Send + 'static,
    E: From<Refusal> + Send + 'static,
{
    let failed = |error| E::from(Refusal::Failed(format!("internal fault, please report it: {error}")));
    tokio::spawn(work).await.unwrap_or_else(|error| Err(failed(error)))
}
