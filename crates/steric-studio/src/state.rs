//! What the window knows: what is open and where, what is chosen, and what has happened.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use steric::model::MoleculeId;
use steric::world::relax::Iteration;
use steric_view::{ColourBy, Look, Picked, Style};

use crate::cues::Cues;
use crate::files::Purpose;
use crate::simulation::{News, Now};
use crate::viewport::Tool;

/// So many iterations are kept for the charts, and so many sentences in the log.
const MOST_KEPT: usize = 20_000;

/// The last few numbers.
#[derive(Clone, Debug, Default)]
pub struct Recent(VecDeque<f64>);

impl Recent {
    const MOST: usize = 120;

    /// One more.
    pub fn push(&mut self, value: f64) {
        self.0.push_back(value);
        if self.0.len() > Self::MOST {
            self.0.pop_front();
        }
    }

    /// Their mean; nothing if there is none.
    pub fn mean(&self) -> Option<f64> {
        (!self.0.is_empty()).then(|| self.0.iter().sum::<f64>() / self.0.len() as f64)
    }

    /// All of them, the oldest first.
    pub fn iter(&self) -> impl Iterator<Item = f64> + '_ {
        self.0.iter().copied()
    }
}

/// What the panels show and change.
#[derive(Debug)]
pub struct State {
    /// Where everything is.
    pub now: Now,
    /// Every iteration since it was opened.
    pub history: Vec<Iteration>,
    /// Sentences, the newest last.
    pub log: Vec<String>,
    /// An error that stands before all until someone has read it.
    pub alert: Option<String>,
    /// Molecules that were chosen.
    pub selected: Vec<MoleculeId>,
    /// Molecules that are not drawn.
    pub hidden: Arc<Vec<bool>>,
    /// Colours that were given to single molecules.
    pub painted: Arc<BTreeMap<MoleculeId, [u8; 3]>>,
    /// The colour that was given last.
    pub brush_colour: [u8; 3],
    /// Whose overlaps were asked for.
    pub asked_to_watch: Option<MoleculeId>,
    /// What the mouse points at.
    pub pointed: Option<Picked>,
    /// What a drag does.
    pub tool: Tool,
    /// What colours say.
    pub by: ColourBy,
    /// The kind of light.
    pub style: Style,
    /// What helps to see depth.
    pub cues: Cues,
    /// Whether the background flashes.
    pub(crate) is_flashing: bool,
    /// Whether rocking waits, because a hand moves.
    pub(crate) rocking_waits: bool,
    /// A file that a panel asks for.
    pub(crate) wants: Option<Purpose>,
    /// Milliseconds of the last pictures.
    pub frame_times: Recent,
    opening: u64,
    edition: u64,
}

impl Default for State {
    fn default() -> Self {
        Self {
            now: Now::default(),
            history: Vec::new(),
            log: Vec::new(),
            alert: None,
            selected: Vec::new(),
            hidden: Arc::default(),
            painted: Arc::default(),
            brush_colour: [0, 114, 178],
            asked_to_watch: None,
            pointed: None,
            tool: Tool::default(),
            by: ColourBy::Collision,
            style: Style::Soft,
            cues: Cues::default(),
            is_flashing: false,
            rocking_waits: false,
            wants: None,
            frame_times: Recent::default(),
            opening: 0,
            edition: 0,
        }
    }
}

impl State {
    /// Takes over what the simulation has come to.
    pub fn take(&mut self, now: Now, news: News) {
        if now.opening != self.opening {
            self.opening = now.opening;
            self.history.clear();
            self.edition = u64::MAX;
            self.cues.see_through = None;
        }
        if now.edition != self.edition {
            // Molecules have other numbers now.
            self.edition = now.edition;
            self.selected.clear();
            self.pointed = None;
            self.painted = Arc::default();
            self.asked_to_watch = None;
            self.hidden = Arc::new(vec![false; now.poses.len()]);
        }
        self.now = now;
        self.history.extend(news.iterations);
        let too_many = self.history.len().saturating_sub(MOST_KEPT);
        self.history.drain(..too_many);
        news.log.into_iter().for_each(|line| self.say(line));
    }

    /// Adds a sentence to the log. One that begins with `error: ` is also put before everything else.
    pub fn say(&mut self, line: String) {
        if let Some(error) = line.strip_prefix("error: ") {
            self.alert = Some(error.to_owned());
        }
        self.log.push(line);
        let too_many = self.log.len().saturating_sub(MOST_KEPT);
        self.log.drain(..too_many);
    }

    /// Chooses a molecule; beside those that were chosen before if it is to be added.
    pub fn select(&mut self, molecule: MoleculeId, adds: bool) {
        if !adds {
            self.selected.clear();
        }
        match self.selected.iter().position(|&chosen| chosen == molecule) {
            Some(at) if adds => {
                self.selected.remove(at);
            }
            None => self.selected.push(molecule),
            _ => {}
        }
    }

    /// Hides the chosen molecules, or shows all again.
    pub fn hide(&mut self, is_hidden: bool) {
        let hidden = Arc::make_mut(&mut self.hidden);
        if is_hidden {
            for MoleculeId(id) in self.selected.drain(..) {
                if let Some(own) = hidden.get_mut(id as usize) {
                    *own = true;
                }
            }
        } else {
            hidden.fill(false);
        }
    }

    /// Gives the chosen molecules a colour.
    pub fn colour(&mut self, colour: [u8; 3]) {
        self.brush_colour = colour;
        Arc::make_mut(&mut self.painted).extend(self.selected.iter().map(|molecule| (*molecule, colour)));
    }

    /// Takes the colours away that were given to the chosen ones, or to all if none is chosen.
    pub fn uncolour(&mut self) {
        let painted = Arc::make_mut(&mut self.painted);
        if self.selected.is_empty() {
            painted.clear();
        }
        for molecule in &self.selected {
            painted.remove(molecule);
        }
    }

    /// How the picture looks.
    pub fn look(&self, is_dark: bool) -> Look {
        let background = if is_dark { [24; 3] } else { [255; 3] };
        let look = Look { samples: 1, background: Some(background), ..Look::of(self.style) };
        self.cues.on(look, self.is_flashing)
    }
}
