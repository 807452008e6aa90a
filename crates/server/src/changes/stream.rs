//! Changes as server-sent events. The route is of no protocol but the server's own.

use axum::extract::State;
use axum::response::Response;
use futures::future::ready;
use futures::stream::{once, unfold};
use futures::{Stream, StreamExt};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::counts::Listener;
use super::kind::Kind;
use crate::host::Host;
use crate::http::{Frame, Problem, Query, Routes, events};

/// The route of changes.
pub(crate) fn routes() -> Routes<Host> {
    Routes::new("Changes").get("/changes", "Streams which kinds of records changed", changes).streams()
}

#[derive(Deserialize, JsonSchema)]
struct ChangesQuery {
    /// The kinds that are told of, repeated or with commas between: `assistants`, `crons`, `runs`, `store`, `threads`. All
    /// unless set.
    #[serde(default)]
    of: Vec<String>,
}

impl ChangesQuery {
    fn kinds(&self) -> Result<Vec<Kind>, Problem> {
        let words = self.of.iter().flat_map(|words| words.split(',')).map(str::trim).filter(|word| !word.is_empty());
        let read = |word: &str| {
            let known = Kind::ALL.map(Kind::as_str).join(", ");
            let why =
                || Problem::unprocessable(format!("There is no kind `{word}`; the kinds are {known}")).about("of");
            Kind::read(word).ok_or_else(why)
        };
        let kinds = words.map(read).collect::<Result<Vec<_>, _>>()?;
        Ok(if kinds.is_empty() { Kind::ALL.to_vec() } else { kinds })
    }
}

async fn changes(State(host): State<Host>, Query(query): Query<ChangesQuery>) -> Result<Response, Problem> {
    let kinds = query.kinds()?;
    let permit = host.guard.capacity().stream()?;
    Ok(events(&host.guard, permit, frames(host.manager.stores().changes.listen(), kinds)))
}

/// First all kinds, so that whoever opens the stream again reads what it missed; then those that change.
fn frames(listener: Listener, kinds: Vec<Kind>) -> impl Stream<Item = Frame> + Send {
    let all = frame(&kinds);
    let further = unfold((listener, kinds), async |(mut listener, kinds)| {
        loop {
            let mut changed = listener.changed().await?;
            changed.retain(|kind| kinds.contains(kind));
            if !changed.is_empty() {
                return Some((frame(&changed), (listener, kinds)));
            }
        }
    });
    once(ready(all)).chain(further)
}

fn frame(kinds: &[Kind]) -> Frame {
    let words: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
    Frame::encoded("changed", &json!({ "of": words }).to_string(), None)
}
