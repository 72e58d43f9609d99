//! What keys do while something is docked: every toggle of the manual of 1989 (Turk, A.6), and what was added since.

use std::collections::BTreeMap;

use egui::{Context, Key, KeyboardShortcut, Modifiers};

/// Something that can be done by a key or a button.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DockCommand {
    Mode,
    Light,
    Which,
    Collide,
    Respond,
    SeeThrough,
    ScreenDoor,
    Flash,
    Beep,
    LookAtAll,
    RockMore,
    RockLess,
    Larger,
    Smaller,
    Stereo,
    StereoKind,
    EyesNearer,
    EyesFarther,
    Quit,
    Shadows,
    Fog,
    Space,
    Energies,
    Downhill,
    Minimise,
    NextPose,
    NextBond,
    BondForward,
    BondBack,
    Flex,
    Done,
    Again,
    Finer,
    Coarser,
    Record,
    Play,
    Keys,
    /// A push along an axis (0 to 2), forward or back; with Shift a turn around it.
    Push(u8, bool),
}

/// A command, what it is called, what it does, and its usual keys.
type Entry = (DockCommand, &'static str, &'static str, KeyboardShortcut);

const fn plain(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::NONE, key)
}

const fn shift(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::SHIFT, key)
}

/// Every command. Those of the manual have its keys.
pub(crate) const ALL: [Entry; 43] = [
    (DockCommand::Mode, "view or object", "What the hand moves: the view, or a molecule.", plain(Key::Space)),
    (DockCommand::Light, "light", "The hand moves the light.", plain(Key::L)),
    (DockCommand::Which, "other molecule", "Takes the other molecule in hand.", plain(Key::J)),
    (DockCommand::Collide, "collisions", "Looks out for collisions, or not.", plain(Key::C)),
    (DockCommand::Respond, "response", "What happens at a hit: the next way.", plain(Key::R)),
    (
        DockCommand::SeeThrough,
        "see through",
        "Lets one look through the receptor, the ligand, or neither.",
        plain(Key::T),
    ),
    (DockCommand::ScreenDoor, "screen door", "Looks through a grid of holes, or through glass.", shift(Key::T)),
    (DockCommand::Flash, "flash", "The background flashes at a hit.", plain(Key::F)),
    (DockCommand::Beep, "beep", "A hit is heard.", plain(Key::B)),
    (DockCommand::LookAtAll, "look at all", "Looks at everything again, from the front.", plain(Key::V)),
    (DockCommand::RockMore, "rock more", "The view swings, farther each time.", shift(Key::Num0)),
    (DockCommand::RockLess, "rock less", "The view swings less, or not at all.", shift(Key::Num9)),
    (DockCommand::Larger, "larger atoms", "All radii grow.", plain(Key::Period)),
    (DockCommand::Smaller, "smaller atoms", "All radii shrink.", plain(Key::Comma)),
    (DockCommand::Stereo, "stereo", "A picture for each eye.", shift(Key::S)),
    (
        DockCommand::StereoKind,
        "kind of stereo",
        "Side by side, cross-eyed, red and cyan, or every other row.",
        shift(Key::A),
    ),
    (DockCommand::EyesNearer, "eyes nearer", "The two eyes come nearer together.", plain(Key::OpenBracket)),
    (DockCommand::EyesFarther, "eyes farther", "The two eyes go farther apart.", plain(Key::CloseBracket)),
    (DockCommand::Quit, "quit", "Closes the window.", plain(Key::Q)),
    (DockCommand::Shadows, "shadows", "Molecules throw shadows.", plain(Key::H)),
    (DockCommand::Fog, "fog", "What is far vanishes in fog.", plain(Key::G)),
    (DockCommand::Space, "screen or object axes", "Along the axes of the screen, or of the molecule.", plain(Key::O)),
    (
        DockCommand::Energies,
        "energies",
        "Works out the receptor's energies, and shows what the ligand is worth.",
        plain(Key::E),
    ),
    (DockCommand::Downhill, "downhill", "Energies pull the ligand downhill.", plain(Key::D)),
    (
        DockCommand::Minimise,
        "minimise",
        "Goes downhill as far as it goes: place, orientation and bonds.",
        plain(Key::M),
    ),
    (DockCommand::NextPose, "next pose", "Takes the next pose of the ligand's file.", plain(Key::N)),
    (DockCommand::NextBond, "next bond", "Chooses the next bond that turns.", plain(Key::U)),
    (DockCommand::BondForward, "turn the bond", "Turns the chosen bond.", plain(Key::K)),
    (DockCommand::BondBack, "turn it back", "Turns the chosen bond the other way.", plain(Key::I)),
    (DockCommand::Flex, "side chains", "Side chains near the ligand give way when it is pushed.", plain(Key::Y)),
    (DockCommand::Done, "done", "Says that the task is done.", plain(Key::Enter)),
    (DockCommand::Again, "again", "Begins again.", shift(Key::R)),
    (DockCommand::Finer, "finer hand", "The hand moves less.", plain(Key::Minus)),
    (DockCommand::Coarser, "coarser hand", "The hand moves more.", plain(Key::Plus)),
    (DockCommand::Record, "record", "Writes down everything since it was opened, and what follows.", shift(Key::P)),
    (DockCommand::Play, "play a log", "Plays a log again.", plain(Key::P)),
    (DockCommand::Keys, "keys", "Shows all keys, to be changed.", plain(Key::F2)),
    (DockCommand::Push(0, false), "left", "Left; with Shift around the vertical axis.", plain(Key::ArrowLeft)),
    (DockCommand::Push(0, true), "right", "Right; with Shift around the vertical axis.", plain(Key::ArrowRight)),
    (DockCommand::Push(1, false), "down", "Down; with Shift around the horizontal axis.", plain(Key::ArrowDown)),
    (DockCommand::Push(1, true), "up", "Up; with Shift around the horizontal axis.", plain(Key::ArrowUp)),
    (DockCommand::Push(2, false), "away", "Away; with Shift around the line of sight.", plain(Key::PageDown)),
    (DockCommand::Push(2, true), "nearer", "Nearer; with Shift around the line of sight.", plain(Key::PageUp)),
];

/// Which keys do what.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeyMap {
    /// What was changed, by the names of commands.
    changed: BTreeMap<String, String>,
}

/// Keys as people write them.
pub(crate) fn words(keys: KeyboardShortcut) -> String {
    let modifiers = keys.modifiers;
    let mut words = String::new();
    for (is_held, name) in [(modifiers.command, "Ctrl+"), (modifiers.alt, "Alt+"), (modifiers.shift, "Shift+")] {
        if is_held {
            words.push_str(name);
        }
    }
    words + keys.logical_key.name()
}

fn parse(text: &str) -> Option<KeyboardShortcut> {
    let (mut rest, mut modifiers) = (text, Modifiers::NONE);
    for (name, held) in [("Ctrl+", Modifiers::COMMAND), ("Alt+", Modifiers::ALT), ("Shift+", Modifiers::SHIFT)] {
        if let Some(after) = rest.strip_prefix(name).filter(|after| !after.is_empty()) {
            (rest, modifiers) = (after, modifiers | held);
        }
    }
    Some(KeyboardShortcut::new(modifiers, Key::from_name(rest)?))
}

impl KeyMap {
    /// As it was kept; what nobody understands is left out.
    pub(crate) fn read(text: &str) -> Self {
        let changed: BTreeMap<String, String> = serde_json::from_str(text).unwrap_or_default();
        let is_known = |name: &str| ALL.iter().any(|(_, known, ..)| *known == name);
        let changed = changed.into_iter().filter(|(name, keys)| is_known(name) && parse(keys).is_some()).collect();
        Self { changed }
    }

    /// To be kept.
    pub(crate) fn text(&self) -> String {
        serde_json::to_string_pretty(&self.changed).unwrap_or_default()
    }

    /// The keys of a command.
    pub(crate) fn of(&self, command: DockCommand) -> Option<KeyboardShortcut> {
        let (_, name, _, usual) = ALL.iter().find(|(known, ..)| *known == command)?;
        Some(self.changed.get(*name).and_then(|keys| parse(keys)).unwrap_or(*usual))
    }

    /// Gives a command other keys; whoever had them gets the command's old ones.
    pub(crate) fn change(&mut self, command: DockCommand, keys: KeyboardShortcut) {
        let Some(old) = self.of(command) else { return };
        for (other, name, ..) in ALL {
            if other == command {
                self.changed.insert(name.to_owned(), words(keys));
            } else if self.of(other) == Some(keys) {
                self.changed.insert(name.to_owned(), words(old));
            }
        }
    }

    /// All keys as they were.
    pub(crate) fn reset(&mut self) {
        self.changed.clear();
    }

    /// Commands whose keys were pressed, unless someone is writing. Keys that push are asked for by [`Self::pushes`].
    pub(crate) fn pressed(&self, ctx: &Context) -> Vec<DockCommand> {
        if ctx.text_edit_focused() {
            return Vec::new();
        }
        let commands = ALL.iter().map(|(command, ..)| *command);
        let mut all: Vec<_> = commands
            .filter(|command| !matches!(command, DockCommand::Push(..)))
            .filter_map(|command| Some((command, self.of(command)?)))
            .collect();
        // Those with more keys first: what they hold is in others as well.
        all.sort_by_key(|(_, keys)| std::cmp::Reverse(keys.modifiers.shift));
        all.retain(|(_, keys)| ctx.input_mut(|input| input.consume_shortcut(keys)));
        all.into_iter().map(|(command, _)| command).collect()
    }

    /// Which of the keys that push are held down: for each axis -1, 0 or 1, and whether they turn.
    pub(crate) fn pushes(&self, ctx: &Context) -> ([f64; 3], bool) {
        let mut axes = [0.0; 3];
        if ctx.text_edit_focused() {
            return (axes, false);
        }
        for (command, ..) in ALL {
            if let (DockCommand::Push(axis, is_forward), Some(keys)) = (command, self.of(command))
                && ctx.input(|input| input.key_down(keys.logical_key))
            {
                axes[usize::from(axis)] += if is_forward { 1.0 } else { -1.0 };
            }
        }
        (axes, ctx.input(|input| input.modifiers.shift))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_toggle_of_the_manual_has_its_key() {
        // Turk 1989, A.6; v loaded the video, which nobody has to do any more.
        let manual = [
            ("Space", DockCommand::Mode),
            ("L", DockCommand::Light),
            ("J", DockCommand::Which),
            ("C", DockCommand::Collide),
            ("T", DockCommand::SeeThrough),
            ("F", DockCommand::Flash),
            ("B", DockCommand::Beep),
            ("V", DockCommand::LookAtAll),
            ("Shift+0", DockCommand::RockMore),
            ("Shift+9", DockCommand::RockLess),
            ("Period", DockCommand::Larger),
            ("Comma", DockCommand::Smaller),
            ("Shift+S", DockCommand::Stereo),
            ("OpenBracket", DockCommand::EyesNearer),
            ("CloseBracket", DockCommand::EyesFarther),
            ("Q", DockCommand::Quit),
        ];
        let keys = KeyMap::default();
        for (text, command) in manual {
            assert_eq!(keys.of(command), parse(text), "{text}");
        }
    }

    #[test]
    fn no_two_commands_have_the_same_keys_or_name() {
        for (at, (_, name, _, keys)) in ALL.iter().enumerate() {
            for (_, other, _, others) in &ALL[at + 1..] {
                assert!(name != other && keys != others, "{name} and {other}");
            }
        }
    }

    #[test]
    fn keys_are_changed_swapped_kept_and_put_back() {
        let mut keys = KeyMap::default();
        keys.change(DockCommand::Flash, plain(Key::B));
        assert_eq!(
            (keys.of(DockCommand::Flash), keys.of(DockCommand::Beep)),
            (Some(plain(Key::B)), Some(plain(Key::F)))
        );
        let kept = KeyMap::read(&keys.text());
        assert_eq!(kept.of(DockCommand::Beep), Some(plain(Key::F)));
        assert_eq!(KeyMap::read("{\"flash\":\"Nonsense\",\"x\":\"B\"}").of(DockCommand::Flash), Some(plain(Key::F)));
        assert_eq!(KeyMap::read("nonsense").changed.len(), 0);
        keys.reset();
        assert_eq!(keys.of(DockCommand::Flash), Some(plain(Key::F)));
        for (_, _, _, usual) in ALL {
            assert_eq!(parse(&words(usual)), Some(usual));
        }
    }
}
