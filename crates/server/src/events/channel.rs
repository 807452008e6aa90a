//! What a client asks to be told: channels, namespaces, and from where on.

use schemars::JsonSchema;
use serde::Deserialize;

/// A kind of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Channel {
    /// The state after each commit.
    Values,
    /// What each task wrote.
    Updates,
    /// Messages while they are written, in blocks.
    Messages,
    /// Calls of tools, and what came of them.
    Tools,
    /// Runs and subgraphs that begin and end.
    Lifecycle,
    /// Questions that wait for an answer.
    Input,
    /// Commits.
    Checkpoints,
    /// Tasks that begin and end.
    Tasks,
    /// What nodes tell.
    Custom,
    /// Attempts of tasks, why they are tried again, calls of models, warnings and lost events. The channel is this server's
    /// own: the protocol has none for them.
    Trace,
}

/// All channels.
const CHANNELS: [Channel; 10] = [
    Channel::Values,
    Channel::Updates,
    Channel::Messages,
    Channel::Tools,
    Channel::Lifecycle,
    Channel::Input,
    Channel::Checkpoints,
    Channel::Tasks,
    Channel::Custom,
    Channel::Trace,
];

/// What a client sends to ask for events. The names are those of the protocol (`SubscribeParams`, `EventStreamRequest`).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(super) struct SubscriptionRequest {
    /// `values`, `updates`, `messages`, `tools`, `lifecycle`, `input`, `checkpoints`, `tasks`, `custom`, `custom:<name>` or
    /// `trace`.
    channels: Vec<String>,
    /// Only events in these namespaces or below; all where there are none.
    #[serde(default)]
    namespaces: Option<Vec<Vec<String>>>,
    /// How far below these namespaces; 0 is not at all.
    #[serde(default)]
    depth: Option<usize>,
    /// Only events after the one of this `seq`.
    #[serde(default)]
    pub(super) since: Option<u64>,
    /// Whether the beginning of a task has the state that a commit before it made as its `input`; true unless set. That state
    /// can be read at the checkpoint, and takes the square of its size where it grows. What a send gave, and the state that a
    /// run began with, are told in any case. The field is this server's own.
    #[serde(default)]
    task_states: Option<bool>,
}

/// What a client asked to be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Subscription {
    channels: Vec<Channel>,
    /// The names of custom events that are asked for one by one.
    custom: Vec<String>,
    namespaces: Vec<Vec<String>>,
    depth: Option<usize>,
    pub(super) since: u64,
    task_states: bool,
}

/// A channel that is none.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{channel}` is no channel; channels: {}, custom:<name>", all_names())]
pub(super) struct UnknownChannel {
    channel: String,
}

/// Where an event belongs, before it is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Address<'e> {
    pub(super) seq: u64,
    pub(super) channel: Channel,
    /// The name of a custom event that has one.
    pub(super) custom: Option<&'e str>,
    pub(super) namespace: &'e [String],
    /// Whether it is not the event that is asked about, but the state in it that a commit made.
    pub(super) is_state: bool,
}

impl Channel {
    /// Its name, as clients ask for it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Values => "values",
            Self::Updates => "updates",
            Self::Messages => "messages",
            Self::Tools => "tools",
            Self::Lifecycle => "lifecycle",
            Self::Input => "input",
            Self::Checkpoints => "checkpoints",
            Self::Tasks => "tasks",
            Self::Custom => "custom",
            Self::Trace => "trace",
        }
    }

    /// The method of its events.
    pub(super) fn method(self) -> &'static str {
        if self == Self::Input { "input.requested" } else { self.name() }
    }
}

fn all_names() -> String {
    CHANNELS.map(Channel::name).join(", ")
}

impl TryFrom<SubscriptionRequest> for Subscription {
    type Error = UnknownChannel;

    fn try_from(request: SubscriptionRequest) -> Result<Self, UnknownChannel> {
        let (mut channels, mut custom) = (Vec::new(), Vec::new());
        for name in request.channels {
            if let Some(channel) = CHANNELS.into_iter().find(|channel| channel.name() == name) {
                channels.push(channel);
            } else if let Some(of_name) = name.strip_prefix("custom:").filter(|name| !name.is_empty()) {
                custom.push(of_name.to_owned());
            } else {
                return Err(UnknownChannel { channel: name.chars().take(64).collect() });
            }
        }
        Ok(Self {
            channels,
            custom,
            namespaces: request.namespaces.unwrap_or_default(),
            depth: request.depth,
            since: request.since.unwrap_or_default(),
            task_states: request.task_states.unwrap_or(true),
        })
    }
}

impl Subscription {
    /// Whether an event is one of those that were asked for.
    pub(super) fn wants(&self, event: &Address<'_>) -> bool {
        let is_named = || event.custom.is_some_and(|name| self.custom.iter().any(|wanted| wanted == name));
        event.seq > self.since
            && (self.task_states || !event.is_state)
            && (self.channels.contains(&event.channel) || is_named())
            && (self.namespaces.is_empty()
                || self.namespaces.iter().any(|prefix| self.reaches(prefix, event.namespace)))
    }

    /// Whether any event that is asked for tells a state that a commit made.
    pub(super) fn wants_states(&self) -> bool {
        self.channels.contains(&Channel::Values) || self.task_states && self.channels.contains(&Channel::Tasks)
    }

    fn reaches(&self, prefix: &[String], namespace: &[String]) -> bool {
        is_below(namespace, prefix) && self.depth.is_none_or(|depth| namespace.len() - prefix.len() <= depth)
    }
}

/// Whether a namespace is this one or below it. A segment without the id of its task means the tasks of its node all.
pub(super) fn is_below(namespace: &[String], prefix: &[String]) -> bool {
    let fits = |(segment, wanted): (&String, &String)| {
        segment == wanted || segment.split_once(':').is_some_and(|(node, _)| node == wanted)
    };
    prefix.len() <= namespace.len() && namespace.iter().zip(prefix).all(fits)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn asked(request: Value) -> Result<Subscription, UnknownChannel> {
        serde_json::from_value::<SubscriptionRequest>(request).expect("a request").try_into()
    }

    #[test]
    fn events_are_chosen_by_channel_namespace_depth_and_number() {
        let child = ["child:1".to_owned()];
        let grand = ["child:1".to_owned(), "grand:2".to_owned()];
        let (root, child, grand): (&[String], &[String], &[String]) = (&[], &child, &grand);
        let all = vec![root, child, grand];
        let cases = [
            (json!({"channels": ["values"]}), all.clone()),
            (json!({"channels": ["values"], "namespaces": []}), all.clone()),
            (json!({"channels": ["values"], "namespaces": [[]]}), all),
            (json!({"channels": ["values"], "namespaces": [[]], "depth": 0}), vec![root]),
            (json!({"channels": ["values"], "namespaces": [[]], "depth": 1}), vec![root, child]),
            (json!({"channels": ["values"], "namespaces": [["child"]]}), vec![child, grand]),
            (json!({"channels": ["values"], "namespaces": [["child:1"]], "depth": 0}), vec![child]),
            (json!({"channels": ["values"], "namespaces": [["child:2"]]}), vec![]),
            (json!({"channels": ["values"], "namespaces": [["child:1:"]]}), vec![]),
            (json!({"channels": ["values"], "namespaces": [["other"], ["child", "grand"]]}), vec![grand]),
            (json!({"channels": ["updates"]}), vec![]),
            (json!({"channels": ["values"], "since": 7}), vec![]),
        ];
        for (request, expected) in cases {
            let subscription = asked(request.clone()).expect("a subscription");
            let found: Vec<&[String]> = [root, child, grand]
                .into_iter()
                .filter(|namespace| {
                    let channel = Channel::Values;
                    subscription.wants(&Address { seq: 7, channel, custom: None, namespace, is_state: false })
                })
                .collect();
            assert_eq!(found, expected, "{request}");
        }
    }

    #[test]
    fn custom_events_are_chosen_by_name_or_all() {
        let cases = [
            (json!(["custom"]), [true, true, true]),
            (json!(["custom:a"]), [false, true, false]),
            (json!(["custom:a", "custom:b"]), [false, true, true]),
            (json!(["values"]), [false, false, false]),
        ];
        for (channels, expected) in cases {
            let subscription = asked(json!({"channels": channels})).expect("a subscription");
            let found = [None, Some("a"), Some("b")].map(|custom| {
                subscription.wants(&Address {
                    seq: 1,
                    channel: Channel::Custom,
                    custom,
                    namespace: &[],
                    is_state: false,
                })
            });
            assert_eq!(found, expected, "{channels}");
        }
    }

    #[test]
    fn a_channel_that_is_none_is_refused() {
        for channel in ["no_such", "custom:", "input.requested", ""] {
            let error = asked(json!({"channels": ["values", channel]})).expect_err("a refusal").to_string();
            assert!(error.starts_with(&format!("`{channel}` is no channel; channels: values, updates")), "{error}");
        }
    }
}
