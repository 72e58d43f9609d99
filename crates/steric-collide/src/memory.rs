//! Memory for results of hundreds of megabytes.
//!
//! How it works: fresh memory is given out in pages of four kilobytes, each when it is first touched, and for a long list of pairs
//! that took longer than finding them. Where the system has larger pages for those who ask, it is asked.

use bytemuck::Zeroable;

/// From so many bytes on large pages are asked for.
const LARGE: usize = 1 << 22;

/// So many zeros. What is never touched takes no memory.
pub(crate) fn zeros<T: Zeroable>(count: usize) -> Vec<T> {
    in_large_pages(bytemuck::zeroed_vec(count))
}

/// As [`zeros`], or none where the system has not so much room.
pub(crate) fn zeros_or_none<T: Zeroable>(count: usize) -> Vec<T> {
    in_large_pages(bytemuck::try_zeroed_vec(count).unwrap_or_default())
}

fn in_large_pages<T>(mut zeros: Vec<T>) -> Vec<T> {
    if size_of_val(zeros.as_slice()) >= LARGE {
        ask_for_large_pages(&mut zeros);
    }
    zeros
}

#[cfg(target_os = "linux")]
fn ask_for_large_pages<T>(memory: &mut [T]) {
    const PAGE: usize = 1 << 12;
    let bytes = size_of_val(memory);
    let begin = memory.as_mut_ptr().addr();
    let first = begin.next_multiple_of(PAGE);
    let length = (begin + bytes - first) / PAGE * PAGE;
    let start = memory.as_mut_ptr().wrapping_byte_add(first - begin).cast();
    #[expect(unsafe_code, reason = "the system knows memory by its address")]
    // SAFETY: the range lies in memory that is borrowed here alone, and the advice changes nothing that it holds.
    let _ = unsafe { rustix::mm::madvise(start, length, rustix::mm::Advice::LinuxHugepage) };
}

#[cfg(not(target_os = "linux"))]
fn ask_for_large_pages<T>(_memory: &mut [T]) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_zeros_however_many() {
        for count in [0, 1, 1000, (1 << 22) + 7] {
            let zeros: Vec<u32> = zeros(count);
            assert_eq!(zeros.len(), count);
            assert!(zeros.iter().all(|&zero| zero == 0));
        }
        assert_eq!(zeros_or_none::<u32>(3), [0; 3]);
        assert!(zeros_or_none::<u64>(1 << 55).is_empty());
    }
}
