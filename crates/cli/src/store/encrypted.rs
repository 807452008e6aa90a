//! The keys of encrypted stores, and a SQLite file of the data directory whose values are encrypted.

use std::sync::Arc;

use graphloom_checkpoint_encrypted::{Encrypted, Key, Keyring};

use super::{RunStore, sqlite, variable};
use crate::{CliError, DataDir, Failure};

/// The variable of the keys: the first one writes, all of them read.
const KEYS: &str = "GRAPHLOOM_STORE_KEY";

/// Opens the encrypted database of runs, and makes it when it is not there.
pub(super) fn open(dirs: &DataDir) -> Result<RunStore, Failure> {
    let keys = keys()?;
    let path = dirs.encrypted_threads_db();
    let file = sqlite::open_file(dirs, &path)?;
    Ok(RunStore {
        memory: Arc::new(Encrypted::new(file.store(), keys.clone())),
        checkpointer: Arc::new(Encrypted::new(file, keys)),
        place: path.display().to_string(),
        signals: None,
    })
}

/// The keys, which the variable or its file has.
pub(super) fn keys() -> Result<Keyring, CliError> {
    let missing = || {
        CliError::usage(format!(
            "the encrypted store needs a key: set `{KEYS}` to 64 hexadecimal digits, such as `openssl rand -hex 32` prints, \
             or `{KEYS}_FILE` to a file that holds them; keep the key, because nothing can be read without it"
        ))
    };
    keyring(&variable::read(KEYS)?.ok_or_else(missing)?)
}

/// Keys separated by spaces, ends of lines or commas. A key is named by a hash of itself, so that a new one can be put
/// before an old one.
fn keyring(text: &str) -> Result<Keyring, CliError> {
    let mut ring: Option<Keyring> = None;
    let words = text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
    for (at, word) in words.enumerate() {
        // The message must not repeat what may be a secret.
        let wrong = || CliError::usage(format!("key {} of `{KEYS}` is not 64 hexadecimal digits", at + 1));
        let bytes = bytes(word).ok_or_else(wrong)?;
        let name = blake3::hash(&bytes).to_hex();
        let key = Key::new(&name[..12], &bytes).map_err(|_| wrong())?;
        ring = Some(match ring {
            Some(ring) => ring.and(key),
            None => Keyring::new(key),
        });
    }
    ring.ok_or_else(|| CliError::usage(format!("`{KEYS}` holds no key")))
}

fn bytes(word: &str) -> Option<[u8; 32]> {
    let digits: Vec<u8> = word.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect::<Option<_>>()?;
    let pairs: Vec<u8> = digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect();
    if digits.len() == 64 { pairs.try_into().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_hexadecimal_and_are_not_repeated() {
        let (one, other) = ("0123456789abcdef".repeat(4), "FEDCBA9876543210".repeat(4));
        assert_eq!(bytes(&one).unwrap()[..4], [0x01, 0x23, 0x45, 0x67]);
        for text in [one.clone(), format!("{one}\n"), format!("{one},{other}"), format!("{one} {other}\n{one}")] {
            assert!(keyring(&text).is_ok());
        }
        for (text, part) in [
            ("secret", "key 1 of `GRAPHLOOM_STORE_KEY` is not 64"),
            (&*format!("{one} {}", &one[1..]), "key 2 of"),
            (&*"0123456789abcdeg".repeat(4), "key 1 of"),
            (" \n", "holds no key"),
        ] {
            let message = keyring(text).unwrap_err().to_string();
            assert!(message.contains(part) && !message.contains("secret") && !message.contains("cdef"), "{message}");
        }
    }
}
