//! Where the bytes of documents are kept: in the long-term store of the threads, for each thread by their hash.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use graphloom_core_graph::store::{Expected, Namespace, PutOptions, Query, Store, StoreError};
use graphloom_core_graph::{Context, NodeError};
use serde_json::{Value, json};

use super::artifact::{Artifact, ArtifactError};
use crate::records::RESERVED;

/// How many documents are read at a time.
const PAGE: usize = 20;

/// Keeps a document of the thread, and returns what its state shall say of it: put it into the field `artifacts`. The same
/// document again is kept once.
///
/// # Errors
/// [`ArtifactError`], after which the node is not tried again; the store's.
pub async fn keep<Cx>(
    context: &Context<Cx>,
    name: &str,
    media_type: &str,
    content: impl AsRef<[u8]>,
) -> Result<Artifact, NodeError> {
    let bytes = content.as_ref();
    let artifact = Artifact::new(name, media_type, bytes).map_err(NodeError::terminal)?;
    let no_store = || NodeError::terminal(ArtifactError::NoStore { name: name.to_owned() });
    let store = context.store().ok_or_else(no_store)?;
    let place = place(&context.task().thread)?;
    store.put_if(&place, &artifact.hash, written(bytes), PutOptions::default(), &Expected::Absent).await?;
    Ok(artifact)
}

/// The bytes of a hash; none where they are not kept, or damaged.
pub(super) async fn read(store: &dyn Store, thread: &str, hash: &str) -> Result<Option<Vec<u8>>, StoreError> {
    let item = store.get(&place(thread)?, hash).await?;
    Ok(item.and_then(|item| read_value(item.value)).filter(|bytes| blake3::hash(bytes).to_hex().as_str() == hash))
}

/// Gives a thread the documents of another, of which it is a copy.
pub(crate) async fn copy_all(store: &dyn Store, from: &str, to: &str) -> Result<(), StoreError> {
    let (from, to) = (place(from)?, place(to)?);
    for page in 0.. {
        let items = store.query(&Query::below(from.clone()).limit(PAGE).offset(page * PAGE)).await?;
        let is_last = items.len() < PAGE;
        for item in items {
            store.put(&to, &item.key, item.value, PutOptions::default()).await?;
        }
        if is_last {
            break;
        }
    }
    Ok(())
}

/// Deletes the documents of a thread.
pub(crate) async fn delete_all(store: &dyn Store, thread: &str) -> Result<(), StoreError> {
    let place = place(thread)?;
    loop {
        let items = store.query(&Query::below(place.clone()).limit(PAGE)).await?;
        for item in &items {
            store.delete(&place, &item.key).await?;
        }
        if items.len() < PAGE {
            return Ok(());
        }
    }
}

fn place(thread: &str) -> Result<Namespace, StoreError> {
    Namespace::new([RESERVED, super::ARTIFACTS, thread])
}

/// Texts stay readable in the store.
fn written(bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) => json!({ "text": text }),
        Err(_) => json!({ "base64": STANDARD.encode(bytes) }),
    }
}

fn read_value(mut value: Value) -> Option<Vec<u8>> {
    if let Value::String(text) = value["text"].take() {
        return Some(text.into_bytes());
    }
    STANDARD.decode(value["base64"].as_str()?).ok()
}

#[cfg(test)]
mod tests {
    use graphloom_core_graph::store::MemoryStore;

    use super::*;

    async fn put(store: &MemoryStore, thread: &str, bytes: &[u8]) -> String {
        let hash = blake3::hash(bytes).to_hex().to_string();
        store.put(&place(thread).unwrap(), &hash, written(bytes), PutOptions::default()).await.unwrap();
        hash
    }

    #[tokio::test]
    async fn bytes_come_back_and_follow_their_thread() {
        let store = MemoryStore::new();
        let (text, bytes) = ("Grüße".as_bytes(), [0xff, 0x00, 0xfe].as_slice());
        let hashes = [put(&store, "one", text).await, put(&store, "one", bytes).await];
        for number in 0..2 * PAGE {
            put(&store, "one", number.to_string().as_bytes()).await;
        }
        copy_all(&store, "one", "two").await.unwrap();
        delete_all(&store, "one").await.unwrap();
        for (hash, expected) in hashes.iter().zip([text, bytes]) {
            assert_eq!(read(&store, "one", hash).await.unwrap(), None);
            assert_eq!(read(&store, "two", hash).await.unwrap().as_deref(), Some(expected));
        }
        assert_eq!(store.query(&Query::below(place("two").unwrap()).limit(1_000)).await.unwrap().len(), 2 + 2 * PAGE);
    }

    #[tokio::test]
    async fn what_was_damaged_is_not_given_out() {
        let store = MemoryStore::new();
        let hash = put(&store, "one", b"right").await;
        store.put(&place("one").unwrap(), &hash, written(b"wrong"), PutOptions::default()).await.unwrap();
        assert_eq!(read(&store, "one", &hash).await.unwrap(), None);
    }
}
