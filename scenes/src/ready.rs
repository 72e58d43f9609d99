//! Scenes that are ready to run, as scene files.
//!
//! How it works: each is a TOML file in `scenes/`, built into the program; users copy them and change what they need.

/// By name, in the order in which a beginner meets them.
const READY: [(&str, &str); 9] = [
    ("vesicle", include_str!("../scenes/vesicle.toml")),
    ("bilayer", include_str!("../scenes/bilayer.toml")),
    ("vesicle-with-proteins", include_str!("../scenes/vesicle-with-proteins.toml")),
    ("crowded-cytoplasm", include_str!("../scenes/crowded-cytoplasm.toml")),
    ("exosome", include_str!("../scenes/exosome.toml")),
    ("syn3a-small", include_str!("../scenes/syn3a-small.toml")),
    ("mitochondrion-membrane", include_str!("../scenes/mitochondrion-membrane.toml")),
    ("plasma-hiv", include_str!("../scenes/plasma-hiv.toml")),
    ("virus", include_str!("../scenes/virus.toml")),
];

/// The scene file of a ready scene.
///
/// ```
/// let vesicle = steric_scenes::ready("vesicle").expect("it is ready");
/// assert!(vesicle.contains("area-per-lipid = 68.0"));
/// assert_eq!(steric_scenes::ready("cube"), None);
/// ```
pub fn ready(name: &str) -> Option<&'static str> {
    READY.iter().find(|scene| scene.0 == name).map(|scene| scene.1)
}

/// The names of all ready scenes.
///
/// ```
/// assert!(steric_scenes::ready_names().eq([
///     "vesicle", "bilayer", "vesicle-with-proteins", "crowded-cytoplasm", "exosome", "syn3a-small", "mitochondrion-membrane",
///     "plasma-hiv", "virus",
/// ]));
/// ```
pub fn ready_names() -> impl Iterator<Item = &'static str> {
    READY.iter().map(|scene| scene.0)
}

/// Particles in motion, by name: what `steric diffuse` runs without a file.
const DIFFUSIONS: [(&str, &str); 2] = [
    ("egf-receptors", include_str!("../diffusions/egf-receptors.toml")),
    ("cytoplasm", include_str!("../diffusions/cytoplasm.toml")),
];

/// The scene file of particles in motion.
///
/// ```
/// assert!(steric_scenes::diffusion("cytoplasm").is_some_and(|text| text.contains("haemoglobin")));
/// ```
pub fn diffusion(name: &str) -> Option<&'static str> {
    DIFFUSIONS.iter().find(|scene| scene.0 == name).map(|scene| scene.1)
}

/// The names of all scenes of particles in motion.
///
/// ```
/// assert!(steric_scenes::diffusion_names().eq(["egf-receptors", "cytoplasm"]));
/// ```
pub fn diffusion_names() -> impl Iterator<Item = &'static str> {
    DIFFUSIONS.iter().map(|scene| scene.0)
}

/// Molecules on a skeleton, by name: what `steric animate` plays without a file of its own.
const ANIMATIONS: [(&str, &str); 3] = [
    ("adenylate-kinase", include_str!("../animations/adenylate-kinase.toml")),
    ("fibrinogen", include_str!("../animations/fibrinogen.toml")),
    ("kinesin", include_str!("../animations/kinesin.toml")),
];

/// The text of a ready animation.
///
/// ```
/// assert!(steric_scenes::animation("kinesin").is_some_and(|text| text.contains("walk")));
/// ```
pub fn animation(name: &str) -> Option<&'static str> {
    ANIMATIONS.iter().find(|(own, _)| *own == name).map(|(_, text)| *text)
}

/// The names of the ready animations.
///
/// ```
/// assert!(steric_scenes::animation_names().any(|name| name == "fibrinogen"));
/// ```
pub fn animation_names() -> impl Iterator<Item = &'static str> {
    ANIMATIONS.iter().map(|(name, _)| *name)
}

/// Soft bodies, by name: what `steric deform` runs without a file.
const DEFORMATIONS: [(&str, &str); 3] = [
    ("stack", include_str!("../deformations/stack.toml")),
    ("socket", include_str!("../deformations/socket.toml")),
    ("skin", include_str!("../deformations/skin.toml")),
];

/// The scene file of soft bodies.
///
/// ```
/// assert!(steric_scenes::deformation("stack").is_some_and(|text| text.contains("copies = 20")));
/// ```
pub fn deformation(name: &str) -> Option<&'static str> {
    DEFORMATIONS.iter().find(|scene| scene.0 == name).map(|scene| scene.1)
}

/// The names of all scenes of soft bodies.
///
/// ```
/// assert!(steric_scenes::deformation_names().eq(["stack", "socket", "skin"]));
/// ```
pub fn deformation_names() -> impl Iterator<Item = &'static str> {
    DEFORMATIONS.iter().map(|scene| scene.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::molecule;

    #[test]
    fn a_ready_scene_states_its_own_name() {
        for (name, text) in READY {
            assert!(text.lines().any(|line| line == format!("name = {name:?}")), "{name}");
        }
    }

    #[test]
    fn ready_scenes_use_embedded_molecules_by_their_first_names() {
        for (name, text) in READY {
            for line in text.lines().filter_map(|line| line.strip_prefix("molecule = \"")) {
                let asked = line.split('"').next().unwrap();
                assert_eq!(molecule(asked).map(|found| found.name), Some(asked), "{name}");
            }
        }
    }
}
