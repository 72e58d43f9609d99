//! A 3D mouse, by the socket of its driver (spacenavd on Linux and others; 3Dconnexion's own driver offers the same).
//!
//! How it works: the driver writes packets of eight 32-bit words in the machine's order: the kind, then for a motion x, y, z and the turns around
//! them, about -350 to 350, and the milliseconds since the last one. A thread reads them and keeps the newest.

use std::io::Read;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use glam::DVec3;
use steric::model::Instant;

use super::Push;
use crate::simulation::Wake;

/// Where drivers put their socket.
const SOCKETS: [&str; 2] = ["/var/run/spnav.sock", "/run/spnav.sock"];
/// What a mouse says when it is pushed all the way.
const MOST: f64 = 350.0;
/// A mouse that has said nothing for so long rests, in seconds.
const SILENCE: f64 = 0.25;
const WORDS: usize = 8;
const MOTION: i32 = 0;

/// A 3D mouse.
#[derive(Debug)]
pub(super) struct Mouse3d {
    newest: Arc<Mutex<Option<(Push, Instant)>>>,
}

impl Mouse3d {
    /// The one that a driver knows, if there is one.
    pub(super) fn open(wake: &Wake) -> Option<Self> {
        SOCKETS.iter().find_map(|socket| Self::of(Path::new(socket), wake))
    }

    fn of(socket: &Path, wake: &Wake) -> Option<Self> {
        let mut stream = UnixStream::connect(socket).ok()?;
        let newest: Arc<Mutex<Option<(Push, Instant)>>> = Arc::default();
        let (theirs, wake) = (Arc::clone(&newest), Arc::clone(wake));
        let read = move || {
            let mut packet = [0u8; 4 * WORDS];
            // It ends with the driver, or with the program.
            while stream.read_exact(&mut packet).is_ok() {
                if let Some(push) = push_of(&packet) {
                    *theirs.lock().unwrap_or_else(PoisonError::into_inner) = Some((push, Instant::now()));
                    wake();
                }
            }
        };
        std::thread::Builder::new().name("3D mouse".to_owned()).spawn(read).ok()?;
        Some(Self { newest })
    }

    pub(super) fn push(&self) -> Push {
        let newest = *self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        newest.filter(|(_, at)| at.elapsed().as_secs_f64() < SILENCE).map_or(Push::default(), |(push, _)| push)
    }
}

/// A motion, of a packet that is one. The driver's z points away from the eye.
fn push_of(packet: &[u8; 4 * WORDS]) -> Option<Push> {
    let mut words = [0i32; WORDS];
    for (word, bytes) in words.iter_mut().zip(packet.chunks_exact(4)) {
        *word = i32::from_ne_bytes(bytes.try_into().ok()?);
    }
    let [kind, x, y, z, a, b, c, _] = words;
    let axis = |value: i32| (f64::from(value) / MOST).clamp(-1.0, 1.0);
    let vector = |x: i32, y: i32, z: i32| DVec3::new(axis(x), axis(y), -axis(z));
    (kind == MOTION).then(|| Push { shift: vector(x, y, z), turn: vector(a, b, c) })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use std::io::Write;
    use std::os::unix::net::UnixListener;
    use std::time::Duration;

    use super::*;

    fn packet(words: [i32; WORDS]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    #[test]
    fn a_mouse_is_heard_through_its_drivers_socket_and_rests_when_it_is_silent() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("spnav.sock");
        let listener = UnixListener::bind(&socket).unwrap();
        let wake: Wake = Arc::new(|| ());
        assert!(Mouse3d::of(&folder.path().join("nothing"), &wake).is_none());
        let mouse = Mouse3d::of(&socket, &wake).unwrap();
        let (mut driver, _) = listener.accept().unwrap();
        driver.write_all(&packet([1, 0, 0, 0, 0, 0, 0, 0])).unwrap();
        driver.write_all(&packet([0, 350, -175, 700, 0, 0, -350, 16])).unwrap();
        let began = Instant::now();
        while mouse.push().is_nothing() {
            assert!(began.elapsed() < Duration::from_secs(10), "it was not heard");
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(mouse.push(), Push { shift: DVec3::new(1.0, -0.5, -1.0), turn: DVec3::new(0.0, 0.0, 1.0) });
        std::thread::sleep(Duration::from_millis(300));
        assert!(mouse.push().is_nothing());
    }
}
