//! Bones as strings of beads.
//!
//! How it works: each bone has as many beads as it needs at rest, and keeps them. They are spread between its ends wherever these are, so that a bone may also
//! become longer. The bead at a joint is larger than the others.

use glam::DVec3;
use steric::model::{AtomRecord, Bone, Name, Structure, StructureBuilder};

/// How thick bones are, as a part of their mean length, and in angstroms at least and at most.
const THICK: f64 = 0.05;
const THICKNESSES: [f64; 2] = [0.4, 2.0];
/// How much larger a joint is.
const JOINT: f64 = 2.2;
/// Beads of all bones, at most, about: longer ones have gaps.
const MOST_BEADS: f64 = 20_000.0;

/// The beads of some bones.
#[derive(Clone, Debug, Default)]
pub(super) struct Strings {
    thick: f64,
    /// How many gaps between beads each bone has.
    gaps: Vec<u32>,
}

impl Strings {
    /// For bones as they are bound.
    pub(super) fn new(bones: &[Bone]) -> Self {
        let length = |bone: &Bone| bone.head.distance(bone.tail);
        let whole: f64 = bones.iter().map(length).sum();
        let thick = (THICK * whole / bones.len().max(1) as f64).clamp(THICKNESSES[0], THICKNESSES[1]);
        let apart = (0.6 * thick).max(whole / MOST_BEADS);
        Self { thick, gaps: bones.iter().map(|bone| ((length(bone) / apart).ceil() as u32).max(1)).collect() }
    }

    /// The number of its bone for each bead.
    pub(super) fn bones(&self) -> impl Iterator<Item = usize> + '_ {
        self.gaps.iter().enumerate().flat_map(|(bone, &gaps)| (0..=gaps).map(move |_| bone))
    }

    /// Where the beads are when the bones are there.
    pub(super) fn places(&self, bones: &[Bone]) -> Vec<DVec3> {
        let beads = |(bone, &gaps): (&Bone, &u32)| {
            let (head, tail) = (bone.head, bone.tail);
            (0..=gaps).map(move |bead| head.lerp(tail, f64::from(bead) / f64::from(gaps)))
        };
        bones.iter().zip(&self.gaps).flat_map(beads).collect()
    }

    /// The beads as a structure, and their radii.
    pub(super) fn structure(&self, name: &str, bones: &[Bone]) -> (Structure, Vec<f32>) {
        let places = self.places(bones);
        let mut builder = StructureBuilder::new(name, places.len());
        for place in places {
            let (name, residue_name) = (Name::new("P"), Name::new("UNK"));
            let position = place.as_vec3();
            builder.push(AtomRecord {
                position,
                name,
                residue_name,
                residue_number: 1,
                hetero: true,
                ..Default::default()
            });
        }
        let radius = |bead: u32| (0.5 * self.thick * if bead == 0 { JOINT } else { 1.0 }) as f32;
        let radii = self.gaps.iter().flat_map(|&gaps| (0..=gaps).map(radius)).collect();
        (builder.finish(), radii)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beads_go_from_end_to_end_without_gaps_also_when_a_bone_has_moved() {
        let bones = [(DVec3::ZERO, DVec3::X * 20.0), (DVec3::X * 20.0, DVec3::X * 20.0)];
        let bones = bones.map(|(head, tail)| Bone { joint: 0, head, tail });
        let strings = Strings::new(&bones);
        let moved = bones.map(|bone| Bone { head: bone.head + DVec3::Y, tail: bone.tail + DVec3::Z * 5.0, ..bone });
        for bones in [bones, moved] {
            let places = strings.places(&bones);
            let own: Vec<DVec3> =
                strings.bones().zip(&places).filter(|(bone, _)| *bone == 0).map(|(_, place)| *place).collect();
            assert_eq!((own[0], own[own.len() - 1]), (bones[0].head, bones[0].tail));
            assert!(own.windows(2).all(|pair| pair[0].distance(pair[1]) < strings.thick));
            let (structure, radii) = strings.structure("bones", &bones);
            assert_eq!(
                (structure.atoms.len(), radii.len(), strings.bones().count()),
                (places.len(), places.len(), places.len())
            );
            assert!(radii[0] > radii[1]);
        }
    }
}
