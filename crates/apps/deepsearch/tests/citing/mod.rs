//! Sources found and checked, conclusions traced, reports changed and exported. All models here are scripted.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]
#![expect(clippy::needless_pass_by_value, reason = "payloads are written where they are passed")]

mod changes;
mod checking;
mod exports;
mod inferring;
mod payloads;
mod places;
mod sections;
mod setup;

use crate::page;
