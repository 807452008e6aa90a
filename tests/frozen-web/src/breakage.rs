//! How engines break.

use wiremock::ResponseTemplate;

/// A way in which an engine fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Breakage {
    /// It wants fewer questions.
    RateLimited,
    /// It does not take the key.
    Unauthorised,
    /// It fails.
    Down,
    /// It answers with a page of HTML.
    Html,
    /// It reports success and sends an error.
    Lie,
    /// Its JSON is cut short.
    CutShort,
}

impl Breakage {
    /// All ways.
    pub const ALL: [Self; 6] =
        [Self::RateLimited, Self::Unauthorised, Self::Down, Self::Html, Self::Lie, Self::CutShort];

    pub(crate) fn answer(self) -> ResponseTemplate {
        let json = |status, body: &str| ResponseTemplate::new(status).set_body_raw(body.to_owned(), "application/json");
        match self {
            Self::RateLimited => json(429, r#"{"detail": {"error": "too many requests"}}"#),
            Self::Unauthorised => json(401, r#"{"detail": {"error": "no such key"}}"#),
            Self::Down => ResponseTemplate::new(502),
            Self::Html => ResponseTemplate::new(200)
                .set_body_raw("<!DOCTYPE html><html><title>Maintenance</title></html>", "text/html"),
            Self::Lie => json(200, r#"{"error": "the index is gone"}"#),
            Self::CutShort => json(200, r#"{"results": [{"title": "cut"#),
        }
    }
}
