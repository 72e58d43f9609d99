//! The pictures of the guide, drawn by `steric render`, `steric dock`, `steric diffuse` and `steric animate`.
//!
//! How it works: a picture is a name and the arguments that a reader would type. All come from ready scenes and from molecules of the
//! repository, so that a fresh clone draws the same ones; without a GPU software Vulkan draws them in six minutes.

use crate::steps::{Steps, cargo, root, target};
use std::process::Command;

/// Name of the file in `book/src/pictures/`, and the arguments of `steric render`. Sizes keep every file at about 300 kB.
#[rustfmt::skip]
const PICTURES: [(&str, &str); 15] = [
    ("vesicle-placed", "vesicle --color collision --size 480x480"),
    ("vesicle-relaxed", "vesicle --relax --color collision --size 480x480"),
    ("vesicle-cut", "vesicle --relax --color leaflet --camera 10,10 --clip 10,10 --fog 0.1 --size 600x520"),
    ("vesicle-with-proteins", "vesicle-with-proteins --relax --style soft --clip 25,20:30 --fog 0.1 --zoom 1.1 --size 500x440"),
    ("see-through", "vesicle-with-proteins --style soft --shadows 0.6 --opacity POPC=0.25 --samples 3 --zoom 1.2 --size 460x400"),
    ("shapes", "vesicle-with-proteins --relax --shapes 0.35 --style soft --opacity POPC=0 --zoom 1.1 --size 460x400"),
    ("bilayer", "bilayer --relax --color element --palette goodsell --camera 40,12 --zoom 1.8 --size 800x400"),
    ("cytoplasm", "crowded-cytoplasm --relax --zoom 1.35 --size 460x400"),
    ("tiled-membrane", "book/src/scenes/tiled-membrane.toml --relax --color type --style soft --camera top --zoom 1.7 --size 560x370"),
    ("exosome", "exosome --relax --palette scenes/palettes/cells.txt --style soft --shadows 0.3 --camera 20,12 --clip 20,12:20 --fog 0.1 --zoom 1.2 --size 500x480"),
    ("mitochondrion-membrane", "mitochondrion-membrane --relax --palette scenes/palettes/cells.txt --style soft --shadows 0.4 --camera 14,16 --clip 0,0:40 --fog 0.1 --zoom 1.65 --size 640x400"),
    ("syn3a-small", "syn3a-small --relax --palette scenes/palettes/cells.txt --style soft --shadows 0.3 --camera 12,8 --clip 12,8:10 --fog 0.1 --zoom 1.05 --size 440x430"),
    ("plasma-hiv", "plasma-hiv --relax --palette scenes/palettes/cells.txt --style soft --shadows 0.3 --camera 12,8 --clip 12,8:10 --fog 0.1 --zoom 1.5 --size 520x500"),
    ("porin", "scenes/data/porin.pdb.gz --color chain --style soft --camera top --fog 0.1 --zoom 1.2 --size 640x480"),
    ("gramicidin-anaglyph", "scenes/data/gramicidin.pdb --color uniform --style soft --stereo anaglyph --zoom 1.2 --size 560x440"),
];

/// Name of the file, and the arguments of `steric dock`.
const DOCKED: [(&str, &str); 1] = [("dice", "dice --seconds 6")];

/// Name of the file, and the arguments of `steric diffuse`; drawings, not photographs.
const DIFFUSED: [(&str, &str); 1] = [("diffuse-receptors", "egf-receptors --steps 400")];

/// Name of the file, and the arguments of `steric animate`.
const ANIMATED: [(&str, &str); 1] =
    [("animate-kinase", "adenylate-kinase --level residue --show-skeleton --at 1 --size 560x440")];

/// Builds `steric` and draws every picture.
pub(crate) fn draw(steps: &mut Steps) {
    steps.command("build", cargo(&["build", "--release", "--package", "steric-cli"]));
    let folder = root().join("book/src/pictures");
    steps.run("folder", || std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display())));
    let all = PICTURES.map(|picture| ("render", "png", picture)).into_iter();
    let all = all.chain(DOCKED.map(|picture| ("dock", "png", picture)));
    let all = all.chain(ANIMATED.map(|picture| ("animate", "png", picture)));
    for (command, ending, (name, arguments)) in all.chain(DIFFUSED.map(|picture| ("diffuse", "svg", picture))) {
        let mut draw = Command::new(target().join("release/steric"));
        draw.current_dir(root()).args([command, "--quiet"]).args(arguments.split_whitespace());
        draw.arg("--output").arg(folder.join(name).with_extension(ending));
        steps.command(name, draw);
    }
}
