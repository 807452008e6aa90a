//! A directory of Markdown notes as a vault: notes, links, pending changes, transactions.

#![forbid(unsafe_code)]
