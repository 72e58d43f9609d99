//! How much memory the program has used, and how much there is.

/// The most memory that this process ever held, in bytes; `None` where the system does not tell (it does on Linux).
///
/// ```
/// if let Some(bytes) = steric_world::report::peak_memory_bytes() {
///     assert!(bytes > 100_000, "a program needs more than {bytes} bytes");
/// }
/// ```
pub fn peak_memory_bytes() -> Option<u64> {
    kilobytes(&std::fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

/// The memory that programs can still have, in bytes; `None` where the system does not tell (it does on Linux).
///
/// ```
/// assert!(steric_world::report::available_memory_bytes().is_none_or(|bytes| bytes > 1_000_000));
/// ```
pub fn available_memory_bytes() -> Option<u64> {
    kilobytes(&std::fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
}

/// The bytes of a line such as `VmHWM:     5212 kB`.
fn kilobytes(page: &str, label: &str) -> Option<u64> {
    let line = page.lines().find_map(|line| line.strip_prefix(label))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_found_among_the_other_lines() {
        let page = "Name:\tsteric\nVmPeak:\t  99 kB\nVmHWM:\t    5212 kB\nVmRSS:\t 7 kB\n";
        assert_eq!(kilobytes(page, "VmHWM:"), Some(5212 * 1024));
        assert_eq!(kilobytes("Name:\tsteric\n", "VmHWM:"), None);
        assert_eq!(kilobytes("VmHWM:\tmuch kB\n", "VmHWM:"), None);
    }
}
