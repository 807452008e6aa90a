//! Whether the answer to a call is that of a model in the place of another one.
//!
//! Layers between a [`Fallback`](super::Fallback) and the one that wants to know are passed by.

use std::cell::Cell;
use std::future::Future;

tokio::task_local! {
    static STOOD_IN: Cell<bool>;
}

/// The outcome of a call, and whether a model gave it that is not the first of its chain.
pub(in super::super) async fn noticed<T>(call: impl Future<Output = T>) -> (T, bool) {
    let noticed = STOOD_IN.scope(Cell::new(false), async { (call.await, STOOD_IN.with(Cell::get)) }).await;
    if noticed.1 {
        // Whoever is further out may want to know, too.
        answered();
    }
    noticed
}

/// Another model than the first of a chain has answered.
pub(super) fn answered() {
    let _ = STOOD_IN.try_with(|stood_in| stood_in.set(true));
}
