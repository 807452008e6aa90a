//! Where a run is on its server.

use reqwest::header::{CONTENT_LOCATION, LOCATION};

use crate::transport::{Answer, Call, Transport};
use crate::{ClientError, RunId, ThreadId};

/// Where a run is: on a thread, or on none that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RunPlace {
    pub(crate) thread: Option<ThreadId>,
    pub(crate) run: RunId,
}

impl RunPlace {
    /// The place that an answer names in its headers, §2 of the protocol. The address is made anew of it, so that nothing
    /// is sent to another host.
    ///
    /// # Errors
    /// A place at another host.
    pub(crate) fn named(transport: &Transport, answer: &Answer) -> Result<Option<Self>, ClientError> {
        for name in [LOCATION, CONTENT_LOCATION] {
            let named = answer.response.headers().get(name).and_then(|value| value.to_str().ok());
            if let Some(named) = named
                && let Some(place) = Self::of_path(&transport.own_path(&answer.call, named)?)
            {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    /// The place in a path `[…]/threads/{t}/runs/{r}[/…]` or `[…]/runs/{r}[/…]`.
    fn of_path(path: &str) -> Option<Self> {
        let parts: Vec<_> = path.split('/').collect();
        let runs = parts.iter().rposition(|part| *part == "runs")?;
        let run = parts.get(runs + 1)?.parse().ok()?;
        let thread = match runs.checked_sub(2).map(|threads| (parts[threads], parts[runs - 1])) {
            Some(("threads", thread)) => Some(thread.parse().ok()?),
            _ => None,
        };
        Some(Self { thread, run })
    }

    /// The path of the run.
    pub(crate) fn path(&self, rest: &[&str]) -> Vec<String> {
        let mut path: Vec<_> =
            self.thread.map(|thread| vec!["threads".to_owned(), thread.to_string()]).unwrap_or_default();
        path.extend(["runs".to_owned(), self.run.to_string()]);
        path.extend(rest.iter().map(ToString::to_string));
        path
    }

    /// What its run tells.
    pub(crate) fn stream(&self) -> Call {
        Call::get(self.path(&["stream"]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_place_is_read_out_of_every_form_of_its_path() {
        let (thread, run) = (ThreadId(Uuid::from_u128(1)), RunId(Uuid::from_u128(2)));
        for (path, thread) in [
            (format!("/threads/{thread}/runs/{run}"), Some(thread)),
            (format!("/threads/{thread}/runs/{run}/stream"), Some(thread)),
            (format!("/prefix/runs/threads/{thread}/runs/{run}/join"), Some(thread)),
            (format!("/runs/{run}/stream"), None),
            (format!("/runs/{run}"), None),
        ] {
            assert_eq!(RunPlace::of_path(&path), Some(RunPlace { thread, run }), "{path}");
        }
        for path in ["/", "/runs", "/runs/stream", "/threads/x/runs/y", "/threads/x"] {
            assert_eq!(RunPlace::of_path(path), None, "{path}");
        }
    }
}
