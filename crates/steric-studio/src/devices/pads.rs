//! Gamepads: two sticks, shoulders and triggers, as the joystick boxes of 1989.

use gilrs::{Axis, Button, Gamepad, Gilrs};
use glam::DVec3;

use super::{Push, Pushes, eased};

/// All gamepads there are.
pub(super) struct Pads(Gilrs);

impl std::fmt::Debug for Pads {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

impl Pads {
    /// Nothing where the system has no word for gamepads.
    pub(super) fn open() -> Option<Self> {
        Gilrs::new().ok().map(Self)
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.0.gamepads().map(|(_, pad)| pad.name().to_owned()).collect()
    }

    /// The left stick shifts right and up, the triggers away and towards; the right stick turns, the shoulders roll.
    pub(super) fn pushes(&mut self) -> Pushes {
        while self.0.next_event().is_some() {}
        let mut pads = self.0.gamepads().map(|(_, pad)| push_of(&pad));
        let (first, second) = (pads.next().unwrap_or_default(), pads.next().unwrap_or_default());
        Pushes { first, second }
    }
}

fn push_of(pad: &Gamepad<'_>) -> Push {
    let axis = |axis: Axis| eased(f64::from(pad.value(axis)));
    let trigger = |button: Button| pad.button_data(button).map_or(0.0, |data| eased(f64::from(data.value())));
    let pressed = |button: Button| f64::from(u8::from(pad.is_pressed(button)));
    Push {
        shift: DVec3::new(
            axis(Axis::LeftStickX),
            axis(Axis::LeftStickY),
            trigger(Button::RightTrigger2) - trigger(Button::LeftTrigger2),
        ),
        turn: DVec3::new(
            -axis(Axis::RightStickY),
            axis(Axis::RightStickX),
            pressed(Button::LeftTrigger) - pressed(Button::RightTrigger),
        ),
    }
}
