//! What is animated: a `.steric` file, a scene, or a structure with what the command says about it.

use std::path::{Path, PathBuf};

use steric::animate::{Names, Opened, Script};

use super::write::Wanted;
use super::{Arguments, said};
use crate::failure::Failure;
use crate::options::Shared;

/// A puppet from a `.steric` file, a ready scene or a scene file.
pub(crate) fn open_named(path: &Path) -> Result<Opened, Failure> {
    let none = || Failure::usage(format!("{}: expected a .steric file or a scene to animate", path.display()));
    Opened::read(path).map_err(said)?.ok_or_else(none)
}

/// What was written on the command line and would not change anything.
pub(super) fn refuse_what_would_be_ignored(arguments: &Arguments, wanted: Option<Wanted>) -> Result<(), Failure> {
    let given = |is_given: bool, name: &'static str| is_given.then_some(name);
    let of_skeleton = [
        given(arguments.skin.is_some(), "--skin"),
        given(arguments.unit.is_some(), "--unit"),
        given(arguments.up.is_some(), "--up"),
        given(arguments.fit.is_some(), "--fit"),
        given(arguments.turn.is_some(), "--turn"),
        given(arguments.shift.is_some(), "--shift"),
    ];
    let of_making = [
        given(arguments.skeleton.is_some(), "--skeleton"),
        given(arguments.bones.is_some(), "--bones"),
        given(arguments.trajectory.is_some(), "--trajectory"),
        given(arguments.keys_per_second.is_some(), "--keys-per-second"),
        given(arguments.reach.is_some(), "--reach"),
    ];
    let of_pictures = [
        given(arguments.at.is_some(), "--at"),
        given(arguments.rate.is_some(), "--rate"),
        given(arguments.size.is_some(), "--size"),
        given(arguments.view.is_some(), "--view"),
        given(arguments.overlay.is_some(), "--overlay"),
        given(arguments.show_skeleton, "--show-skeleton"),
        given(arguments.show_chain_bones, "--show-chain-bones"),
    ];
    let is_steric = arguments.structure.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("steric"));
    if is_steric && let Some(name) = of_skeleton.into_iter().chain(of_making).flatten().next() {
        let file = arguments.structure.display();
        return Err(Failure::usage(format!(
            "{name}: expected a structure to hang on a skeleton, found {file}, which hangs already"
        )));
    }
    let has_file =
        arguments.skeleton.is_some() || arguments.structure.extension().is_some_and(|ending| ending == "toml");
    if !has_file && let Some(name) = of_skeleton.into_iter().flatten().next() {
        return Err(Failure::usage(format!("{name}: expected a skeleton from a file (--skeleton FILE), found none")));
    }
    if wanted != Some(Wanted::Film)
        && let Some(name) = of_pictures.into_iter().flatten().next()
    {
        return Err(Failure::usage(format!("{name}: expected a picture or a film to write (-o FILE.png), found none")));
    }
    let is_drawn = matches!(wanted, Some(Wanted::Film | Wanted::Glb));
    if arguments.distance > 0 && !is_drawn {
        return Err(Failure::usage("--distance: expected a picture, a film or a .glb to write, found none"));
    }
    let ending = arguments.report.as_ref().map(|path| path.extension().unwrap_or_default().to_ascii_lowercase());
    match ending {
        Some(ending) if ending != "csv" && ending != "svg" => {
            Err(Failure::usage(format!("--report: expected FILE.csv or FILE.svg, found .{}", ending.display())))
        }
        _ => Ok(()),
    }
}

pub(super) fn opened(arguments: &Arguments, shared: &Shared) -> Result<Opened, Failure> {
    let path = &arguments.structure;
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("steric")) {
        let mut opened = open_named(path)?;
        if let Some(each) = &arguments.atoms_each {
            opened.puppet = opened.puppet.with_atoms_each(each).map_err(said)?;
        }
        return Ok(opened);
    }
    let (mut script, folder) = script(arguments)?;
    wishes(&mut script, arguments, shared)?;
    script.open(&folder).map_err(said)
}

/// What scene files say, and the folder that their files lie in.
fn script(arguments: &Arguments) -> Result<(Script, PathBuf), Failure> {
    let path = &arguments.structure;
    let of_skeleton = arguments.skeleton.as_deref().map(Script::named).transpose().map_err(said)?.flatten();
    let own = Script::named(path).map_err(said)?;
    let (structure, entry, molecule, name) = match &own {
        Some((own, folder)) => {
            (own.structure.in_folder(&absolute(folder)?), own.entry.clone(), own.molecule.clone(), own.name.clone())
        }
        None => (Names::One(absolute(existing(path)?)?), None, None, path.display().to_string()),
    };
    let (mut script, folder) = of_skeleton.or(own).unwrap_or_default();
    (script.structure, script.entry, script.molecule, script.name) = (structure, entry, molecule, name);
    Ok((script, folder))
}

/// A word without an ending that is no file is probably meant to be a ready scene.
fn existing(path: &Path) -> Result<&Path, Failure> {
    if path.exists() || path.extension().is_some() {
        return Ok(path);
    }
    let names: Vec<&str> = scenes::animation_names().collect();
    let found = format!("{}: expected a file, or {}; found neither", path.display(), names.join(" or "));
    Err(Failure::usage(found))
}

/// What the user names lies where the user is, not where a scene file is.
fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    let here = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    std::path::absolute(here).map_err(|error| Failure::io(path, &error))
}

/// What the command says goes before what the scene file says.
fn wishes(script: &mut Script, arguments: &Arguments, shared: &Shared) -> Result<(), Failure> {
    let is_scene = |path: &Path| matches!(Script::named(path), Ok(Some(_)));
    let skeleton = arguments.skeleton.as_deref().filter(|skeleton| !is_scene(skeleton));
    if skeleton.is_some() || arguments.bones.is_some() || arguments.trajectory.is_some() {
        // Another skeleton has other joints, and clips are for joints.
        (script.skeleton, script.bones, script.trajectory) = (None, arguments.bones, None);
        script.joint.clear();
        script.clip.clear();
    }
    if let Some(skeleton) = skeleton {
        script.skeleton = Some(absolute(skeleton)?);
    }
    if let Some(trajectory) = &arguments.trajectory {
        script.trajectory = Some(absolute(trajectory)?);
    }
    script.skin = arguments.skin.clone().or(script.skin.take());
    script.frames_per_second = arguments.keys_per_second.or(script.frames_per_second);
    script.reach = arguments.reach.unwrap_or(script.reach);
    script.atoms_each = arguments.atoms_each.clone().or(script.atoms_each.take());
    script.seed = shared.seed.or(script.seed);
    script.align.unit = arguments.unit.or(script.align.unit);
    script.align.up = arguments.up.or(script.align.up);
    script.align.fit = arguments.fit.unwrap_or(script.align.fit);
    script.align.turn = arguments.turn.unwrap_or(script.align.turn);
    script.align.shift = arguments.shift.unwrap_or(script.align.shift);
    Ok(())
}
