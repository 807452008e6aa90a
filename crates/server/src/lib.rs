//! Skeleton

#[expect(unused_imports, reason = "the run manager and the adapters are its callers")]
#[cfg_attr(not(test), expect(dead_code, reason = "the run manager and the adapters are its callers"))]
mod records;
