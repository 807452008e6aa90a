//! The shapes: what each is, and what must come out of it for its row to count.

mod behind;
mod cold;
mod cores;
mod curves;
mod diamond;
mod events;
mod fan;
mod flat;
mod full;
mod growth;
mod guarded;
mod history;
mod line;
mod paths;
mod resume;
mod suspended;
mod threads;
mod wide;

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use graphloom_core_graph::checkpoint::Checkpointer;
use graphloom_core_graph::{App, Outcome, State};

pub(crate) use self::cold::start as start_cold;
pub(crate) use self::curves::measure as measure_curves;
pub(crate) use self::flat::names as flat_names;
pub(crate) use self::full::run as run_full;
pub(crate) use self::growth::LETTERS as PAYLOAD;
pub(crate) use self::guarded::GUARDS;
use crate::Failure;
use crate::measure::{Measurements, OnStore};

/// Measures every shape that is wanted, in the order of the table.
pub(crate) async fn measure(bench: &mut Measurements) -> Result<(), Failure> {
    line::measure(bench).await?;
    fan::measure(bench).await?;
    wide::measure(bench).await?;
    resume::measure(bench).await?;
    history::measure(bench).await?;
    threads::measure(bench).await?;
    growth::measure(bench).await?;
    events::measure(bench).await?;
    cores::measure(bench).await?;
    suspended::measure(bench).await
}

/// Measures what guards cost, the shapes that are to be flat, and what fast paths gain.
pub(crate) async fn measure_ratios(bench: &mut Measurements) -> Result<(), Failure> {
    guarded::measure(bench).await?;
    flat::measure(bench).await?;
    behind::measure(bench).await?;
    paths::measure(bench).await
}

/// Measures the shapes that need a runtime or a process of their own.
pub(crate) fn measure_apart(bench: &mut Measurements) -> Result<(), Failure> {
    diamond::measure(bench)?;
    cold::measure(bench)
}

/// A run without a store, and a check of its result.
fn once<S: State + std::fmt::Debug>(
    app: App<S>,
    right: fn(&S) -> bool,
) -> impl Fn() -> BoxFuture<'static, Result<(), Failure>> + Send + Sync + 'static
where
    S::Update: Default,
{
    let app = Arc::new(app);
    move || {
        let app = Arc::clone(&app);
        async move { check(app.run_once(S::Update::default()).await?, right) }.boxed()
    }
}

/// A run of one thread, and a check of its result.
fn stored<S: State + std::fmt::Debug>(app: App<S>, right: fn(&S) -> bool) -> OnStore
where
    S::Update: Default,
{
    Arc::new(move |store: Arc<dyn Checkpointer>| {
        let thread = app.with_shared_checkpointer(store).thread("bench");
        async move { check(thread.run(S::Update::default()).await?, right) }.boxed()
    })
}

/// So many letters: a beginning, a number, and zeros between them. A node is to cost little beside what is measured.
fn filled(begins: &str, number: u64, letters: usize) -> String {
    let digits = number.to_string();
    let mut text = Vec::with_capacity(letters);
    text.extend_from_slice(begins.as_bytes());
    text.resize(letters.saturating_sub(digits.len()).max(begins.len()), b'0');
    text.extend_from_slice(digits.as_bytes());
    String::from_utf8(text).unwrap_or_default()
}

/// A wrong result is no result.
fn check<S: State + std::fmt::Debug>(outcome: Outcome<S>, right: fn(&S) -> bool) -> Result<(), Failure> {
    let state = outcome.done()?;
    if right(&state) { Ok(()) } else { Err(format!("the run ended in the wrong state: {state:?}").into()) }
}
