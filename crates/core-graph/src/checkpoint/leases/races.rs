//! Drivers that want the same threads.

use super::*;
use crate::sync::atomic::AtomicBool;
use crate::sync::{explore, thread};

/// Asks for a thread, and works unless it is refused or, as number 0, could not read the store. Returns whether it worked.
fn work(leases: &Leases, held: &AtomicBool, number: u64) -> bool {
    let thread: Arc<str> = "t".into();
    let Ok(reserved) = leases.reserve(&thread) else { return false };
    assert!(!held.swap(true, Ordering::SeqCst), "two hold the thread");
    if number == 0 {
        // The store could not be read.
        held.store(false, Ordering::SeqCst);
        drop(reserved);
        return false;
    }
    let lease = reserved.into_lease(number);
    assert!(leases.reserve(&thread).is_err(), "what is held is not given");
    leases.claim(&lease).expect("the lease is live");
    held.store(false, Ordering::SeqCst);
    assert!(leases.remove(&lease), "it was claimed");
    assert!(!leases.remove(&lease) && leases.claim(&lease).is_err(), "it is given back once");
    true
}

#[test]
fn a_thread_has_one_holder_and_is_free_when_that_is_gone() {
    explore(4000, || {
        let shared = Arc::new((Leases::new("store"), AtomicBool::new(false)));
        let workers: Vec<_> = (0..3)
            .map(|number| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || work(&shared.0, &shared.1, number))
            })
            .collect();
        for worker in workers {
            worker.join().unwrap();
        }
        assert!(work(&shared.0, &shared.1, 9), "nobody has it any more");
    });
}
