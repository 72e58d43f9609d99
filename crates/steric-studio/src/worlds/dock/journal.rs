//! Everything that was done since something was opened: kept, written to a log, and played again.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use egui::Ui;
use glam::DVec3;
use steric::dock::{Deed, Log, ReadLog, Session};
use steric::model::Instant;
use steric_view::Camera;

use super::keys::{self, DockCommand};
use super::{DockWorld, Moment};
use crate::platform;
use crate::state::State;

/// So many deeds are kept, so that a log can begin where the session began.
const MOST_DEEDS: usize = 400_000;
/// The view is written down this often, in seconds.
const LOOK_EVERY: f64 = 0.1;

/// All deeds so far, and the log that they are written to.
#[derive(Debug)]
pub(super) struct Journal {
    began: Instant,
    /// Seconds that had passed before.
    offset: f64,
    /// What a log begins with, and its lines.
    text: Vec<u8>,
    deeds: usize,
    log: Option<(PathBuf, BufWriter<File>)>,
    looked: (f64, [f64; 10]),
}

impl Default for Journal {
    fn default() -> Self {
        Self { began: Instant::now(), offset: 0.0, text: Vec::new(), deeds: 0, log: None, looked: (0.0, [0.0; 10]) }
    }
}

impl Journal {
    /// Of a session that begins: where things are is the first thing to write down.
    pub(super) fn of(session: &Session) -> Self {
        let mut journal = Self::default();
        // Memory does not fail.
        if Log::begin(session, &mut journal.text).is_err() {
            journal.text.clear();
        }
        // Where it begins, and what was chosen before it began.
        let mut again = Session::new(std::sync::Arc::clone(session.dock()));
        let deeds = [
            Deed::Forgive(session.tolerance()),
            Deed::Respond(session.response()),
            Deed::Collide(session.collides()),
            Deed::Put(session.world_from_ligand().into()),
        ];
        for deed in deeds {
            again.act(&deed, 0.0);
            journal.write(0.0, &deed, &again).ok();
        }
        journal
    }

    /// Of a log that was played up to here: what follows is written after it.
    pub(super) fn played(player: &Player) -> Self {
        Self { text: player.text_so_far(), deeds: player.next, offset: player.seconds(), ..Self::default() }
    }

    /// Seconds since the beginning.
    pub(super) fn seconds(&self) -> f64 {
        self.offset + self.began.elapsed().as_secs_f64()
    }

    /// Writes down what was done.
    pub(super) fn write(&mut self, at: f64, deed: &Deed, session: &Session) -> Result<(), String> {
        self.deeds += 1;
        let begin = self.text.len();
        Log::after(&mut self.text).write(at, deed, session).map_err(|error| error.to_string())?;
        if let Some((path, log)) = &mut self.log {
            let wrong = |error: std::io::Error| format!("{}: {error}", path.display());
            log.write_all(&self.text[begin..]).map_err(wrong)?;
            log.flush().map_err(wrong)?;
        }
        if self.deeds > MOST_DEEDS {
            self.text.truncate(begin);
        }
        Ok(())
    }

    /// Whether it is being written to a file.
    pub(super) fn is_recorded(&self) -> bool {
        self.log.is_some()
    }

    /// Writes everything so far to a file, and what follows.
    pub(super) fn record(&mut self, path: &Path) -> Result<(), String> {
        if self.deeds > MOST_DEEDS {
            return Err(format!("expected at most {MOST_DEEDS} deeds before a recording, found more; begin again"));
        }
        if !platform::HAS_FOLDERS {
            return platform::save(path, &self.text);
        }
        let wrong = |error: std::io::Error| format!("{}: {error}", path.display());
        let mut log = BufWriter::new(File::create(path).map_err(wrong)?);
        log.write_all(&self.text).and_then(|()| log.flush()).map_err(wrong)?;
        self.log = Some((path.to_owned(), log));
        Ok(())
    }

    /// Ends the file.
    pub(super) fn end(&mut self) -> Option<PathBuf> {
        self.log.take().map(|(path, _)| path)
    }
}

/// A log that is being played.
#[derive(Debug)]
pub(super) struct Player {
    log: ReadLog,
    text: String,
    name: String,
    next: usize,
    same: usize,
    first_other: Option<usize>,
    began: Instant,
}

impl Player {
    /// What came of it, in a sentence.
    pub(super) fn words(&self) -> String {
        let verdict = match self.first_other {
            None => "all the same bits".to_owned(),
            Some(line) => format!("other bits from line {line} on"),
        };
        let cut = if self.log.is_cut && self.next == self.log.lines.len() {
            "; the log breaks off in its last line"
        } else {
            ""
        };
        format!("played {} of {} deeds of {}, {verdict}{cut}", self.next, self.log.lines.len(), self.name)
    }

    /// When the last deed that was played was done.
    fn seconds(&self) -> f64 {
        self.next.checked_sub(1).and_then(|at| self.log.lines.get(at)).map_or(0.0, |(_, line)| line.at)
    }

    fn text_so_far(&self) -> Vec<u8> {
        let last = self.next.checked_sub(1).and_then(|at| self.log.lines.get(at)).map_or(1, |(number, _)| *number);
        let mut text = self.text.lines().take(last).collect::<Vec<_>>().join("\n");
        text.push('\n');
        text.into_bytes()
    }
}

impl DockWorld {
    /// Plays a log from its beginning.
    pub(super) fn play(&mut self, path: &Path, state: &mut State) -> Result<(), String> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
        let log = ReadLog::read(&name, &text).map_err(|error| error.to_string())?;
        let session = self.session.as_ref().ok_or("expected something to be open, found nothing")?;
        let session = log.session(&name, session.dock()).map_err(|error| error.to_string())?;
        self.begin(session, state);
        self.player = Some(Player { log, text, name, next: 0, same: 0, first_other: None, began: Instant::now() });
        Ok(())
    }

    /// Does what the log did until now.
    pub(super) fn play_on(&mut self, ui: &Ui, state: &mut State, camera: &mut Camera) {
        ui.ctx().request_repaint();
        let Some(mut player) = self.player.take() else { return };
        let seconds = player.began.elapsed().as_secs_f64();
        while let Some((number, line)) = player.log.lines.get(player.next).filter(|(_, line)| line.at <= seconds) {
            let Some(session) = &mut self.session else { break };
            let begin = Instant::now();
            let outcome = session.act(&line.deed, line.at);
            let microseconds = 1e6 * begin.elapsed().as_secs_f64();
            if player.log.is_same(line, session) {
                player.same += 1;
            } else {
                player.first_other.get_or_insert(*number);
            }
            if line.deed.is_motion() {
                let energy = session.force().map(|(energy, ..)| energy);
                self.moments.push_back(Moment {
                    seconds: line.at,
                    contacts: outcome.contacts.len(),
                    energy,
                    microseconds,
                });
            }
            let deed = line.deed.clone();
            player.next += 1;
            self.after(&outcome, state);
            match deed {
                Deed::Look(view) => *camera = camera_of(view, *camera),
                Deed::Press(name) => {
                    let known = keys::ALL.iter().find(|(_, known, ..)| *known == name).map(|(command, ..)| *command);
                    if let Some(command) = known.filter(|command| !is_deed(*command)) {
                        self.run_own(command, ui, state, camera);
                    }
                }
                _ => {}
            }
        }
        let is_over = player.next == player.log.lines.len();
        self.player = Some(player);
        if is_over {
            self.stop_playing(state);
        }
    }

    /// Writes down that a key was pressed that changes what is seen.
    pub(super) fn note_press(&mut self, command: DockCommand, state: &mut State) {
        if is_deed(command) || self.player.is_some() || matches!(command, DockCommand::Record | DockCommand::Play) {
            return;
        }
        if let Some((_, name, ..)) = keys::ALL.iter().find(|(known, ..)| *known == command) {
            self.act(Deed::Press((*name).to_owned()), state);
        }
    }

    /// Writes down from where one looks, now and then.
    pub(super) fn note_view(&mut self, camera: &Camera, state: &mut State) {
        let ([a, b, c], [d, e, f], [g, h, i]) = (camera.eye.into(), camera.target.into(), camera.up.into());
        let view = [a, b, c, d, e, f, g, h, i, camera.degrees];
        let seconds = self.journal.seconds();
        let (at, known) = self.journal.looked;
        if self.player.is_none() && view != known && seconds - at > LOOK_EVERY {
            self.journal.looked = (seconds, view);
            self.act(Deed::Look(view), state);
        }
    }
}

/// Commands that are written down as the deeds they are.
fn is_deed(command: DockCommand) -> bool {
    matches!(
        command,
        DockCommand::Which
            | DockCommand::Collide
            | DockCommand::Respond
            | DockCommand::Larger
            | DockCommand::Smaller
            | DockCommand::NextPose
            | DockCommand::BondForward
            | DockCommand::BondBack
            | DockCommand::Flex
            | DockCommand::Minimise
            | DockCommand::Downhill
            | DockCommand::Energies
            | DockCommand::Done
            | DockCommand::Again
            | DockCommand::Keys
            | DockCommand::Quit
            | DockCommand::Push(..)
    )
}

/// A camera as it was written down; the one that is there if that makes no sense.
fn camera_of([a, b, c, d, e, f, g, h, i, degrees]: [f64; 10], now: Camera) -> Camera {
    let camera = Camera { eye: DVec3::new(a, b, c), target: DVec3::new(d, e, f), up: DVec3::new(g, h, i), degrees };
    let is_sound = camera.eye.is_finite() && camera.target.is_finite() && camera.up.is_finite() && degrees.is_finite();
    if is_sound && camera.eye != camera.target { camera } else { now }
}
