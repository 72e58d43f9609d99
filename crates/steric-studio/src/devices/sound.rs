//! A beep.

use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;

use rodio::source::{SineWave, Source};

/// Something to hear with. A thread owns the device, because devices do not like to change threads; where there is none it hears of beeps and says nothing.
#[derive(Debug)]
pub(super) struct Sound {
    beeps: SyncSender<()>,
}

impl Sound {
    pub(super) fn open() -> Self {
        // One that is heard and one that waits: a hand that scrapes along a wall must not beep for minutes.
        let (beeps, asked) = sync_channel::<()>(1);
        let speak = move || {
            let Ok(stream) = rodio::DeviceSinkBuilder::open_default_sink() else { return };
            while asked.recv().is_ok() {
                let beep = SineWave::new(880.0).take_duration(BEEP).fade_out(BEEP).amplify(0.2);
                stream.mixer().add(beep);
                std::thread::sleep(2 * BEEP);
            }
        };
        std::thread::Builder::new().name("sound".to_owned()).spawn(speak).ok();
        Self { beeps }
    }

    pub(super) fn beep(&self) {
        self.beeps.try_send(()).ok();
    }
}

const BEEP: Duration = Duration::from_millis(60);
