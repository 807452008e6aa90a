//! A call of a server, before it is sent.

use reqwest::{Method, Url};
use serde::Serialize;

use crate::ClientError;

/// A call of a server. Cloning it is cheap next to sending it.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(super) method: Method,
    path: Vec<String>,
    query: Vec<(&'static str, String)>,
    pub(super) body: Option<Vec<u8>>,
    pub(super) last_event_id: Option<String>,
    /// The call waits for a run, as long as that takes.
    pub(super) is_long: bool,
}

impl Call {
    fn new<P: ToString>(method: Method, path: impl IntoIterator<Item = P>) -> Self {
        let path = path.into_iter().map(|part| part.to_string()).collect();
        Self { method, path, query: Vec::new(), body: None, last_event_id: None, is_long: false }
    }

    pub(crate) fn get<P: ToString>(path: impl IntoIterator<Item = P>) -> Self {
        Self::new(Method::GET, path)
    }

    pub(crate) fn post<P: ToString>(path: impl IntoIterator<Item = P>) -> Self {
        Self::new(Method::POST, path)
    }

    pub(crate) fn put<P: ToString>(path: impl IntoIterator<Item = P>) -> Self {
        Self::new(Method::PUT, path)
    }

    pub(crate) fn patch<P: ToString>(path: impl IntoIterator<Item = P>) -> Self {
        Self::new(Method::PATCH, path)
    }

    pub(crate) fn delete<P: ToString>(path: impl IntoIterator<Item = P>) -> Self {
        Self::new(Method::DELETE, path)
    }

    /// The same call with a body.
    pub(crate) fn json(mut self, body: &impl Serialize) -> Self {
        // A request is a struct of JSON values and texts, which always has a JSON form.
        self.body = Some(serde_json::to_vec(body).unwrap_or_default());
        self
    }

    /// The same call with a parameter.
    pub(crate) fn query(mut self, name: &'static str, value: &impl ToString) -> Self {
        self.query.push((name, value.to_string()));
        self
    }

    /// The same call, telling the last event that was read.
    pub(crate) fn after(mut self, id: impl Into<String>) -> Self {
        self.last_event_id = Some(id.into());
        self
    }

    /// The same call, which waits for a run.
    pub(crate) fn long(mut self) -> Self {
        self.is_long = true;
        self
    }

    /// Whether a failed call may be sent again without doing anything twice.
    pub(super) fn is_repeatable(&self) -> bool {
        matches!(self.method, Method::GET | Method::PUT | Method::DELETE)
    }

    /// The method and the path, for messages. No query, which may hold values of a user.
    pub(crate) fn label(&self) -> String {
        format!("{} /{}", self.method, self.path.join("/"))
    }

    /// The whole address. Each part of the path is one segment of it, whatever it contains.
    ///
    /// # Errors
    /// A part that would lead to another path: an empty one, `.` or `..`.
    pub(super) fn url(&self, base: &Url) -> Result<Url, ClientError> {
        if let Some(wrong) = self.path.iter().find(|part| matches!(part.as_str(), "" | "." | "..")) {
            return Err(ClientError::Name { name: wrong.clone(), what: "anything on a server" });
        }
        let mut url = base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(&self.path);
        }
        if !self.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&self.query);
        }
        Ok(url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stay_one_segment_each() {
        for base in ["http://h:1/", "http://h:1/prefix", "http://h:1/prefix/"] {
            let base = Url::parse(base).unwrap();
            let url = Call::get(["assistants", "a/b?c#d e", "graph"]).query("xray", &true).url(&base).unwrap();
            let path = base.path().trim_end_matches('/');
            assert_eq!(url.as_str(), format!("http://h:1{path}/assistants/a%2Fb%3Fc%23d%20e/graph?xray=true"));
        }
        let base = Url::parse("http://h/").unwrap();
        for wrong in ["", ".", ".."] {
            let error = Call::get(["assistants", wrong]).url(&base).unwrap_err();
            assert!(matches!(&error, ClientError::Name { name, .. } if name == wrong), "{error}");
        }
    }
}
