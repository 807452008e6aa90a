//! Canonical addresses, which are equal for addresses of one page.

use url::Url;

/// The longest address that is read, in bytes.
pub const LONGEST_ADDRESS: usize = 8192;

/// Query parameters that tell a site where a reader came from and change nothing on the page.
const TRACKING: [&str; 6] = ["fbclid", "gclid", "msclkid", "dclid", "igshid", "mc_eid"];

/// The canonical form of an address: without fragment, tracking parameters and final slash, with the host in lower
/// case. Two addresses of one page have the same form, as far as the addresses alone can show that. `None` for a text
/// that is no web address, holds a name or a password, or is too long.
///
/// ```
/// use graphloom_text::canonical;
///
/// assert_eq!(canonical("HTTPS://Example.org:443/a/?utm_source=x&q=1#top").as_deref(), Some("https://example.org/a?q=1"));
/// assert_eq!(canonical("javascript:alert(1)"), None);
/// ```
#[must_use]
pub fn canonical(address: &str) -> Option<String> {
    if address.len() > LONGEST_ADDRESS {
        return None;
    }
    let mut url = Url::parse(address.trim()).ok()?;
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() || has_credentials(&url) {
        return None;
    }
    url.set_fragment(None);
    let kept: Vec<(String, String)> = url
        .query_pairs()
        .filter(|(name, _)| !name.starts_with("utm_") && !TRACKING.contains(&name.as_ref()))
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    if kept.len() != url.query_pairs().count() {
        if kept.is_empty() {
            url.set_query(None);
        } else {
            url.query_pairs_mut().clear().extend_pairs(kept);
        }
    }
    if url.query().is_some_and(str::is_empty) {
        url.set_query(None);
    }
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(&path);
    let text = url.to_string();
    let text = if url.query().is_none() { text.trim_end_matches('/').to_owned() } else { text };
    Some(text).filter(|text| text.len() <= LONGEST_ADDRESS)
}

/// Whether an address holds a name or a password.
#[must_use]
pub fn has_credentials(url: &Url) -> bool {
    !url.username().is_empty() || url.password().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_page_agree() {
        for (one, other) in [
            ("http://a.example/x", "http://A.EXAMPLE:80/x/#part"),
            ("http://a.example", "http://a.example/"),
            ("http://a.example/?a=1", "http://a.example/?a=1&utm_medium=mail&gclid=7"),
            ("http://a.example/p", "http://a.example/p?"),
        ] {
            assert_eq!(canonical(one), canonical(other), "{one}");
        }
        assert_ne!(canonical("http://a.example/?a=1"), canonical("http://a.example/?a=2"));
        for none in ["", "ftp://a.example", "http://me:pw@a.example", "file:///etc/passwd", "/relative", "http://"] {
            assert_eq!(canonical(none), None, "{none}");
        }
        assert_eq!(canonical(&format!("http://a.example/{}", "x".repeat(LONGEST_ADDRESS))), None);
    }
}
