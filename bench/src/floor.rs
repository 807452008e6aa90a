//! The floor: a loop of boxed futures.

use std::hint::black_box;

use futures::future::BoxFuture;

/// Boxes and awaits `steps` futures, each of which adds one.
pub(crate) async fn boxed_futures(steps: u64) -> u64 {
    let mut count = 0;
    for _ in 0..steps {
        let next: BoxFuture<'static, u64> = Box::pin(async move { black_box(count) + 1 });
        count = black_box(next).await;
    }
    count
}
