//! The dock world: a ligand in hand at a receptor.
//!
//! How it works: everything that moves molecules is a deed of a [`Session`], and so is written down. A motion takes microseconds, so it is done here, between two frames;
//! what takes longer, reading files and working out energies, has a thread of its own. The window draws two molecules where they are now; if a bond was turned or
//! atoms have grown, they are other molecules and are loaded anew.

mod hand;
mod journal;
pub(crate) mod keys;
mod panels;
mod shown;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

use egui::Ui;
use glam::DVec3;
use steric::dock::{Deed, Outcome, Session, Standing, TRIAL_HEADING, Which};
use steric::model::{Instant, MoleculeId};
use steric::world::dock::energy::{Energy, EnergyGrid};
use steric::world::dock::{Contact, Response};
use steric_view::Camera;

use super::{Grip, World, Written};
use crate::commands::Command;
use crate::devices::Devices;
use crate::files::Purpose;
use crate::platform;
use crate::simulation::{DockSource, Now, Simulation, Source, Wake, WakeUp};
use crate::state::State;
use journal::{Journal, Player};
use keys::{DockCommand, KeyMap};
use shown::Shown;

/// What a hand moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The view.
    View,
    /// A molecule.
    #[default]
    Object,
    /// The light.
    Light,
}

/// Along which axes a hand moves a molecule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Space {
    /// Those of the screen.
    #[default]
    Screen,
    /// Those of the molecule itself.
    Object,
}

/// One moment, for the charts.
#[derive(Clone, Copy, Debug)]
struct Moment {
    seconds: f64,
    contacts: usize,
    energy: Option<Energy>,
    microseconds: f64,
}

/// So many moments are kept.
const MOST_MOMENTS: usize = 2_000;
/// Energies reach so far beyond the poses of the ligand, at points so far apart, in angstroms.
const ENERGIES: [f64; 2] = [8.0, 0.25];
/// A bond turns by so much at a time, in radians.
const BEND: f64 = 5.0 * std::f64::consts::PI / 180.0;
/// Side chains nearer than this give way, in angstroms.
const NEAR: f64 = 6.0;
/// How long the background flashes, in seconds.
const FLASH: f64 = 0.12;
/// Steps downhill in a frame, and when someone wants all of them.
const DOWNHILL: [u32; 2] = [3, 2_000];
/// From so far beside the ligand one looks first, in radians around the vertical.
const BESIDE: f64 = 0.9;
/// What keys are kept under.
const KEYS: &str = "keys.json";

/// A ligand in hand.
#[derive(Debug)]
pub(crate) struct DockWorld {
    source: DockSource,
    opening: u64,
    /// While it is being read.
    coming: Option<Receiver<Result<Session, String>>>,
    session: Option<Session>,
    shown: Option<Shown>,
    contacts: Vec<Contact>,
    energy: Option<(Energy, DVec3, DVec3)>,
    energies: Option<Receiver<Arc<EnergyGrid>>>,
    journal: Journal,
    player: Option<Player>,
    moments: VecDeque<Moment>,
    mode: Mode,
    space: Space,
    sensitivity: f64,
    bond: usize,
    goes_downhill: bool,
    /// Where it came to when it fell no farther.
    fallen: Option<u64>,
    /// Whether it flies on by itself.
    flies: bool,
    is_hit: bool,
    flashed: Option<Instant>,
    /// Whether the hand moved in this frame, so that rocking waits.
    moves: bool,
    /// Whether keys were held in the last frame, so that a new push is a new thing to undo.
    was_pushed: bool,
    devices: Devices,
    keys: KeyMap,
    kept_keys: String,
    keys_window: Option<Option<DockCommand>>,
    folder: Option<PathBuf>,
    wake: WakeUp,
    trials: String,
    who: String,
    is_told: bool,
    /// Frames in which the view is still put where one sees both molecules.
    fresh: u8,
}

impl std::fmt::Debug for Grip<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Grip").field("axes", &self.axes).finish_non_exhaustive()
    }
}

impl DockWorld {
    /// Reads what is docked, beside the window.
    pub(crate) fn open(source: DockSource, opening: u64, folder: Option<PathBuf>, wake: Wake) -> Self {
        let (give, coming) = channel();
        let (wanted, woken) = (source.clone(), Arc::clone(&wake));
        let read = move || {
            give.send(wanted.session()).ok();
            woken();
        };
        platform::beside("reading", read);
        let kept = folder.as_deref().and_then(|folder| platform::kept(folder, KEYS)).unwrap_or_default();
        Self {
            source,
            opening,
            coming: Some(coming),
            session: None,
            shown: None,
            contacts: Vec::new(),
            energy: None,
            energies: None,
            journal: Journal::default(),
            player: None,
            moments: VecDeque::new(),
            mode: Mode::default(),
            space: Space::default(),
            sensitivity: 1.0,
            bond: 0,
            goes_downhill: false,
            fallen: None,
            flies: false,
            is_hit: false,
            flashed: None,
            moves: false,
            was_pushed: false,
            devices: Devices::default(),
            keys: KeyMap::read(&kept),
            kept_keys: KeyMap::read(&kept).text(),
            keys_window: None,
            folder,
            wake: WakeUp(wake),
            trials: TRIAL_HEADING.to_owned(),
            who: "1".to_owned(),
            is_told: false,
            fresh: 3,
        }
    }

    /// Takes over what was read.
    fn take(&mut self, state: &mut State) {
        let Some(coming) = &self.coming else { return };
        match coming.try_recv() {
            Ok(Ok(session)) => {
                self.coming = None;
                state.by = steric_view::ColourBy::Type;
                self.begin(session, state);
                self.devices.open(&self.wake.0);
            }
            Ok(Err(error)) => {
                self.coming = None;
                state.say(format!("error: {error}"));
            }
            Err(TryRecvError::Disconnected) => {
                self.coming = None;
                state.say(format!(
                    "error: {}: expected it to be read, found that reading broke off",
                    self.source.name()
                ));
            }
            Err(TryRecvError::Empty) => {}
        }
    }

    fn begin(&mut self, session: Session, state: &mut State) {
        let [receptor, ligand] = session.dock().names();
        state.say(format!("{ligand} at {receptor}: drag it; Space moves the view, F2 shows all keys"));
        self.journal = Journal::of(&session);
        self.session = Some(session);
        self.is_told = false;
        self.after(&Outcome::default(), state);
    }

    /// Does something, writes it down, and tells of a hit.
    fn act(&mut self, deed: Deed, state: &mut State) -> bool {
        let Some(session) = &mut self.session else { return false };
        let (at, begin) = (self.journal.seconds(), Instant::now());
        let outcome = session.act(&deed, at);
        let microseconds = 1e6 * begin.elapsed().as_secs_f64();
        if let Err(error) = self.journal.write(at, &deed, session) {
            state.say(format!("error: {error}"));
        }
        if deed.is_motion() {
            self.moves = true;
            let energy = session.force().map(|(energy, ..)| energy);
            self.moments.push_back(Moment { seconds: at, contacts: outcome.contacts.len(), energy, microseconds });
            if self.moments.len() > MOST_MOMENTS {
                self.moments.pop_front();
            }
        }
        let is_there = outcome.is_there;
        self.after(&outcome, state);
        is_there
    }

    /// What follows from where everything is now.
    fn after(&mut self, outcome: &Outcome, state: &mut State) {
        let Some(session) = &self.session else { return };
        let is_hit = !outcome.contacts.is_empty();
        if is_hit && !self.is_hit {
            if state.cues.flashes {
                self.flashed = Some(Instant::now());
            }
            if state.cues.beeps {
                self.devices.beep();
            }
        }
        self.is_hit = is_hit;
        self.contacts.clone_from(&outcome.contacts);
        self.energy = session.force();
        match Shown::of(session, self.shown.take(), &self.contacts, (self.opening, &self.source)) {
            Ok(shown) => self.shown = Some(shown),
            Err(error) => state.say(format!("error: {error}")),
        }
        if let Some(trial) = session.trial().filter(|trial| trial.solved.is_some() && !self.is_told) {
            self.is_told = true;
            let response = if session.collides() { session.response().to_string() } else { "off".to_owned() };
            self.trials += &trial.row(&self.who, &response, self.journal.seconds());
            let seconds = trial.solved.unwrap_or_default();
            state.say(format!("solved after {seconds:.1} s, {} motions and {} hits", trial.motions, trial.hits));
        }
    }

    /// Marks, so that what follows is undone at once.
    fn mark(&mut self, state: &mut State) {
        self.act(Deed::Mark(()), state);
    }

    /// What is open, if it has been read.
    pub(crate) fn session(&self) -> Option<&Session> {
        self.session.as_ref()
    }

    /// Does what a key or a button says.
    pub(crate) fn run_own(&mut self, command: DockCommand, ui: &Ui, state: &mut State, camera: &mut Camera) {
        let Some(session) = &self.session else { return };
        let standing: Standing = session.standing().clone();
        let cues = &mut state.cues;
        match command {
            DockCommand::Mode => self.mode = if self.mode == Mode::View { Mode::Object } else { Mode::View },
            DockCommand::Light => self.mode = if self.mode == Mode::Light { Mode::Object } else { Mode::Light },
            DockCommand::SeeThrough => {
                cues.see_through = match cues.see_through {
                    None => Some(MoleculeId(0)),
                    Some(MoleculeId(0)) => Some(MoleculeId(1)),
                    Some(_) => None,
                };
            }
            DockCommand::ScreenDoor => cues.screen_door = !cues.screen_door,
            DockCommand::Flash => cues.flashes = !cues.flashes,
            DockCommand::Beep => cues.beeps = !cues.beeps,
            DockCommand::LookAtAll => self.look_at_all(ui, camera),
            DockCommand::RockMore => cues.rock(true),
            DockCommand::RockLess => cues.rock(false),
            DockCommand::Stereo => cues.is_stereo = !cues.is_stereo,
            DockCommand::StereoKind => cues.next_stereo(),
            DockCommand::EyesNearer => cues.widen(false),
            DockCommand::EyesFarther => cues.widen(true),
            DockCommand::Shadows => cues.shadows = if cues.shadows > 0.0 { 0.0 } else { 0.7 },
            DockCommand::Fog => cues.fog = if cues.fog > 0.0 { 0.0 } else { 0.6 },
            DockCommand::Quit => ui.ctx().send_viewport_cmd(egui::ViewportCommand::Close),
            DockCommand::Space => {
                self.space = if self.space == Space::Screen { Space::Object } else { Space::Screen };
            }
            DockCommand::Finer => self.sensitivity = (self.sensitivity / 1.25).max(0.05),
            DockCommand::Coarser => self.sensitivity = (self.sensitivity * 1.25).min(20.0),
            DockCommand::Keys => self.keys_window = if self.keys_window.is_some() { None } else { Some(None) },
            DockCommand::Record if self.journal.is_recorded() => {
                if let Some(path) = self.journal.end() {
                    state.say(format!("wrote {}", path.display()));
                }
            }
            DockCommand::Record => state.wants = Some(Purpose::Log),
            DockCommand::Play if self.player.is_some() => self.stop_playing(state),
            DockCommand::Play => state.wants = Some(Purpose::PlayLog),
            DockCommand::Energies => self.work_out(state),
            DockCommand::Downhill => {
                self.goes_downhill = !self.goes_downhill;
                self.work_out(state);
            }
            DockCommand::NextBond => {
                let bonds = standing.radians.len();
                self.bond = if bonds == 0 { 0 } else { (self.bond + 1) % bonds };
            }
            DockCommand::Push(..) => {}
            _ => self.run_deed(command, &standing, state),
        }
        self.note_press(command, state);
    }

    /// Commands that are deeds.
    fn run_deed(&mut self, command: DockCommand, standing: &Standing, state: &mut State) {
        let Some(session) = &self.session else { return };
        let deed = match command {
            DockCommand::Which => Deed::Move(session.which().other()),
            DockCommand::Collide => Deed::Collide(!session.collides()),
            DockCommand::Respond => {
                let at = Response::ALL.iter().position(|response| *response == session.response()).unwrap_or(0);
                Deed::Respond(Response::ALL[(at + 1) % Response::ALL.len()])
            }
            DockCommand::Larger => Deed::Grow(session.grown() * 1.05),
            DockCommand::Smaller => Deed::Grow(session.grown() / 1.05),
            DockCommand::NextPose => Deed::Take((standing.pose + 1) % session.dock().pose_count().max(1)),
            DockCommand::BondForward | DockCommand::BondBack => {
                let mut radians = standing.radians.clone();
                let Some(own) = radians.get_mut(self.bond) else { return };
                *own += if command == DockCommand::BondForward { BEND } else { -BEND };
                Deed::Turn(radians)
            }
            DockCommand::Flex if session.flexible().is_empty() => {
                let pose = standing.receptor_from_ligand;
                let places: Vec<DVec3> = session.ligand_places().iter().map(|place| pose * *place).collect();
                Deed::Flex(session.dock().side_chains_near(&places, NEAR))
            }
            DockCommand::Flex => Deed::Flex(Vec::new()),
            DockCommand::Minimise if session.has_energies() => Deed::Downhill(DOWNHILL[1]),
            DockCommand::Minimise => return self.work_out(state),
            DockCommand::Done => Deed::Claim(()),
            DockCommand::Again => return self.begin_again(state),
            _ => return,
        };
        if deed.is_motion() || matches!(deed, Deed::Take(_)) {
            self.mark(state);
        }
        let is_claim = deed == Deed::Claim(());
        self.act(deed, state);
        if is_claim && self.session.as_ref().is_some_and(|session| !session.is_solved()) {
            state.say("not yet: something overlaps, or the E is not through the rings".to_owned());
        }
    }

    /// Back to the beginning, with the same molecules and the same response.
    fn begin_again(&mut self, state: &mut State) {
        let Some(old) = self.session.take() else { return };
        let mut session = match self.source.begun(&old) {
            Ok(session) => session,
            Err(error) => return state.say(format!("error: {error}")),
        };
        session.act(&Deed::Respond(old.response()), 0.0);
        session.act(&Deed::Collide(old.collides()), 0.0);
        self.moments.clear();
        self.begin(session, state);
    }

    /// Works out energies beside the window.
    fn work_out(&mut self, state: &mut State) {
        let Some(session) = &self.session else { return };
        if session.has_energies() || self.energies.is_some() {
            return;
        }
        state.say("working out the energies of the receptor".to_owned());
        let (give, take) = channel();
        let (dock, wake) = (Arc::clone(session.dock()), Arc::clone(&self.wake.0));
        let work = move || {
            give.send(Arc::new(dock.energy_grid(ENERGIES[0], ENERGIES[1]))).ok();
            wake();
        };
        platform::beside("energies", work);
        self.energies = Some(take);
    }

    fn take_energies(&mut self, state: &mut State) {
        let Some(energies) = &self.energies else { return };
        let grid = match energies.try_recv() {
            Ok(grid) => grid,
            Err(TryRecvError::Empty) => return,
            Err(TryRecvError::Disconnected) => {
                self.energies = None;
                return state.say(
                    "error: expected the energies of the receptor, found that working them out broke off".to_owned(),
                );
            }
        };
        self.energies = None;
        if let Some(session) = &mut self.session {
            session.set_energies(ENERGIES, grid);
        }
        self.act(Deed::Energies(ENERGIES), state);
        state.say("the energies are there".to_owned());
    }

    fn look_at_all(&self, ui: &Ui, camera: &mut Camera) {
        let Some(shown) = &self.shown else { return };
        let aspect = f64::from(ui.ctx().content_rect().aspect_ratio()).max(0.1);
        let degrees = camera.degrees;
        *camera = Camera { degrees, ..Camera::of(&shown.scene_now(), steric_view::Side::default(), aspect) };
    }

    /// Looks from beside the ligand, so that it is seen before the receptor and not behind it.
    fn look_at_both(&self, ui: &Ui, camera: &mut Camera) {
        let (Some(shown), Some(session)) = (&self.shown, &self.session) else { return };
        let standing = session.standing();
        let out = session.world_from_ligand() * session.dock().hand(standing.pose).body.middle()
            - standing.world_from_receptor.translation;
        let beside = glam::DQuat::from_rotation_z(BESIDE) * out.normalize_or(DVec3::NEG_Y);
        let side = steric_view::Side {
            turn: beside.x.atan2(-beside.y).to_degrees(),
            lift: beside.z.asin().to_degrees().clamp(-60.0, 60.0) + 10.0,
        };
        let aspect = f64::from(ui.ctx().content_rect().aspect_ratio()).max(0.1);
        *camera = Camera { degrees: camera.degrees, ..Camera::of(&shown.scene_now(), side, aspect) };
    }

    fn stop_playing(&mut self, state: &mut State) {
        if let Some(player) = self.player.take() {
            state.say(player.words());
            // What was played is what stands, and can be gone on with.
            self.journal = Journal::played(&player);
        }
    }

    fn is_flashing(&self) -> bool {
        self.flashed.is_some_and(|at| at.elapsed().as_secs_f64() < FLASH)
    }
}

impl World for DockWorld {
    fn scene(&mut self, ui: &mut Ui, state: &mut State, _simulation: &Simulation) {
        self.show_scene(ui, state);
    }

    fn physics(&mut self, ui: &mut Ui, state: &mut State, _simulation: &Simulation) {
        self.show_physics(ui, state);
    }

    fn charts(&mut self, ui: &mut Ui, _state: &State) {
        self.show_charts(ui);
    }

    fn selection(&mut self, ui: &mut Ui, _state: &mut State, _simulation: &Simulation) {
        self.show_contacts(ui);
    }

    fn preset(&self, _state: &State) -> Option<Result<String, String>> {
        None
    }

    fn now(&self) -> Option<Now> {
        let busy = self.coming.is_some().then(|| format!("reading {}", self.source.name()));
        Some(match &self.shown {
            Some(shown) => shown.now(busy),
            None => Now { opening: self.opening, busy, ..Now::default() },
        })
    }

    fn frame(&mut self, ui: &Ui, state: &mut State, camera: &mut Camera) {
        self.moves = false;
        self.take(state);
        self.take_energies(state);
        if self.session.is_none() {
            return;
        }
        if self.fresh > 0 {
            self.fresh -= 1;
            self.look_at_both(ui, camera);
        }
        if self.player.is_some() {
            self.play_on(ui, state, camera);
        } else {
            self.listen(ui, state, camera);
        }
        self.note_view(camera, state);
        state.is_flashing = self.is_flashing();
        state.rocking_waits = self.moves;
        if state.is_flashing {
            ui.ctx().request_repaint_after(std::time::Duration::from_secs_f64(FLASH));
        }
        self.show_keys(ui, state, camera);
    }

    fn steer(&mut self, grip: &mut Grip<'_>, state: &mut State) -> bool {
        self.grip(grip, state)
    }

    fn bar(&mut self, ui: &mut Ui, state: &mut State, camera: &mut Camera) -> bool {
        self.show_bar(ui, state, camera);
        true
    }

    fn run(&mut self, command: Command, state: &mut State) -> bool {
        match command {
            Command::Undo => self.act(Deed::Undo(()), state),
            Command::Redo => self.act(Deed::Redo(()), state),
            Command::Reset => {
                self.begin_again(state);
                true
            }
            // What is meant for molecules that push each other.
            Command::Play | Command::Step | Command::Tool(_) | Command::Pin | Command::Delete => true,
            _ => return false,
        };
        true
    }

    fn use_file(&mut self, purpose: Purpose, path: &Path, state: &mut State) -> Option<Result<Written, String>> {
        let session = self.session.as_ref()?;
        let written = match purpose {
            Purpose::Model => Some(platform::save_model(path, &session.ligand())),
            Purpose::Table => Some(platform::save(path, self.table().as_bytes())),
            Purpose::Trials => Some(platform::save(path, self.trials.as_bytes())),
            Purpose::Log => Some(self.journal.record(path)),
            Purpose::PlayLog => Some(self.play(path, state)),
            _ => None,
        };
        written.map(|result| result.map(|()| Written::Now))
    }

    fn is_open(&self) -> Option<bool> {
        if self.coming.is_some() { None } else { Some(self.session.is_some()) }
    }

    fn dock(&self) -> Option<&DockWorld> {
        Some(self)
    }
}

/// Which of the two a molecule of the window is.
fn which_is(molecule: MoleculeId) -> Which {
    if molecule.0 == 0 { Which::Receptor } else { Which::Ligand }
}

impl From<DockSource> for Source {
    fn from(source: DockSource) -> Self {
        Self::Dock(source)
    }
}
