//! Requests about assistants.

use serde_json::Value;

use super::{IfExists, SortOrder, request};
use crate::AssistantId;

request! {
    /// An assistant to be made.
    NewAssistant(graph_id: String) {
        /// The id that it gets.
        assistant_id: AssistantId,
        /// Its name.
        name: String,
        /// What it is for.
        description: String,
        /// What its runs are configured with.
        config: Value,
        /// What its runs are given beside their input.
        context: Value,
        /// What is noted about it.
        metadata: Value,
        /// What becomes of the request when there is one of this id.
        if_exists: IfExists,
    }
}

request! {
    /// What becomes different in an assistant. Metadata is merged, all else replaced; the version counts up.
    AssistantChange() {
        /// Another graph.
        graph_id: String,
        /// Another name.
        name: String,
        /// Another description.
        description: String,
        /// Another configuration.
        config: Value,
        /// Another context.
        context: Value,
        /// More metadata.
        metadata: Value,
    }
}

request! {
    /// Which assistants are searched for.
    AssistantSearch() {
        /// Those of this graph.
        graph_id: String,
        /// Those with this in their name.
        name: String,
        /// Those whose metadata contain this.
        metadata: Value,
        /// At most so many.
        limit: u64,
        /// After so many.
        offset: u64,
        /// By this field.
        sort_by: String,
        /// In this order.
        sort_order: SortOrder,
    }
}
