//! Why a socket is closed, in the codes that clients know.

use std::borrow::Cow;

use axum::extract::ws::{CloseFrame, Message, WebSocket};

use crate::http::Problem;
use crate::log::TailError;

/// Bytes of a reason at most: RFC 6455 §5.5.
const REASON: usize = 123;

pub(super) fn close_frame(code: u16, reason: &str) -> CloseFrame {
    CloseFrame { code, reason: cut(reason).as_ref().into() }
}

fn cut(reason: &str) -> Cow<'_, str> {
    if reason.len() <= REASON {
        return reason.into();
    }
    let end = (0..=REASON).rev().find(|at| reason.is_char_boundary(*at)).unwrap_or_default();
    reason[..end].into()
}

/// The close of a socket whose log cannot be read on. Clients come back after a 4500, and not after a 4410.
pub(super) fn close_of(error: &TailError) -> CloseFrame {
    match error {
        TailError::Gone { .. } => close_frame(4410, "events of the thread are no longer kept"),
        TailError::Unstored(_) | TailError::Store(_) => close_frame(4500, "the events cannot be read"),
    }
}

/// Closes a socket with 4000 and the status of a refusal.
pub(super) async fn refuse(mut socket: WebSocket, problem: Problem) {
    let close = close_frame(4000 + problem.status.as_u16(), &problem.detail);
    // A client that is gone already needs no reason.
    drop(socket.send(Message::Close(Some(close))).await);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_cut_between_characters() {
        assert_eq!(close_frame(4404, "gone").reason.as_str(), "gone");
        let long = "é".repeat(100);
        let frame = close_frame(4404, &long);
        assert_eq!(frame.reason.as_str().len(), 122);
        assert!(long.starts_with(frame.reason.as_str()));
    }
}
