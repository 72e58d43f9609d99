//! Things to hold: gamepads and 3D mice; and something to hear.
//!
//! How it works: every device gives the same six numbers, a push along three axes and a turn around three, each from -1 to 1. Gamepads and sound need libraries of
//! the system, so they are there only if steric was built with the feature `devices`; a 3D mouse is heard through the socket of its own driver.

#[cfg(unix)]
mod mouse3d;
#[cfg(feature = "devices")]
mod pads;
#[cfg(feature = "devices")]
mod sound;

use glam::DVec3;

/// What a hand does to a device with six degrees of freedom: a push and a turn, each axis from -1 to 1, seen from the screen: right, up, towards the eye.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Push {
    /// Along the axes.
    pub shift: DVec3,
    /// Around them.
    pub turn: DVec3,
}

impl Push {
    /// Whether the hand rests.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    fn plus(self, other: Self) -> Self {
        Self { shift: self.shift + other.shift, turn: self.turn + other.turn }
    }
}

/// What came from the devices: what moves the molecule, and what moves the view.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pushes {
    /// Of the first device, or of a 3D mouse.
    pub first: Push,
    /// Of the second gamepad, which always moves the view, as the second joystick box did in 1989.
    pub second: Push,
}

/// All devices there are.
#[derive(Debug, Default)]
pub struct Devices {
    #[cfg(feature = "devices")]
    pads: Option<pads::Pads>,
    #[cfg(feature = "devices")]
    sound: Option<sound::Sound>,
    #[cfg(unix)]
    mouse: Option<mouse3d::Mouse3d>,
    is_open: bool,
}

/// What is near the middle of a stick's way is nothing.
#[cfg_attr(not(feature = "devices"), allow(dead_code, reason = "only gamepads have sticks"))]
const DEAD: f64 = 0.12;

/// A stick with a part in its middle that does nothing, and finer steps next to it.
#[cfg_attr(not(feature = "devices"), allow(dead_code, reason = "only gamepads have sticks"))]
fn eased(value: f64) -> f64 {
    let beyond = (value.abs() - DEAD).max(0.0) / (1.0 - DEAD);
    value.signum() * beyond * beyond
}

impl Devices {
    /// Looks for devices, once.
    pub fn open(&mut self, wake: &crate::simulation::Wake) {
        if std::mem::replace(&mut self.is_open, true) {
            return;
        }
        #[cfg(feature = "devices")]
        {
            self.pads = pads::Pads::open();
        }
        #[cfg(unix)]
        {
            self.mouse = mouse3d::Mouse3d::open(wake);
        }
        #[cfg(not(unix))]
        let _ = wake;
    }

    /// What hands do to the devices now.
    pub fn pushes(&mut self) -> Pushes {
        #[allow(unused_mut, reason = "a page has no devices")]
        let mut pushes = Pushes::default();
        #[cfg(feature = "devices")]
        if let Some(pads) = &mut self.pads {
            pushes = pads.pushes();
        }
        #[cfg(unix)]
        if let Some(mouse) = &self.mouse {
            pushes.first = pushes.first.plus(mouse.push());
        }
        pushes
    }

    /// Whether there is a gamepad, which has to be asked again and again.
    pub fn has_pads(&self) -> bool {
        #[cfg(feature = "devices")]
        if self.pads.as_ref().is_some_and(|pads| !pads.names().is_empty()) {
            return true;
        }
        false
    }

    /// What there is, in words.
    pub fn about(&self) -> String {
        let mut found: Vec<String> = Vec::new();
        #[cfg(feature = "devices")]
        if let Some(pads) = &self.pads {
            found.extend(pads.names());
        }
        #[cfg(unix)]
        if self.mouse.is_some() {
            found.push("a 3D mouse".to_owned());
        }
        match (found.is_empty(), cfg!(feature = "devices")) {
            (false, _) => found.join(", "),
            (true, true) => "no gamepad and no 3D mouse found".to_owned(),
            (true, false) => {
                "no 3D mouse found; gamepads and sound need a steric that was built with --features devices".to_owned()
            }
        }
    }

    /// Beeps; silent where there is nothing to hear with.
    pub fn beep(&mut self) {
        #[cfg(feature = "devices")]
        {
            if self.sound.is_none() {
                self.sound = Some(sound::Sound::open());
            }
            if let Some(sound) = &self.sound {
                sound.beep();
            }
        }
        // The bell of the terminal that the window was started from, as in 1989.
        #[cfg(all(not(feature = "devices"), not(target_family = "wasm")))]
        {
            use std::io::{IsTerminal, Write};
            let mut terminal = std::io::stderr();
            if terminal.is_terminal() {
                terminal.write_all(b"\x07").ok();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stick_that_rests_does_nothing_and_one_that_is_pushed_all_the_way_does_all() {
        assert_eq!((eased(0.1), eased(-0.12), eased(1.0), eased(-1.0)), (0.0, 0.0, 1.0, -1.0));
        assert!(eased(0.3) > 0.0 && eased(0.3) < 0.3);
    }
}
