//! One encrypted value: a mark, the key's name, a nonce, and the ciphertext with its tag.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use chacha20poly1305::XNonce;
use chacha20poly1305::aead::{Aead, Generate, Payload};

use crate::{EncryptionError, Keyring};

/// What encrypted values begin with: three letters and the number of this form.
const MARK: &[u8; 4] = b"GLE\x01";
const NONCE: usize = 24;

/// Where a value is: parts that are bound to it, and words for messages.
pub(crate) struct Place {
    bound: Vec<u8>,
    words: String,
}

impl Place {
    /// A kind of value, with the parts of its place by name. Every part goes with its length, so that no two places
    /// have the same bytes.
    pub(crate) fn new(kind: &str, parts: &[(&str, &str)]) -> Self {
        let mut bound = Vec::new();
        for part in std::iter::once(kind).chain(parts.iter().map(|(_, part)| *part)) {
            bound.extend((part.len() as u64).to_le_bytes());
            bound.extend(part.as_bytes());
        }
        let parts: Vec<String> = parts.iter().map(|(name, part)| format!("{name} `{part}`")).collect();
        Self { bound, words: format!("the {kind} of {}", parts.join(", ")) }
    }

    pub(crate) fn words(&self) -> &str {
        &self.words
    }
}

/// The name of the key with which a value was encrypted; none for one that was not.
pub(crate) fn key_of(bytes: &[u8]) -> Option<&str> {
    parts_of(bytes).map(|(id, _)| id)
}

/// The name of the key, and what follows it.
fn parts_of(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let (length, rest) = bytes.strip_prefix(MARK)?.split_first()?;
    let (id, rest) = rest.split_at_checked(usize::from(*length))?;
    Some((str::from_utf8(id).ok()?, rest))
}

impl Keyring {
    pub(crate) fn seal(&self, place: &Place, value: &[u8]) -> Result<Vec<u8>, EncryptionError> {
        let failed = |message: String| EncryptionError::Failed { place: place.words.clone(), message };
        let key = self.writes();
        let nonce = XNonce::try_generate().map_err(|error| failed(error.to_string()))?;
        let payload = Payload { msg: value, aad: &place.bound };
        let sealed = key.cipher.encrypt(&nonce, payload).map_err(|error| failed(error.to_string()))?;
        let mut bytes = Vec::with_capacity(MARK.len() + 1 + key.id.len() + NONCE + sealed.len());
        bytes.extend(MARK);
        // Names of keys are at most 64 bytes long.
        bytes.push(key.id.len() as u8);
        bytes.extend(key.id.as_bytes());
        bytes.extend(&nonce[..]);
        bytes.extend(sealed);
        Ok(bytes)
    }

    pub(crate) fn open(&self, place: &Place, bytes: &[u8]) -> Result<Vec<u8>, EncryptionError> {
        let not_encrypted = || EncryptionError::NotEncrypted { place: place.words.clone() };
        let (id, rest) = parts_of(bytes).ok_or_else(not_encrypted)?;
        let (nonce, sealed) = rest.split_at_checked(NONCE).ok_or_else(not_encrypted)?;
        let nonce = XNonce::try_from(nonce).map_err(|_| not_encrypted())?;
        let place_of = || place.words.clone();
        let key = self.named(id).ok_or_else(|| EncryptionError::UnknownKey { id: id.to_owned(), place: place_of() })?;
        let payload = Payload { msg: sealed, aad: &place.bound };
        key.cipher
            .decrypt(&nonce, payload)
            .map_err(|_| EncryptionError::Refused { id: id.to_owned(), place: place_of() })
    }

    /// A value as text, for columns that hold nothing else.
    pub(crate) fn seal_text(&self, place: &Place, value: &str) -> Result<String, EncryptionError> {
        Ok(STANDARD_NO_PAD.encode(self.seal(place, value.as_bytes())?))
    }

    pub(crate) fn open_text(&self, place: &Place, text: &str) -> Result<String, EncryptionError> {
        let not_encrypted = || EncryptionError::NotEncrypted { place: place.words.clone() };
        let bytes = STANDARD_NO_PAD.decode(text).map_err(|_| not_encrypted())?;
        String::from_utf8(self.open(place, &bytes)?).map_err(|_| not_encrypted())
    }
}
