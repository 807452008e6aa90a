//! How much of the store a thread takes.

use std::collections::BTreeMap;

use graphloom_core_graph::checkpoint::{CheckpointError, Checkpointer, HistoryFilter};
use serde_json::{Value, json};
use uuid::Uuid;

/// How many of something there are, and their bytes.
#[derive(Clone, Copy, Default)]
struct Size {
    count: u64,
    bytes: u64,
}

impl Size {
    fn add(&mut self, bytes: u64) {
        self.count += 1;
        self.bytes += bytes;
    }
}

/// Checkpoints, values by field, and what unfinished tasks have written, of all namespaces of a thread. The bytes of
/// checkpoints and values are those of their MessagePack forms; what is stored once for several is counted for each.
pub(super) async fn measure(store: &dyn Checkpointer, thread: Uuid) -> Result<Value, CheckpointError> {
    let id = thread.to_string();
    let (mut checkpoints, mut values, mut writes) = (Size::default(), Size::default(), Size::default());
    let mut fields: BTreeMap<String, Size> = BTreeMap::new();
    for ns in store.namespaces(&id).await? {
        for row in store.checkpoints(&id, &ns, &HistoryFilter::default()).await? {
            checkpoints.add(rmp_serde::to_vec(&row).map_or(0, |bytes| bytes.len() as u64));
        }
        for record in store.outline(&id, &ns).await? {
            values.add(record.bytes);
            fields.entry(record.field.to_string()).or_default().add(record.bytes);
        }
        for record in store.task_records(&id, &ns).await? {
            writes.add(record.payload.len() as u64);
        }
    }
    let by_field: BTreeMap<_, _> = fields
        .into_iter()
        .map(|(field, size)| (field, json!({ "versions": size.count, "bytes": size.bytes })))
        .collect();
    Ok(json!({
        "thread_id": thread,
        "total_bytes": checkpoints.bytes + values.bytes + writes.bytes,
        "checkpoints": { "count": checkpoints.count, "bytes": checkpoints.bytes },
        "channel_values": { "count": values.count, "bytes": values.bytes, "by_channel": by_field },
        "pending_writes": { "count": writes.count, "bytes": writes.bytes },
    }))
}
