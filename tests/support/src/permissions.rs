//! Permissions of files that bind whoever runs a test.

/// Lets permissions of files bind the calling thread, and the threads that it starts from now on.
///
/// Root may read and write every file whatever its permissions. Linux keeps that right for each thread, so the thread of
/// one test can give it up without another test noticing.
///
/// # Panics
/// When the right is there and cannot be given up.
#[cfg(target_os = "linux")]
pub fn bind() {
    for right in [caps::Capability::CAP_DAC_OVERRIDE, caps::Capability::CAP_DAC_READ_SEARCH] {
        caps::drop(None, caps::CapSet::Effective, right).expect("a thread may give up a right");
    }
}

/// Elsewhere a test of permissions runs as a user whom they bind.
#[cfg(not(target_os = "linux"))]
pub fn bind() {}
