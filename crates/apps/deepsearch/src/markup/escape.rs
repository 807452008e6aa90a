//! Text of others inside HTML.

/// A text as it may stand between tags and in quoted attributes. Characters that are not shown, other than line breaks,
/// are dropped.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in graphloom_retrieval::visible_text(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

/// An address that a reader may be led to: `http`, `https`, or a place on the same page. Everything else, `javascript:`
/// and `data:` first of all, is refused.
pub fn safe_href(url: &str) -> Option<String> {
    // Browsers ignore spaces and control characters in front of and inside of a scheme.
    let plain: String = url.chars().filter(|c| !c.is_control() && !c.is_whitespace()).collect();
    let lower = plain.to_ascii_lowercase();
    let allowed = lower.starts_with("http://") || lower.starts_with("https://") || lower.starts_with('#');
    allowed.then(|| escape(url.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_harmless_addresses_lead_anywhere() {
        for url in [
            "javascript:alert(1)",
            " JaVaScRiPt:x",
            "java\nscript:x",
            "data:text/html,x",
            "vbscript:x",
            "//a.example",
            "file:///etc",
        ] {
            assert_eq!(safe_href(url), None, "{url}");
        }
        assert_eq!(
            safe_href("https://a.example/?a=1&b=\"x\"").as_deref(),
            Some("https://a.example/?a=1&amp;b=&quot;x&quot;")
        );
        assert_eq!(safe_href("#e1").as_deref(), Some("#e1"));
    }
}
