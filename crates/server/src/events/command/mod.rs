//! Commands: what a client wants done on a thread, over HTTP or over a socket.
//!
//! | commands | where |
//! | --- | --- |
//! | `run.start` | `run_start.rs` |
//! | `input.respond` | `respond.rs` |
//! | `input.inject` | `inject.rs` |
//! | `agent.getTree` | `tree.rs` |
//! | `state.get`, `state.listCheckpoints` | `state.rs` |
//! | `state.fork` | `fork.rs` |
//! | `subscription.…` | the socket's: [`super::socket`] |

mod error;
mod fork;
mod inject;
mod respond;
mod run_start;
mod state;
mod thread;
mod tree;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use uuid::Uuid;

pub(super) use error::{CommandError, ErrorCode};
pub(super) use tree::statuses;

use super::event::last_seq_of;
use crate::host::Host;
use crate::http::{Caller, Scope};

/// A command as it came.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Command {
    pub(super) id: u64,
    pub(super) method: String,
    pub(super) params: Map<String, Value>,
}

/// What is no command.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("a command is an object with `id`, a whole number, `method`, a text, and `params`, an object: {reason}")]
pub(super) struct Malformed {
    reason: &'static str,
    /// The id, where there is one.
    id: Option<u64>,
}

/// What came of a command.
#[derive(Debug, PartialEq)]
pub(super) struct Success {
    pub(super) result: Value,
    /// Of a command that starts a run, the newest entry of the log before the run.
    before: Option<u64>,
}

/// Who sends commands, and on which way.
#[derive(Clone)]
pub(super) struct Sender {
    pub(super) caller: Caller,
    /// Whether the namespace of a question is checked when it is answered: clients that answer over HTTP may not know it.
    pub(super) checks_namespaces: bool,
}

impl Command {
    /// Reads a command.
    ///
    /// # Errors
    /// [`Malformed`].
    pub(super) fn read(value: Value) -> Result<Self, Malformed> {
        let Value::Object(mut fields) = value else {
            return Err(Malformed { reason: "it is no object", id: None });
        };
        let id = fields.get("id").and_then(Value::as_u64);
        let malformed = |reason| Malformed { reason, id };
        let id = id.ok_or_else(|| malformed("it has no such `id`"))?;
        let Some(Value::String(method)) = fields.remove("method") else {
            return Err(malformed("it has no such `method`"));
        };
        let params = match fields.remove("params") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(params)) => params,
            Some(_) => return Err(malformed("its `params` are no object")),
        };
        Ok(Self { id, method, params })
    }

    /// The parameters as a `T`.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArgument`] with the name of the parameter.
    pub(super) fn params<T: DeserializeOwned>(&self) -> Result<T, CommandError> {
        serde_path_to_error::deserialize(Value::Object(self.params.clone())).map_err(|error| {
            let path = error.path().to_string();
            let place = if path == "." { "`params`".to_owned() } else { format!("`params.{path}`") };
            CommandError::new(ErrorCode::InvalidArgument, format!("{place}: {}", error.into_inner()))
        })
    }

    /// What the command needs, by its name; none for one that is not known.
    fn scope(&self) -> Option<Scope> {
        match self.method.as_str() {
            "run.start" | "input.respond" | "input.inject" | "state.fork" => Some(Scope::Run),
            "agent.getTree" | "state.get" | "state.listCheckpoints" => Some(Scope::Read),
            _ if self.is_subscription() => Some(Scope::Read),
            _ => None,
        }
    }

    /// Whether it is about the subscriptions of a socket.
    pub(super) fn is_subscription(&self) -> bool {
        matches!(self.method.as_str(), "subscription.subscribe" | "subscription.unsubscribe" | "subscription.reconnect")
    }

    /// Does what the command says.
    ///
    /// # Errors
    /// What a client is told in the place of a result.
    pub(super) async fn run(&self, host: &Host, thread: Uuid, sender: &Sender) -> Result<Success, CommandError> {
        let scope = self.scope().ok_or_else(|| {
            CommandError::new(ErrorCode::UnknownCommand, format!("there is no command `{}`", self.method))
        })?;
        if !sender.caller.may(scope) {
            let message = format!("`{}` needs a key with the scope `{}`", self.method, scope.as_str());
            return Err(CommandError::new(ErrorCode::PermissionDenied, message));
        }
        match self.method.as_str() {
            "run.start" => run_start::start(host, thread, self.params()?).await,
            "input.respond" => respond::respond(host, thread, self.params()?, sender.checks_namespaces).await,
            "input.inject" => inject::inject(host, thread, self.params()?).await,
            "state.fork" => fork::fork(host, thread, self.params()?).await,
            "state.get" => state::get(host, thread, self.params()?).await,
            "state.listCheckpoints" => state::list(host, thread, self.params()?).await,
            "agent.getTree" => tree::tree(host, thread, self.params()?).await,
            _ => Err(CommandError::new(
                ErrorCode::NotSupported,
                format!("`{}` is a command of sockets: send it over a WebSocket", self.method),
            )),
        }
    }
}

impl Success {
    pub(super) fn of(result: Value) -> Self {
        Self { result, before: None }
    }

    /// The result of a command that starts a run behind this entry of the log.
    fn of_run(result: Value, before: u64) -> Self {
        Self { result, before: Some(before) }
    }
}

/// The answer to a command.
pub(super) fn answer(id: u64, outcome: Result<Success, CommandError>) -> Value {
    match outcome {
        Ok(Success { result, before: None }) => json!({ "type": "success", "id": id, "result": result }),
        // What a client is told up to here was there before its run.
        Ok(Success { result, before: Some(before) }) => json!({
            "type": "success",
            "id": id,
            "result": result,
            "meta": { "applied_through_seq": last_seq_of(before) },
        }),
        Err(error) => error.answer(Some(id)),
    }
}

impl Malformed {
    /// The answer to what is no command.
    pub(super) fn answer(&self) -> Value {
        CommandError::new(ErrorCode::InvalidArgument, self.to_string()).answer(self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_has_a_number_a_method_and_an_object_of_parameters() {
        let read =
            |value: Value| Command::read(value).map(|command| command.params.len()).map_err(|error| error.reason);
        let cases = [
            (json!({"id": 1, "method": "m"}), Ok(0)),
            (json!({"id": 1, "method": "m", "params": null}), Ok(0)),
            (json!({"id": 1, "method": "m", "params": {"a": 1}}), Ok(1)),
            (json!([]), Err("it is no object")),
            (json!({"x": 1}), Err("it has no such `id`")),
            (json!({"id": "one", "method": "m"}), Err("it has no such `id`")),
            (json!({"id": -1, "method": "m"}), Err("it has no such `id`")),
            (json!({"id": 1}), Err("it has no such `method`")),
            (json!({"id": 1, "method": "m", "params": []}), Err("its `params` are no object")),
        ];
        for (value, expected) in cases {
            assert_eq!(read(value.clone()), expected, "{value}");
        }
    }
}
