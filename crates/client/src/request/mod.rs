//! What a server is asked: bodies of §3 of the protocol, built field by field. What is not said is left to the server.

mod assistant;
mod cron;
mod run;
mod store;
mod thread;

/// A struct whose fields are optional and are set by methods of their names. The values of `new` always are there.
macro_rules! request {
    (@default $name:ident ()) => {
        impl Default for $name {
            fn default() -> Self {
                Self::new()
            }
        }
    };
    (@default $name:ident ($($first:ident)+)) => {};
    (
        $(#[$meta:meta])*
        $name:ident ($($(#[$given:meta])* $first:ident : $first_type:ty),*) {
            $($(#[$doc:meta])* $field:ident : $kind:ty,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize)]
        #[must_use]
        pub struct $name {
            $($(#[$given])* pub(crate) $first: $first_type,)*
            $(#[serde(skip_serializing_if = "Option::is_none")] pub(crate) $field: Option<$kind>,)*
        }

        impl $name {
            /// A request that says no more than this.
            pub fn new($($first: impl Into<$first_type>),*) -> Self {
                Self { $($first: $first.into(),)* $($field: None,)* }
            }

            $(
                $(#[$doc])*
                pub fn $field(mut self, $field: impl Into<$kind>) -> Self {
                    self.$field = Some($field.into());
                    self
                }
            )*
        }

        request! { @default $name ($($first)*) }
    };
}

pub(crate) use request;

pub use assistant::{AssistantChange, AssistantSearch, NewAssistant};
pub use cron::{CronChange, CronSearch, NewCron};
pub use run::{
    CancelAction, Command, DisconnectMode, Durability, Goto, IfThreadMissing, MultitaskStrategy, NewRun, Nodes,
    RunSearch, StreamMode,
};
pub use store::{ItemSearch, Namespace, NamespaceSearch, NewItem};
pub use thread::{
    HistorySearch, IfExists, NewThread, SortOrder, StateUpdate, ThreadChange, ThreadSearch, Ttl, TtlStrategy,
};
