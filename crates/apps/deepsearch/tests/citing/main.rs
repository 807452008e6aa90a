//! Sources found and checked, conclusions traced, reports changed and exported. All models here are scripted.

mod changes;
mod checking;
mod desk;
mod exports;
mod inferring;
mod payloads;
mod places;
mod sections;
