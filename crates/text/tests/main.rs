//! What readers of text rest on, over texts that are drawn.

mod parts;
