//! What went wrong with a request.

/// The innermost cause of an error, without the address, which may hold a key.
pub fn innermost(error: &reqwest::Error) -> String {
    let mut source = std::error::Error::source(error);
    let mut cause = None;
    while let Some(inner) = source {
        cause = Some(inner.to_string());
        source = inner.source();
    }
    cause.unwrap_or_else(|| "the connection failed".to_owned())
}
