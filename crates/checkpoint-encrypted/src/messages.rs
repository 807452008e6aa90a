//! Keys for what processes say to each other by way of others: the rows of a queue, the journal of an engine.

use crate::seal::{Place, key_of};
use crate::{EncryptionError, Keyring};

/// Keys for messages that others keep on their way, if there are any: without keys messages go as they are.
///
/// All processes that read each other's messages need the same keys. A message is bound to what it is and whom it is for.
#[derive(Clone, Debug, Default)]
pub struct MessageKeys(Option<Keyring>);

impl From<Keyring> for MessageKeys {
    fn from(keys: Keyring) -> Self {
        Self(Some(keys))
    }
}

impl MessageKeys {
    /// A message as it goes: `kind` is what it is, and `recipient` whom it is for.
    ///
    /// # Errors
    /// [`EncryptionError::Failed`].
    pub fn encrypt(&self, kind: &str, recipient: &str, message: Vec<u8>) -> Result<Vec<u8>, EncryptionError> {
        match &self.0 {
            Some(keys) => keys.seal(&place(kind, recipient), &message),
            None => Ok(message),
        }
    }

    /// A message as it was written.
    ///
    /// # Errors
    /// [`EncryptionError::UnknownKey`], also where there are no keys and the message is encrypted; [`EncryptionError::NotEncrypted`]
    /// where it should be; [`EncryptionError::Refused`] for one that was changed, or is another one.
    pub fn decrypt(&self, kind: &str, recipient: &str, message: Vec<u8>) -> Result<Vec<u8>, EncryptionError> {
        match (&self.0, key_of(&message)) {
            (Some(keys), _) => keys.open(&place(kind, recipient), &message),
            (None, Some(id)) => {
                let (id, place) = (id.to_owned(), place(kind, recipient).words().to_owned());
                Err(EncryptionError::UnknownKey { id, place })
            }
            (None, None) => Ok(message),
        }
    }
}

fn place(kind: &str, recipient: &str) -> Place {
    Place::new(kind, &[("recipient", recipient)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Key;

    fn keys(id: &str, byte: u8) -> MessageKeys {
        Keyring::new(Key::new(id, &[byte; 32]).expect("a key")).into()
    }

    #[test]
    fn a_message_is_read_with_its_key_by_whom_it_is_for_and_by_nobody_else() {
        let (one, other, none) = (keys("one", 1), keys("other", 2), MessageKeys::default());
        let message = b"the plan".to_vec();
        let sealed = one.encrypt("letter", "ada", message.clone()).expect("it is encrypted");
        assert!(!sealed.windows(4).any(|part| part == b"plan"));
        assert_eq!(one.decrypt("letter", "ada", sealed.clone()).expect("it is read"), message);
        for (keys, kind, recipient) in [(&one, "letter", "bea"), (&one, "reply", "ada")] {
            let refused = keys.decrypt(kind, recipient, sealed.clone());
            assert!(matches!(refused, Err(EncryptionError::Refused { .. })), "{refused:?}");
        }
        for keys in [&other, &none] {
            let unknown = keys.decrypt("letter", "ada", sealed.clone());
            assert!(matches!(&unknown, Err(EncryptionError::UnknownKey { id, .. }) if id == "one"), "{unknown:?}");
        }
        let plain = one.decrypt("letter", "ada", message.clone());
        assert!(matches!(plain, Err(EncryptionError::NotEncrypted { .. })), "{plain:?}");
        assert_eq!(none.encrypt("letter", "ada", message.clone()).expect("as it is"), message);
        assert_eq!(none.decrypt("letter", "ada", message.clone()).expect("as it is"), message);
    }
}
