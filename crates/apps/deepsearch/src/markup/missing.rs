//! The words for a part that could not be written.

/// What stands in the place of an abstract and of a conclusion that could not be written, in Chinese and in English.
pub(crate) const MISSING: [(&str, &str); 2] =
    [("摘要未能生成", "The abstract could not be written"), ("结论未能生成", "The conclusion could not be written")];

/// Whether a text says nothing but that a part could not be written.
pub(crate) fn is_missing(text: &str) -> bool {
    let inner = text.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inner.is_some_and(|inner| MISSING.iter().any(|(chinese, english)| inner == *chinese || inner == *english))
}
