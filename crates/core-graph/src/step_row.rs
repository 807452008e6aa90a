//! What a step leads to, in stored form: in the records of tasks and in cached results.

use std::sync::Arc;

use compact_str::CompactString;
use serde::{Deserialize, Serialize};

use crate::name::{Name, Packet};
use crate::state::StateError;
use crate::step::{Chosen, Next};
use crate::timeout::Timeout;

/// The stored form of [`Next`].
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum NextRow {
    Edges,
    End,
    To { goto: Vec<String>, send: Vec<PacketRow> },
}

/// The stored form of a [`Packet`].
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PacketRow {
    to: String,
    key: Arc<str>,
    #[serde(with = "serde_bytes")]
    input: Vec<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    timeout: Option<Timeout>,
}

impl NextRow {
    /// # Errors
    /// The input of a send could not be encoded.
    pub(crate) fn of(next: &Next) -> Result<Self, StateError> {
        Ok(match next {
            Next::Edges => Self::Edges,
            Next::End => Self::End,
            Next::To(chosen) => Self::To {
                goto: chosen.goto.iter().map(Name::to_string).collect(),
                send: chosen.send.iter().map(PacketRow::of).collect::<Result<_, _>>()?,
            },
        })
    }

    pub(crate) fn into_next(self) -> Next {
        match self {
            Self::Edges => Next::Edges,
            Self::End => Next::End,
            Self::To { goto, send } => Next::To(Box::new(Chosen {
                goto: goto.into_iter().map(|name| Name::Owned(name.into())).collect(),
                send: send.into_iter().map(PacketRow::into_packet).collect(),
            })),
        }
    }
}

impl PacketRow {
    fn of(packet: &Packet) -> Result<Self, StateError> {
        let input = packet.input.as_ref().map_err(|message| packet.unencoded(message))?;
        let (to, key) = (packet.to.to_string(), packet.key.as_str().into());
        Ok(Self { to, key, input: input.to_vec(), timeout: packet.timeout.as_deref().copied() })
    }

    fn into_packet(self) -> Packet {
        Packet {
            timeout: self.timeout.map(Box::new),
            ..Packet::of(Name::Owned(self.to.into()), CompactString::new(&self.key), Ok(self.input.into()))
        }
    }
}

impl Packet {
    /// Returns the error of a send whose input could not be encoded.
    pub(crate) fn unencoded(&self, message: &str) -> StateError {
        let field = format!("input of the send `{}` to `{}`", self.key, self.to);
        StateError { field, action: "encoded", message: message.to_owned() }
    }
}
