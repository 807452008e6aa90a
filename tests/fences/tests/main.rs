//! Every variable of every prompt file is fenced, or listed with the reason why it is not.

mod following;
mod stable;
mod templates;
