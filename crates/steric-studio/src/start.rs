//! The first things that are seen: the gallery of ready scenes, and a tour.

use egui::{RichText, Ui};

use crate::settings::Settings;
use crate::simulation::Source;

/// Ready scenes, and what each is about.
const GALLERY: [(&str, &str); 15] = [
    ("vesicle", "2,000 POPC lipids in two leaflets, closed to a sphere. Press Play and they push each other apart."),
    ("bilayer", "A flat, periodic membrane of POPC and cholesterol."),
    ("vesicle-with-proteins", "A vesicle with porins and gramicidin in its membrane, and proteins inside."),
    ("crowded-cytoplasm", "Five kinds of protein, packed as in a cell."),
    ("exosome", "A vesicle that a cell has sent out: tetraspanins in its membrane, proteins and RNA inside."),
    ("syn3a-small", "A minimal cell at a fifth of its width: DNA around ribosomes, enzymes, a membrane."),
    ("mitochondrion-membrane", "A crista: rows of ATP synthases along its rims, respiratory complexes in its sides."),
    ("plasma-hiv", "HIV among the proteins of blood: spikes, matrix, and RNA in the cone of the capsid."),
    ("dhfr", "A ligand in hand: bring trimethoprim into the pocket of dihydrofolate reductase."),
    ("cytoplasm", "Proteins in the crowd of a cell, in Brownian motion: they bounce off each other and never overlap."),
    ("egf-receptors", "Receptors that wander in a patch of membrane, meet, and hold on to each other in clusters."),
    ("adenylate-kinase", "An enzyme on a skeleton: play its motion, turn its bones, and hold its atoms apart."),
    ("fitting", "The fitting task of 1989: bring an E through three rings, and see how long it takes."),
    ("stack", "Twenty soft membranes that fall onto each other and pile up; where they touch they are vermillion."),
    ("skin", "Skin over two jaws: the lower one moves forward, and the skin goes along."),
];

/// From this width on scenes stand in two columns.
const TWO_COLUMNS: f32 = 960.0;

/// Shows the gallery; gives what was chosen.
pub(crate) fn show(ui: &mut Ui, settings: &Settings) -> Option<Result<Source, String>> {
    let mut chosen = None;
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.vertical_centered(|ui| chosen = gallery(ui, settings));
    });
    chosen
}

fn gallery(ui: &mut Ui, settings: &Settings) -> Option<Result<Source, String>> {
    let mut chosen = None;
    ui.add_space(24.0);
    ui.heading("steric");
    ui.label("Molecules must not overlap. Choose a scene, or drop a file: PDB, mmCIF, BinaryCIF, GRO, XYZ, MOL2, SDF, a scene file or a .steric file.");
    ui.add_space(12.0);
    // Two columns where there is room, so that all of them are in sight.
    let columns = if ui.available_width() < TWO_COLUMNS { 1 } else { 2 };
    ui.columns(columns, |columns| {
        let rows = GALLERY.len().div_ceil(columns.len());
        for (number, (name, about)) in GALLERY.into_iter().enumerate() {
            columns[number / rows].vertical_centered(|ui| {
                let button = egui::Button::new(RichText::new(name).heading()).min_size([420.0, 36.0].into());
                if ui.add(button).clicked() {
                    chosen = Source::ready(name).map(Ok);
                }
                ui.label(RichText::new(about).weak());
                ui.add_space(6.0);
            });
        }
    });
    if !settings.recent.is_empty() {
        ui.separator();
        ui.label("Recent files");
        for path in &settings.recent {
            if ui.link(path.display().to_string()).clicked() {
                chosen = Some(Source::read(path));
            }
        }
    }
    ui.add_space(12.0);
    ui.label(RichText::new("Ctrl+O opens a file, Ctrl+K lists every command, F1 shows you around.").weak());
    chosen
}

const TOUR: [(&str, &str); 5] = [
    (
        "Welcome",
        "steric finds molecules that overlap and pushes them apart, while you watch and while you take them in hand.",
    ),
    ("Open something", "Choose a ready scene, drop a file on the window, or press Ctrl+O."),
    ("Play", "Space plays and pauses. Molecules that overlap are vermillion, free ones green, pinned ones grey."),
    (
        "Look around",
        "Drag to turn, Shift-drag or middle-drag to move sideways, scroll to come nearer, double-click a molecule to look at it. Keys 1 to 6 look from the sides.",
    ),
    (
        "Take them in hand",
        "G is a hand: drag a molecule, and with Shift turn it; the others make room. B is a brush, P pins. Ctrl+Z undoes. Ctrl+K lists everything else.",
    ),
];

/// Shows a step of the tour; gives the next one, or nothing at its end.
pub(crate) fn tour(ctx: &egui::Context, step: usize) -> Option<usize> {
    let (title, text) = TOUR.get(step)?;
    let mut next = Some(step);
    egui::Window::new(*title)
        .id(egui::Id::unique("tour"))
        .collapsible(false)
        .resizable(false)
        .default_width(360.0)
        .anchor(egui::Align2::RIGHT_BOTTOM, [-24.0, -24.0])
        .show(ctx, |ui| {
            ui.label(*text);
            ui.horizontal(|ui| {
                let is_last = step + 1 == TOUR.len();
                if ui.button(if is_last { "Done" } else { "Next" }).clicked() {
                    next = (!is_last).then_some(step + 1);
                }
                if !is_last && ui.button("Skip").clicked() {
                    next = None;
                }
                ui.label(RichText::new(format!("{} of {}", step + 1, TOUR.len())).weak());
            });
        });
    if ctx.input(|input| input.key_pressed(egui::Key::Escape)) {
        next = None;
    }
    next
}
