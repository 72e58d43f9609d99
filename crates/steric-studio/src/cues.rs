//! What helps to see depth, and what tells of a hit: rocking, two pictures for two eyes, fog, shadows, transparency, flashes.

use glam::{DQuat, DVec3};
use steric::model::MoleculeId;
use steric_view::{EYE_DISTANCE, Look, Stereo};

/// How molecules are shown so that one sees how deep they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Cues {
    /// Degrees that the view swings to each side; 0 if it does not.
    pub rocking: f64,
    /// Whether there is a picture for each eye.
    pub is_stereo: bool,
    /// How the two pictures become one.
    pub stereo: Stereo,
    /// How far the eyes are apart, as a part of how far away they look.
    pub eye_distance: f64,
    /// How dark shadows are, 0 to 1.
    pub shadows: f64,
    /// How much of what is far vanishes in fog, 0 to 1.
    pub fog: f64,
    /// Where the light comes from, seen from the camera.
    pub light: Option<DVec3>,
    /// The molecule that one can look through.
    pub see_through: Option<MoleculeId>,
    /// How much of it hides what is behind, 0 to 1.
    pub opacity: f32,
    /// Whether it is drawn as a grid of holes, as in 1989.
    pub screen_door: bool,
    /// Whether the background flashes at a hit.
    pub flashes: bool,
    /// Whether a hit is heard.
    pub beeps: bool,
}

impl Default for Cues {
    fn default() -> Self {
        Self {
            rocking: 0.0,
            is_stereo: false,
            stereo: Stereo::Anaglyph,
            eye_distance: EYE_DISTANCE,
            shadows: 0.0,
            fog: 0.2,
            light: None,
            see_through: None,
            opacity: 0.5,
            screen_door: false,
            flashes: false,
            beeps: false,
        }
    }
}

/// Seconds from one end of the rocking to the same end again.
const PERIOD: f64 = 4.0;
/// Degrees that one key press changes the rocking by, and the most.
const ROCK: (f64, f64) = (2.0, 30.0);
/// How far eyes can be apart.
const EYES: (f64, f64) = (0.002, 0.2);
/// The background while it flashes.
const FLASH: [u8; 3] = [150, 40, 40];

impl Cues {
    /// Rocks more, or less.
    pub fn rock(&mut self, more: bool) {
        let step = if more { ROCK.0 } else { -ROCK.0 };
        self.rocking = (self.rocking + step).clamp(0.0, ROCK.1);
    }

    /// Eyes farther apart, or nearer together.
    pub fn widen(&mut self, more: bool) {
        let times = if more { 1.2 } else { 1.0 / 1.2 };
        self.eye_distance = (self.eye_distance * times).clamp(EYES.0, EYES.1);
    }

    /// The next kind of stereo.
    pub fn next_stereo(&mut self) {
        let at = Stereo::ALL.iter().position(|kind| *kind == self.stereo).unwrap_or(0);
        self.stereo = Stereo::ALL[(at + 1) % Stereo::ALL.len()];
    }

    /// The kind of stereo and how far the eyes are apart, if it is on.
    pub(crate) fn eyes(&self) -> Option<(Stereo, f64)> {
        self.is_stereo.then_some((self.stereo, self.eye_distance))
    }

    /// How far the view has swung after so many seconds of rocking, in degrees.
    pub fn swing(&self, seconds: f64) -> f64 {
        self.rocking * (std::f64::consts::TAU * seconds / PERIOD).sin()
    }

    /// Turns the light around the molecules, by points that the mouse moved.
    pub fn turn_light(&mut self, x: f64, y: f64) {
        let turn = DQuat::from_rotation_y(0.01 * x) * DQuat::from_rotation_x(0.01 * y);
        let light = turn * self.light.unwrap_or_else(|| Look::default().light);
        // From behind nothing is lit.
        self.light = Some(DVec3::new(light.x, light.y, light.z.max(0.05)).normalize_or(DVec3::Z));
    }

    /// A look with these cues.
    pub(crate) fn on(&self, look: Look, is_flashing: bool) -> Look {
        Look {
            shadows: self.shadows,
            fog: self.fog,
            light: self.light.unwrap_or(look.light),
            screen_door: self.screen_door,
            background: if is_flashing { Some(FLASH) } else { look.background },
            ..look
        }
    }
}
