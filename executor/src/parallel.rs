//! The same for many devices at once: a thread for each, or as many threads as there may be.

use std::sync::{Mutex, PoisonError};

/// Does `take` with every item, at most `jobs` at once; results in the order of the items. `None` stands for an item
/// whose thread panicked.
///
/// A machine that gives no more threads makes it slower, not wrong: this thread takes part.
pub fn map<T: Send, R: Send>(
    items: impl IntoIterator<Item = T, IntoIter: Send>,
    jobs: usize,
    take: impl Fn(T) -> R + Sync,
) -> Vec<Option<R>> {
    let items = items.into_iter();
    let threads = jobs.min(items.size_hint().0);
    let queue = Mutex::new(items.enumerate());
    let results: Mutex<Vec<Option<R>>> = Mutex::default();
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work_off = || {
        while let Some((index, item)) = next() {
            let result = take(item);
            let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
            if results.len() <= index {
                results.resize_with(index.saturating_add(1), || None);
            }
            if let Some(place) = results.get_mut(index) {
                *place = Some(result);
            }
        }
    };
    std::thread::scope(|scope| {
        let others: Vec<_> =
            (1..threads).map_while(|_| std::thread::Builder::new().spawn_scoped(scope, work_off).ok()).collect();
        work_off();
        // Whoever panicked has said so; the item's place stays empty.
        others.into_iter().for_each(|thread| drop(thread.join()));
    });
    results.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order_of_the_items() {
        for jobs in [1, 3, 100] {
            let doubled = map(0..50, jobs, |number| number * 2);
            assert_eq!(doubled, (0..50).map(|number| Some(number * 2)).collect::<Vec<_>>());
        }
        assert_eq!(map(Vec::<u8>::new(), 4, |byte| byte), []);
    }
}
