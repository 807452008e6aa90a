//! Conversations at the public boundary, with a scripted model and scripted sources: control flow, not quality.

mod damage;
mod delivered;
mod drawn_replies;
mod journey;
mod kills;
mod options;
mod property;
mod reading;
mod replies;
mod scripted;
mod small;
mod sources;
