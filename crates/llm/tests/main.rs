//! The models, their layers and their recordings at the public boundary.

mod cassette;
mod compatible;
mod fences;
mod images;
mod layers;
mod providers;
mod scripted;
mod structured;
