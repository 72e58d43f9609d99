//! How much memory the program has used.

/// The most memory that this process ever held, in bytes; `None` where the system does not tell (it does on Linux).
///
/// ```
/// if let Some(bytes) = steric_world::report::peak_memory_bytes() {
///     assert!(bytes > 100_000, "a program needs more than {bytes} bytes");
/// }
/// ```
pub fn peak_memory_bytes() -> Option<u64> {
    peak_of(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// The line `VmHWM:     5212 kB` of a status page.
fn peak_of(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_found_among_the_other_lines() {
        assert_eq!(peak_of("Name:\tsteric\nVmPeak:\t  99 kB\nVmHWM:\t    5212 kB\nVmRSS:\t 7 kB\n"), Some(5212 * 1024));
        assert_eq!(peak_of("Name:\tsteric\n"), None);
        assert_eq!(peak_of("VmHWM:\tmuch kB\n"), None);
    }
}
