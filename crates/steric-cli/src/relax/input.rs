//! What the user wants relaxed.

use std::path::{Path, PathBuf};

use steric::model::MoleculeOptions;
use steric::model::formats::Format;
use steric::relax::{ModelOptions, Relaxation};
use steric::world::build::{SceneFile, SceneText};

use super::{Arguments, SceneOptions};
use crate::failure::Failure;
use crate::options::Shared;
use crate::output;

/// How far atoms are kept clear of each other for a GRO file, in angstroms.
const GRO_CLEARANCE: f64 = 0.018;

/// What is to be relaxed, as the user said it.
pub(super) enum Wanted {
    /// A ready scene or a scene file, and the folder that its file names start from.
    Scene(Box<SceneFile>, PathBuf),
    /// A model, with keys of a scene that say how.
    Model(Vec<(String, String)>),
}

impl Wanted {
    /// The file that the scene itself names for the result.
    pub(super) fn output(&self) -> Option<PathBuf> {
        match self {
            Self::Scene(scene, folder) => scene.output.file.as_ref().map(|file| folder.join(file)),
            Self::Model(_) => None,
        }
    }

    /// The molecules in place.
    pub(super) fn relaxation(&self, arguments: &Arguments, shared: &Shared) -> Result<Relaxation, Failure> {
        match self {
            Self::Scene(scene, folder) => {
                Ok(Relaxation::of_scene(scene, &arguments.input.display().to_string(), folder)?)
            }
            Self::Model(extra) => model(arguments, shared, extra),
        }
    }
}

/// A ready scene, a scene file or a model, with all that the command line says about it.
pub(super) fn wanted(arguments: &Arguments, shared: &Shared) -> Result<Wanted, Failure> {
    let mut extra = Vec::new();
    let physics = [
        ("response", arguments.response.clone()),
        ("max-iterations", arguments.max_iterations.map(|value| value.to_string())),
        ("max-seconds", arguments.max_seconds.map(|value| format!("{value:?}"))),
    ];
    for (key, value) in physics {
        extra.extend(value.map(|value| (format!("physics.{key}"), value)));
    }
    let mut scene = scene(&arguments.input, &arguments.scene, shared, &extra)?;
    let named = scene.as_ref().and_then(|scene| scene.output.file.as_ref()).map(PathBuf::from);
    let output = shared.output.clone().or(named);
    // GRO keeps a hundredth of an angstrom, so two atoms may come nearer by the diagonal of a cube that large.
    let is_gro = output.as_deref().and_then(Format::from_path) == Some(Format::Gro);
    if is_gro && !arguments.scene.set.iter().any(|pair| pair.trim_start().starts_with("physics.clearance")) {
        extra.push(("physics.clearance".to_owned(), GRO_CLEARANCE.to_string()));
        if let Some(scene) = &mut scene {
            scene.physics.clearance = scene.physics.clearance.max(GRO_CLEARANCE);
        }
    }
    let Some(scene) = scene else { return Ok(Wanted::Model(extra)) };
    if let Some(option) = arguments.option_of_models() {
        let found = arguments.input.display();
        return Err(Failure::usage(format!(
            "{option}: expected a model, found the scene {found}; see [model] in scene files"
        )));
    }
    Ok(Wanted::Scene(Box::new(scene), folder_of(&arguments.input).to_owned()))
}

/// The folder that file names in a scene start from.
pub(crate) fn folder_of(input: &Path) -> &Path {
    input.parent().filter(|_| input.is_file()).unwrap_or(Path::new(""))
}

impl Arguments {
    /// An option that only models take, if one is given.
    fn option_of_models(&self) -> Option<&'static str> {
        let given = [
            ("--molecules", self.molecules.is_some()),
            ("--assembly", self.assembly.is_some()),
            ("--periodic", self.periodic.is_some()),
            ("--leeway", self.leeway.is_some()),
            ("--fix", !self.fix.is_empty()),
            ("--fix-above", self.fix_above.is_some()),
        ];
        given.into_iter().find(|&(_, given)| given).map(|(option, _)| option)
    }
}

/// The scene of a ready name or of a file; `None` for a model.
pub(crate) fn scene(
    input: &Path,
    options: &SceneOptions,
    shared: &Shared,
    extra: &[(String, String)],
) -> Result<Option<SceneFile>, Failure> {
    let ready = input.to_str().and_then(scenes::ready);
    let is_scene_file = input.extension().is_some_and(|end| end.eq_ignore_ascii_case("toml"));
    let text = match ready {
        Some(ready) if !input.exists() => ready.to_owned(),
        _ if is_scene_file => std::fs::read_to_string(input).map_err(|error| Failure::io(input, &error))?,
        _ if !input.exists() && input.extension().is_none() => {
            let known = scenes::ready_names().collect::<Vec<_>>().join(", ");
            let found = input.display();
            return Err(Failure::usage(format!("{found}: expected a file or a ready scene ({known}), found neither")));
        }
        _ => return Ok(None),
    };
    let mut text = SceneText::parse(&text, input)?;
    set_all(&mut text, options, shared, extra)?;
    let scene = text.scene()?;
    let missing = scene.model.as_ref().map(|model| folder_of(input).join(&model.file)).filter(|file| !file.exists());
    if let Some(missing) = missing.filter(|_| ready.is_some()) {
        return Err(Failure::usage(format!(
            "{}: expected a packed model of your own, found no file {}; name it with --set model.file=FILE",
            input.display(),
            missing.display()
        )));
    }
    Ok(Some(scene))
}

fn set_all(
    text: &mut SceneText,
    options: &SceneOptions,
    shared: &Shared,
    extra: &[(String, String)],
) -> Result<(), Failure> {
    let number = |value: f64| format!("{value:?}");
    let given = [
        ("membrane.count", options.count.map(|count| count.to_string())),
        ("membrane.radius", options.radius.map(number)),
        ("membrane.area-per-lipid", options.area_per_lipid.map(number)),
        ("tolerance", options.tolerance.map(number)),
        ("seed", shared.seed.map(|seed| seed.to_string())),
    ];
    for (key, value) in given {
        if let Some(value) = value {
            text.set(key, &value)?;
        }
    }
    for (key, value) in extra {
        text.set(key, value)?;
    }
    for pair in &options.set {
        let Some((key, value)) = pair.split_once('=') else {
            return Err(Failure::usage(format!("--set {pair}: expected KEY=VALUE")));
        };
        text.set(key.trim(), value.trim())?;
    }
    Ok(())
}

fn model(arguments: &Arguments, shared: &Shared, extra: &[(String, String)]) -> Result<Relaxation, Failure> {
    // Every other key of a scene keeps its meaning: tolerance, seed, physics.
    let mut text = SceneText::parse("[model]\nfile = \"the model\"\n", &arguments.input)?;
    set_all(&mut text, &arguments.scene, shared, extra)?;
    let scene = text.scene()?;
    let own_model = arguments.scene.set.iter().any(|pair| pair.trim_start().starts_with("model"));
    if !scene.membrane.is_empty() || !scene.solute.is_empty() || own_model {
        let found = arguments.input.display();
        return Err(Failure::usage(format!(
            "{found}: expected options of a model, found those of a scene; a scene file can name the model under [model]"
        )));
    }
    let input = output::read(&arguments.input, shared)?;
    let options = ModelOptions {
        closeness: scene.closeness(),
        molecules: MoleculeOptions {
            by: arguments.molecules.unwrap_or_default(),
            assembly: arguments.assembly.clone().unwrap_or_default(),
            periodic: arguments.periodic.unwrap_or_default(),
        },
        leeway: arguments.leeway.unwrap_or(ModelOptions::default().leeway),
        fixed: arguments.fix.clone(),
        fixed_above: arguments.fix_above,
        ..ModelOptions::default()
    };
    Ok(Relaxation::of_model(&input, &options, scene.physics.clone(), scene.seed)?)
}
