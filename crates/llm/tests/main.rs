//! The models, their layers and their recordings at the public boundary.

mod cached;
mod cassette;
mod compatible;
mod fallback;
mod fences;
mod hedged;
mod images;
mod layers;
mod learnt;
mod money;
mod partial;
mod providers;
mod rates;
mod scripted;
mod structured;
