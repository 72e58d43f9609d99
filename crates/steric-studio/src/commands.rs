//! Everything that can be asked for by name or by key.

use egui::{Key, KeyboardShortcut, Modifiers};

/// Something that can be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// Opens a file.
    Open,
    /// Docks a ligand into the model that is open.
    Dock,
    /// Goes to the gallery of ready scenes.
    Start,
    /// Writes the molecules to a file.
    SaveModel,
    /// Writes the scene file with the numbers as they are.
    SavePreset,
    /// Writes what is seen as a picture.
    SavePicture,
    /// Records what is seen, until it is asked for again.
    Film,
    /// Writes the table of iterations.
    SaveTable,
    /// Plays, or pauses.
    Play,
    /// One iteration.
    Step,
    /// Back to where the molecules were.
    Reset,
    /// Undoes what a hand did.
    Undo,
    /// Does it again.
    Redo,
    /// Looks from a side.
    From(&'static str),
    /// Looks at what is chosen.
    Focus,
    /// With or without perspective.
    Perspective,
    /// Hides what is chosen.
    Hide,
    /// Shows everything.
    ShowAll,
    /// Pins what is chosen, or lets it go.
    Pin,
    /// Takes away what is chosen.
    Delete,
    /// A tool.
    Tool(usize),
    /// Light or dark.
    Theme,
    /// Larger text.
    Larger,
    /// Smaller text.
    Smaller,
    /// The list of commands.
    Palette,
    /// A walk through the window.
    Tour,
}

const fn plain(key: Key) -> Option<KeyboardShortcut> {
    Some(KeyboardShortcut::new(Modifiers::NONE, key))
}

const fn command(key: Key) -> Option<KeyboardShortcut> {
    Some(KeyboardShortcut::new(Modifiers::COMMAND, key))
}

const fn command_shift(key: Key) -> Option<KeyboardShortcut> {
    Some(KeyboardShortcut::new(Modifiers::COMMAND.plus(Modifiers::SHIFT), key))
}

/// Every command with its name and its keys.
pub(crate) const ALL: [(Command, &str, Option<KeyboardShortcut>); 35] = [
    (Command::Open, "Open a file", command(Key::O)),
    (Command::Dock, "Dock a ligand into this model", command(Key::D)),
    (Command::Start, "Ready scenes", command(Key::N)),
    (Command::SaveModel, "Save the model", command(Key::S)),
    (Command::SavePreset, "Save the preset", command_shift(Key::S)),
    (Command::SavePicture, "Save the picture", command(Key::E)),
    (Command::Film, "Record a film, or end it", command(Key::M)),
    (Command::SaveTable, "Save the table", command(Key::T)),
    (Command::Play, "Play or pause", plain(Key::Space)),
    (Command::Step, "One step", plain(Key::Period)),
    (Command::Reset, "Reset", command(Key::R)),
    (Command::Undo, "Undo", command(Key::Z)),
    (Command::Redo, "Redo", command_shift(Key::Z)),
    (Command::From("front"), "Look from the front", plain(Key::Num1)),
    (Command::From("back"), "Look from the back", plain(Key::Num2)),
    (Command::From("left"), "Look from the left", plain(Key::Num3)),
    (Command::From("right"), "Look from the right", plain(Key::Num4)),
    (Command::From("top"), "Look from the top", plain(Key::Num5)),
    (Command::From("bottom"), "Look from below", plain(Key::Num6)),
    (Command::Focus, "Look at what is chosen", plain(Key::F)),
    (Command::Perspective, "With or without perspective", plain(Key::O)),
    (Command::Hide, "Hide what is chosen", plain(Key::H)),
    (Command::ShowAll, "Show everything", command(Key::H)),
    (Command::Pin, "Pin what is chosen, or let it go", command(Key::P)),
    (Command::Tool(0), "Tool: look", plain(Key::V)),
    (Command::Tool(1), "Tool: hand", plain(Key::G)),
    (Command::Tool(2), "Tool: brush", plain(Key::B)),
    (Command::Tool(3), "Tool: pin", plain(Key::P)),
    (Command::Tool(4), "Tool: add", plain(Key::A)),
    (Command::Tool(5), "Tool: delete", plain(Key::X)),
    (Command::Delete, "Delete what is chosen", plain(Key::Delete)),
    (Command::Theme, "Light or dark", command(Key::L)),
    (Command::Larger, "Larger text", command(Key::Plus)),
    (Command::Smaller, "Smaller text", command(Key::Minus)),
    (Command::Tour, "A walk through the window", plain(Key::F1)),
];

/// The keys that open the list of commands.
pub(crate) const PALETTE: KeyboardShortcut = KeyboardShortcut::new(Modifiers::COMMAND, Key::K);

/// The command whose keys were pressed, unless someone is writing.
pub(crate) fn pressed(ctx: &egui::Context) -> Option<Command> {
    if ctx.input_mut(|input| input.consume_shortcut(&PALETTE)) {
        return Some(Command::Palette);
    }
    let writes = ctx.text_edit_focused();
    // Those with more keys first: what they hold is in others as well.
    let mut all: Vec<_> = ALL.iter().filter_map(|(command, _, keys)| Some((*command, (*keys)?))).collect();
    all.sort_by_key(|(_, keys)| std::cmp::Reverse(keys.modifiers.shift));
    all.into_iter()
        .filter(|(command, keys)| {
            !(writes && (keys.modifiers.is_none() || matches!(command, Command::Undo | Command::Redo)))
        })
        .find(|(_, keys)| ctx.input_mut(|input| input.consume_shortcut(keys)))
        .map(|(command, _)| command)
}

/// The commands whose names hold what was written, letter by letter in that order.
pub(crate) fn matching(text: &str) -> impl Iterator<Item = (Command, &'static str, Option<KeyboardShortcut>)> {
    let wanted: Vec<char> = text.to_lowercase().chars().filter(|letter| !letter.is_whitespace()).collect();
    ALL.into_iter().filter(move |(_, name, _)| {
        let mut left = wanted.iter().peekable();
        for letter in name.to_lowercase().chars() {
            if left.peek() == Some(&&letter) {
                left.next();
            }
        }
        left.peek().is_none()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_commands_have_the_same_keys_or_name() {
        for (at, (_, name, keys)) in ALL.iter().enumerate() {
            for (_, other_name, other_keys) in &ALL[at + 1..] {
                assert_ne!(name, other_name);
                assert!(keys.is_none() || keys != other_keys, "{name} and {other_name}");
            }
        }
    }

    #[test]
    fn a_few_letters_find_a_command() {
        let found: Vec<&str> = matching("lk top").map(|(_, name, _)| name).collect();
        assert_eq!(found, ["Look from the top"]);
        assert_eq!(matching("").count(), ALL.len());
    }
}
