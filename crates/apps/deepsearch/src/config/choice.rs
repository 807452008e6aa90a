//! Parameters with few values.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! choices {
    ($($(#[$doc:meta])* $name:ident { $($(#[$inner:meta])* $variant:ident,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
            #[serde(rename_all = "snake_case")]
            pub enum $name {
                $($(#[$inner])* $variant,)*
            }
        )*
    };
}

choices! {
    /// For whom a run is made.
    ExecuteMode {
        /// For customers.
        #[default]
        Commercial,
        /// For anybody.
        General,
    }
    /// Which main graph runs.
    ExecutionMethod {
        /// All sections at the same time.
        #[default]
        Parallel,
        /// Sections build on one another.
        DependencyDriving,
    }
    /// What becomes of a statement that its sources do not support.
    Unsupported {
        /// It stays, with a remark behind it.
        #[default]
        Flag,
        /// It is written anew from its source; where that fails it is flagged.
        Rewrite,
        /// It is taken out.
        Drop,
    }
    /// How the user is asked.
    FeedbackMode {
        /// By payloads.
        Web,
        /// On the terminal.
        #[default]
        Cmd,
    }
    /// Where documents are searched.
    SearchMethod {
        /// In the web.
        #[default]
        Web,
        /// In local documents.
        Local,
        /// In both.
        All,
    }
    /// The order of the dependency-driven team.
    TeamOrder {
        /// Layer by layer: writing of one beside research for the next.
        #[default]
        Layered,
        /// Every section as soon as those that it builds on are done.
        Dataflow,
    }
}
