//! What to do when molecules cannot fit.

use steric::world::build::{SceneFile, Size, Verdict};
use steric::world::relax::RelaxOptions;

use crate::simulation::Source;

/// The same scene with so much room that all fit, if there is a number to change: the area of a lipid, the radius of the membrane, or the
/// distance that atoms keep.
pub(crate) fn fixed(source: &Source, verdict: &Verdict, physics: &RelaxOptions) -> Option<Source> {
    let Source::Scene { name, text, folder } = source else { return None };
    let mut scene = SceneFile::read(text, name.as_ref()).ok()?;
    scene.physics = physics.clone();
    let is_leaflet = verdict.place.contains("leaflet");
    let membrane = scene.membrane.first_mut().filter(|_| is_leaflet);
    match (membrane, verdict.size_that_fits, verdict.tolerance_that_fits) {
        (Some(membrane), ..) if membrane.area_per_lipid.is_some() => {
            let times = verdict.share / verdict.limit;
            membrane.area_per_lipid = membrane.area_per_lipid.map(|area| (10.0 * area * times).ceil() / 10.0);
        }
        (Some(membrane), Some(Size::Radius(radius)), _) if membrane.radius.is_some() => {
            membrane.radius = Some((10.0 * radius).ceil() / 10.0);
        }
        (.., Some(tolerance)) => scene.tolerance = Some((100.0 * tolerance).floor() / 100.0),
        _ => return None,
    }
    let text = toml::to_string(&scene).ok()?;
    Some(Source::Scene { name: name.clone(), text, folder: folder.clone() })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use steric::relax::Relaxation;
    use steric::world::build::Fit;

    use super::*;

    fn verdicts(source: &Source) -> Vec<Verdict> {
        let Source::Scene { name, text, folder } = source else { panic!("a scene") };
        let scene = SceneFile::read(text, name.as_ref()).unwrap();
        Relaxation::of_scene(&scene, name, folder).unwrap().verdicts().to_vec()
    }

    #[test]
    fn a_dense_membrane_gets_room_by_one_click_on_each_verdict() {
        let text = "[[membrane]]\ncount = 600\narea-per-lipid = 45\n[[membrane.lipid]]\nmolecule = \"POPC\"\n";
        let mut source = Source::Scene { name: "dense".into(), text: text.into(), folder: "".into() };
        assert!(verdicts(&source).iter().any(|verdict| verdict.fit > Fit::Fits));
        for _ in 0..6 {
            let Some(wrong) = verdicts(&source).into_iter().find(|verdict| verdict.fit > Fit::Fits) else { return };
            source = fixed(&source, &wrong, &RelaxOptions::default()).unwrap();
        }
        panic!("still too dense: {:?}", verdicts(&source));
    }
}
