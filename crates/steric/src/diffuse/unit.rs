//! Units of time: numbers of a scene are in one of them, and diffusion may be given as the field does, in square micrometres a second.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What a unit of time is.
///
/// ```
/// use steric::diffuse::TimeUnit;
///
/// let unit: TimeUnit = "us".parse()?;
/// // One square micrometre a second is a hundred square angstroms a microsecond.
/// assert!((unit.square_angstroms(1.0) - 100.0).abs() < 1e-9);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeUnit {
    /// Picoseconds.
    Ps,
    /// Nanoseconds.
    #[default]
    Ns,
    /// Microseconds.
    Us,
    /// Milliseconds.
    Ms,
    /// Seconds.
    S,
}

impl TimeUnit {
    /// All of them, the shortest first.
    pub const ALL: [Self; 5] = [Self::Ps, Self::Ns, Self::Us, Self::Ms, Self::S];

    /// How many seconds it is.
    pub fn seconds(self) -> f64 {
        match self {
            Self::Ps => 1e-12,
            Self::Ns => 1e-9,
            Self::Us => 1e-6,
            Self::Ms => 1e-3,
            Self::S => 1.0,
        }
    }

    /// A diffusion coefficient in square micrometres a second, as square angstroms in this unit.
    pub fn square_angstroms(self, square_micrometres_a_second: f64) -> f64 {
        square_micrometres_a_second * 1e8 * self.seconds()
    }

    /// Its sign.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Ps => "ps",
            Self::Ns => "ns",
            Self::Us => "us",
            Self::Ms => "ms",
            Self::S => "s",
        }
    }
}

impl std::fmt::Display for TimeUnit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if *self == Self::Us { "µs" } else { self.sign() })
    }
}

impl FromStr for TimeUnit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|unit| unit.sign() == text || unit.to_string() == text);
        known.ok_or_else(|| format!("expected ps, ns, us, ms or s, found {text:?}"))
    }
}
