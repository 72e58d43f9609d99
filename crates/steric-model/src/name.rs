//! Short names, stored in place.
//!
//! How it works: atom and residue names are at most a few letters and there are millions of them, so a name is eight
//! bytes padded with zeros: copied, compared and hashed like a number, with no allocation.

use std::fmt;

/// An atom or residue name of at most eight bytes, such as `CA`, `DPPC` or `H5'1`.
///
/// ```
/// use steric_model::Name;
///
/// let alpha_carbon = Name::new("CA");
/// assert_eq!(alpha_carbon.as_str(), "CA");
/// assert_eq!(alpha_carbon, Name::from_bytes(b" CA "));
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name([u8; 8]);

impl Name {
    /// The most bytes that a name can hold.
    pub const CAPACITY: usize = 8;

    /// The name with surrounding blanks removed; what does not fit in [`Name::CAPACITY`] bytes is cut off.
    pub fn new(text: &str) -> Self {
        Self::from_bytes(text.as_bytes())
    }

    /// As [`Name::new`], from raw bytes; bytes outside printable ASCII become `?`.
    pub fn from_bytes(text: &[u8]) -> Self {
        let mut name = [0; 8];
        for (to, &from) in name.iter_mut().zip(text.trim_ascii()) {
            *to = if from.is_ascii_graphic() || from == b' ' { from } else { b'?' };
        }
        Self(name)
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        // Only printable ASCII gets in.
        std::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    /// The name as ASCII bytes.
    pub fn as_bytes(&self) -> &[u8] {
        let length = self.0.iter().position(|&byte| byte == 0).unwrap_or(self.0.len());
        &self.0[..length]
    }

    /// Whether there is no name at all.
    pub fn is_empty(&self) -> bool {
        self.0[0] == 0
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}
