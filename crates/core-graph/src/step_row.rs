//! A step, and what it leads to, in stored form: in the records of tasks, in cached results, in replies of executors.

use std::sync::Arc;

use compact_str::CompactString;
use serde::{Deserialize, Serialize};

use crate::name::{Name, Packet};
use crate::state::{FieldChange, Op, State, StateError};
use crate::step::{Chosen, Next, Step};
use crate::timeout::Timeout;

/// The stored form of a [`Step`]. Fields go by name: their places may change.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StepRow {
    update: Option<Vec<WrittenField>>,
    next: NextRow,
}

/// The stored form of a [`FieldChange`]: the field, whether its value is replaced, and the bytes.
type WrittenField = (String, bool, serde_bytes::ByteBuf);

/// The stored form of [`Next`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum NextRow {
    Edges,
    End,
    To { goto: Vec<String>, send: Vec<PacketRow> },
}

/// The stored form of a [`Packet`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PacketRow {
    to: String,
    key: Arc<str>,
    #[serde(with = "serde_bytes")]
    input: Vec<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    timeout: Option<Timeout>,
}

impl StepRow {
    /// The stored form of a step over a state with these fields.
    ///
    /// # Errors
    /// The update or the input of a send could not be encoded.
    pub(crate) fn of<S: State>(step: &Step<S>, layout: &S::Layout, fields: &[Arc<str>]) -> Result<Self, StateError> {
        let changes = step.update.as_ref().map(|update| S::encode_update(layout, update)).transpose()?;
        let row = |change: FieldChange| {
            let name = fields.get(change.field as usize).map_or_else(String::new, ToString::to_string);
            (name, change.op == Op::Set, change.bytes.to_vec().into())
        };
        let update = changes.map(|changes| changes.into_iter().map(row).collect());
        Ok(Self { update, next: NextRow::of(&step.next)? })
    }

    /// The step.
    ///
    /// # Errors
    /// The state has not all of the fields, or the update cannot be read.
    pub(crate) fn into_step<S: State>(self, layout: &S::Layout, fields: &[Arc<str>]) -> Result<Step<S>, StateError> {
        let change = |(name, set, bytes): WrittenField| match fields.iter().position(|field| **field == *name) {
            Some(at) => {
                let op = if set { Op::Set } else { Op::Fold };
                Ok(FieldChange { field: at as u32, op, bytes: bytes.into_vec().into() })
            }
            None => Err(StateError { field: name, action: "decoded", message: "the state has no such field".into() }),
        };
        let changes = self.update.map(|changes| changes.into_iter().map(change).collect::<Result<Vec<_>, _>>());
        let update = changes.transpose()?.map(|changes| S::decode_update(layout, &changes)).transpose()?;
        Ok(Step { update, next: self.next.into_next() })
    }
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
