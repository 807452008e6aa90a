//! What a client carries between a question and its answer: sealed, so that it can neither be read nor forged.
//!
//! `XChaCha20-Poly1305` with a random nonce, bound to the assistant whose tool was called. The key is made once and kept with
//! the server's records, so that a process that comes later, or stands beside, opens what this one sealed.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead, Generate, KeyInit, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::records::ProtocolData;
use crate::refusal::Refusal;

/// What goes before everything that is bound, so that no other seal of the same key is taken for this one.
const DOMAIN: &[u8] = b"graphloom mcp request state 1\0";

/// Bytes of a nonce.
const NONCE: usize = 24;

/// Questions of a thread that wait for their answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Waiting {
    pub(super) thread: Uuid,
    /// The ids of the questions.
    pub(super) interrupts: Vec<String>,
}

/// Seals and opens.
#[derive(Clone)]
pub(super) struct Seal {
    cipher: XChaCha20Poly1305,
}

/// A text that was not sealed here for this assistant, or was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`requestState` is not one that this server gave for this tool; call the tool again without it")]
pub(super) struct NotOurs;

impl Seal {
    /// The seal of a server's records; the key is made where there is none.
    ///
    /// # Errors
    /// The store's; [`Refusal::Failed`] for a key that cannot be made or is damaged.
    pub(super) async fn load(records: &ProtocolData) -> Result<Self, Refusal> {
        let fresh = Key::try_generate().map_err(|error| Refusal::Failed(format!("no key can be made: {error}")))?;
        let fresh = Value::String(URL_SAFE_NO_PAD.encode(fresh));
        let text = records.get_or_put(["mcp", "keys"], "request_state", fresh).await?;
        let key = text.as_str().and_then(|text| URL_SAFE_NO_PAD.decode(text).ok());
        let cipher = key.and_then(|key| XChaCha20Poly1305::new_from_slice(&key).ok());
        let cipher = cipher.ok_or_else(|| Refusal::Failed("the key of request states is damaged".to_owned()))?;
        Ok(Self { cipher })
    }

    /// Seals what waits, for an assistant.
    ///
    /// # Errors
    /// [`Refusal::Failed`] where the system gives no random bytes.
    pub(super) fn close(&self, assistant: Uuid, waiting: &Waiting) -> Result<String, Refusal> {
        let failed = |error: String| Refusal::Failed(format!("a request state cannot be sealed: {error}"));
        let message = serde_json::to_vec(waiting).map_err(|error| failed(error.to_string()))?;
        let nonce = XNonce::try_generate().map_err(|error| failed(error.to_string()))?;
        let payload = Payload { msg: &message, aad: &bound(assistant) };
        let sealed = self.cipher.encrypt(&nonce, payload).map_err(|error| failed(error.to_string()))?;
        Ok(URL_SAFE_NO_PAD.encode([nonce.as_slice(), &sealed].concat()))
    }

    /// Opens what was sealed for an assistant.
    ///
    /// # Errors
    /// [`NotOurs`].
    pub(super) fn open(&self, assistant: Uuid, text: &str) -> Result<Waiting, NotOurs> {
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| NotOurs)?;
        let (nonce, sealed) = bytes.split_at_checked(NONCE).ok_or(NotOurs)?;
        let nonce = XNonce::try_from(nonce).map_err(|_| NotOurs)?;
        let payload = Payload { msg: sealed, aad: &bound(assistant) };
        let message = self.cipher.decrypt(&nonce, payload).map_err(|_| NotOurs)?;
        serde_json::from_slice(&message).map_err(|_| NotOurs)
    }
}

fn bound(assistant: Uuid) -> Vec<u8> {
    [DOMAIN, assistant.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use graphloom_core_graph::store::{MemoryStore, Store};
    use graphloom_core_graph::{Clock, SystemClock};

    use super::*;
    use crate::records::Records;

    fn records(store: &Arc<dyn Store>) -> ProtocolData {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        Records::new(store, &clock).protocols
    }

    #[tokio::test]
    async fn a_seal_is_opened_by_another_process_of_the_same_records_and_by_nobody_else() {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let (one, other) = (Uuid::now_v7(), Uuid::now_v7());
        let waiting = Waiting { thread: Uuid::now_v7(), interrupts: vec!["a".repeat(32)] };
        let seal = Seal::load(&records(&store)).await.unwrap();
        let text = seal.close(one, &waiting).unwrap();
        assert_ne!(text, seal.close(one, &waiting).unwrap(), "every seal is another");

        let later = Seal::load(&records(&store)).await.unwrap();
        assert_eq!(later.open(one, &text), Ok(waiting));
        assert_eq!(later.open(other, &text), Err(NotOurs), "it is bound to its assistant");

        let elsewhere: Arc<dyn Store> = Arc::new(MemoryStore::new());
        assert_eq!(Seal::load(&records(&elsewhere)).await.unwrap().open(one, &text), Err(NotOurs));
        for at in 0..text.len() {
            let mut changed = text.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            assert_eq!(later.open(one, &changed), Err(NotOurs), "changed at {at}");
            assert_eq!(later.open(one, &text[..at]), Err(NotOurs), "cut at {at}");
        }
    }
}
