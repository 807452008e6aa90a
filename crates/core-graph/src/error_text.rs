//! Errors as text, with their causes.

use std::error::Error;

/// The messages of an error and its causes, from the outside in. A cause that the messages before it tell already is left
/// out.
///
/// ```
/// use graphloom_core_graph::error_chain;
///
/// let error = "x".parse::<u8>().unwrap_err();
/// assert_eq!(error_chain(&error).join(": "), "invalid digit found in string");
/// ```
pub fn error_chain(error: &(dyn Error + 'static)) -> Vec<String> {
    let mut messages = vec![error.to_string()];
    let mut cause = error.source();
    while let Some(error) = cause {
        let message = error.to_string();
        if messages.iter().all(|told| !told.contains(&message)) {
            messages.push(message);
        }
        cause = error.source();
    }
    messages
}

/// Has `Debug` write what `Display` does, and the causes. `main` prints the `Debug` of the error that it returns, and so
/// does `expect`.
macro_rules! debug_is_text {
    ($($error:ty),+ $(,)?) => {
        $(impl std::fmt::Debug for $error {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&$crate::error_text::error_chain(self).join(": "))
            }
        })+
    };
}

pub(crate) use debug_is_text;
