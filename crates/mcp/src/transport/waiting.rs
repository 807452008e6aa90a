//! The requests that wait for an answer, and which of them an answer is for.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::model::{ClientJsonRpcMessage, ClientNotification, RequestId};
use serde_json::Value;

/// The requests of one connection that wait for an answer.
#[derive(Debug, Default)]
pub(crate) struct Waiting(Mutex<Requests>);

#[derive(Debug, Default)]
struct Requests {
    /// The method of each request that waits, by its id.
    open: BTreeMap<i64, String>,
    /// The ids that were given are below.
    next: i64,
    /// Notifications that were sent. Nothing answers them, but some servers do, with an answer that has no id.
    notices: u32,
}

/// The request that an answer is for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) id: i64,
    pub(crate) method: String,
    /// Whether the answer had another id than the request, or none.
    pub(crate) guessed: bool,
}

impl Waiting {
    /// Notes what is sent.
    pub(crate) fn sent(&self, message: &ClientJsonRpcMessage) {
        let mut requests = self.lock();
        match message {
            ClientJsonRpcMessage::Request(request) => {
                if let RequestId::Number(id) = request.id {
                    requests.open.insert(id, request.request.method().to_owned());
                    requests.next = requests.next.max(id + 1);
                }
            }
            ClientJsonRpcMessage::Notification(notification) => {
                requests.notices += 1;
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(RequestId::Number(id)) = &cancelled.params.request_id
                {
                    requests.open.remove(id);
                }
            }
            _ => {}
        }
    }

    /// Whether a request waits for its answer.
    pub(crate) fn waits(&self, id: &Value) -> bool {
        whole(id).is_some_and(|id| self.lock().open.contains_key(&id))
    }

    /// The request that an answer is for; it waits no more. `fits` says whether the answer is one to a method.
    ///
    /// Where the id is none that was ever given, the answer is for the request that waits, when that is one alone. An id
    /// whose request waits no more is that of a late answer, or of a second one: it is for no other request.
    pub(crate) fn answered(&self, id: Option<&Value>, fits: impl Fn(&str) -> bool) -> Option<Asked> {
        let mut requests = self.lock();
        let given = id.filter(|id| !id.is_null());
        let number = given.and_then(whole);
        if let Some((id, method)) = number.and_then(|id| requests.open.remove_entry(&id)) {
            return Some(Asked { id, method, guessed: false });
        }
        if number.is_some_and(|id| (0..requests.next).contains(&id)) {
            return None;
        }
        if requests.open.len() != 1 {
            return None;
        }
        let (id, method) = requests.open.pop_first()?;
        if given.is_none() && requests.notices > 0 && !fits(&method) {
            requests.notices -= 1;
            requests.open.insert(id, method);
            return None;
        }
        Some(Asked { id, method, guessed: true })
    }

    fn lock(&self) -> MutexGuard<'_, Requests> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An id as the whole number that it stands for: some servers send it back as a text, or with a fraction of zero.
fn whole(id: &Value) -> Option<i64> {
    match id {
        Value::Number(number) => number.as_i64().or_else(|| {
            let fraction = number.as_f64().filter(|number| number.fract() == 0.0)?;
            format!("{fraction:.0}").parse().ok()
        }),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::{
        CancelledNotification, CancelledNotificationParam, ClientRequest, InitializedNotification, ListToolsRequest,
        PingRequest,
    };
    use serde_json::json;

    use super::*;

    fn waiting(ids: &[i64]) -> Waiting {
        let waiting = Waiting::default();
        for id in ids {
            let request = ClientRequest::ListToolsRequest(ListToolsRequest::default());
            waiting.sent(&ClientJsonRpcMessage::request(request, RequestId::Number(*id)));
        }
        waiting
    }

    #[test]
    fn an_id_is_known_in_all_its_forms_and_is_answered_once() {
        for id in [json!(7), json!("7"), json!(7.0), json!(" 7 ")] {
            let waiting = waiting(&[6, 7]);
            assert!(waiting.waits(&id), "{id}");
            let asked = waiting.answered(Some(&id), |_| false).unwrap();
            assert_eq!((asked.id, asked.method.as_str(), asked.guessed), (7, "tools/list", false), "{id}");
            assert_eq!(waiting.answered(Some(&id), |_| true), None, "a second answer is for no other request");
        }
    }

    #[test]
    fn an_answer_to_an_id_that_was_never_given_is_for_the_one_that_waits() {
        let one = waiting(&[3]);
        assert_eq!(one.answered(Some(&json!("x")), |_| false).map(|asked| (asked.id, asked.guessed)), Some((3, true)));
        let two = waiting(&[3, 4]);
        assert_eq!(two.answered(Some(&json!(900)), |_| true), None, "it may be for either");
    }

    #[test]
    fn a_late_answer_is_for_no_other_request() {
        let waiting = waiting(&[3, 4]);
        let cancelled = CancelledNotification::new(CancelledNotificationParam::new(Some(RequestId::Number(3)), None));
        waiting.sent(&ClientJsonRpcMessage::notification(ClientNotification::CancelledNotification(cancelled)));
        assert_eq!(waiting.answered(Some(&json!(3)), |_| true), None);
        assert_eq!(waiting.answered(Some(&json!(4)), |_| true).map(|asked| asked.id), Some(4));
    }

    #[test]
    fn an_answer_without_an_id_may_be_one_to_a_notification() {
        let waiting = waiting(&[1]);
        let notice = InitializedNotification::default();
        waiting.sent(&ClientJsonRpcMessage::notification(ClientNotification::InitializedNotification(notice)));
        assert_eq!(waiting.answered(Some(&Value::Null), |_| false), None);
        assert_eq!(waiting.answered(None, |method| method == "tools/list").map(|asked| asked.id), Some(1));
        let ping = ClientRequest::PingRequest(PingRequest::default());
        waiting.sent(&ClientJsonRpcMessage::request(ping, RequestId::Number(2)));
        assert_eq!(waiting.answered(None, |_| false).map(|asked| asked.id), Some(2), "the notification had its answer");
    }
}
