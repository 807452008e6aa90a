//! What this process asks of the engine.
//!
//! | what | file |
//! | --- | --- |
//! | invocations, and what came of them | `ingress.rs` |
//! | that services of this process are known | `admin.rs` |

mod admin;
mod ingress;

pub(crate) use admin::Admin;
pub(crate) use ingress::{Ingress, Invoked};

/// An address without the slash at its end, for people and to add to.
fn place(url: &url::Url) -> String {
    url.as_str().trim_end_matches('/').to_owned()
}

/// An error and its causes.
pub(crate) fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    text
}
