//! Who owns a molecule, who meets it as a ghost, and how ghosts hear of their owners.
//!
//! How it works: molecules go to their owners. Ranks tell each other the box of what they own, and each tells those whose boxes come
//! near which coarse cells its molecules there reach ([`Neighbourhood`]). A molecule that comes into such a cell is a ghost of whoever sent
//! it. Both sides keep the list of these molecules in the same order, so that later news say only which of them, and how it is. Ghosts
//! reach farther than contacts by a slack: as long as no atom has moved farther than half of it, nobody else can be met.

use std::collections::BTreeMap;

use glam::DVec3;
use steric_collide::Neighbourhood;
use steric_model::{Molecule, Scene};
use steric_world::relax::{Record, Relax, Sight};

use crate::blocks::Frame;
use crate::comm::Comm;
use crate::wire::{NEWS, Reader, Writer, records_as_bytes, records_of_bytes};

/// Places are rounded, and a little more than enough costs nothing, in angstroms.
const TO_SPARE: f32 = 0.01;

/// Who is a ghost of whom, since the ranks came together.
#[derive(Debug, Default)]
pub(crate) struct Home {
    /// The ranks that have ghosts of ours, and of which molecules: slots, and what we told last.
    told: Vec<(usize, Vec<(u32, Sight)>)>,
    /// The ranks whose molecules are ghosts here, and their slots here, in the order of the owner's list.
    heard: Vec<(usize, Vec<u32>)>,
    /// Whether ghosts are still as they came.
    is_fresh: bool,
    pub(crate) ghosts: usize,
}

impl Home {
    /// Hands molecules to their owners and finds who meets whom; all that is known of the molecules here stands in `records`. Ghosts reach
    /// `reach` angstroms beyond the spheres around the clusters of what is owned.
    pub(crate) fn gather(
        comm: &dyn Comm,
        relax: &mut Relax,
        records: &[Record],
        owner: &dyn Fn(&Record) -> usize,
        reach: f32,
    ) -> Self {
        let owned = handed_over(comm, records, owner);
        let periodic_box = relax.here().periodic_box();
        let molecules = owned.iter().map(|record| Molecule { kind: record.kind, pose: record.sight.pose }).collect();
        let mut scene = relax.here().with_molecules(molecules);
        scene.set_periodic_box(periodic_box);
        let border = border(comm, &scene, Frame(periodic_box), reach + TO_SPARE);
        let met = met(comm, &scene, &border, reach + TO_SPARE);
        let out = met.iter().map(|slots| records_as_bytes(slots.iter().map(|&slot| &owned[slot as usize]))).collect();
        let came: Vec<Vec<Record>> = comm.to_all(out).iter().map(|bytes| records_of_bytes(bytes).collect()).collect();
        let mut ghosts: Vec<Record> = came.iter().flatten().copied().collect();
        ghosts.sort_unstable_by_key(|ghost| ghost.slot);
        relax.come_together(&owned, &ghosts);
        // Numbers in the whole scene lead to the slots here.
        let slots: BTreeMap<u32, u32> = ghosts.iter().map(|ghost| ghost.slot).zip(owned.len() as u32..).collect();
        let here = |came: Vec<Record>| came.iter().map(|ghost| slots[&ghost.slot]).collect();
        let told = |slots: Vec<u32>| slots.into_iter().map(|slot| (slot, owned[slot as usize].sight)).collect();
        Self {
            told: of_some(met).map(|(rank, slots)| (rank, told(slots))).collect(),
            heard: of_some(came).map(|(rank, came)| (rank, here(came))).collect(),
            is_fresh: true,
            ghosts: ghosts.len(),
        }
    }

    /// Tells others what has become of their ghosts and hears what has become of ours; `inner` is done meanwhile.
    pub(crate) fn news(
        &mut self,
        comm: &dyn Comm,
        relax: &Relax,
        inner: &mut dyn FnMut(&dyn Fn()),
    ) -> Vec<(u32, Sight)> {
        if std::mem::take(&mut self.is_fresh) {
            inner(&|| ());
            return Vec::new();
        }
        let out: Vec<(usize, Vec<u8>)> =
            self.told.iter_mut().map(|(rank, ghosts)| (*rank, changes(relax, ghosts))).collect();
        let from: Vec<usize> = self.heard.iter().map(|(rank, _)| *rank).collect();
        let came = comm.exchange(&out, &from, inner);
        let news = came.iter().zip(&self.heard).flat_map(|((_, bytes), (_, slots))| {
            bytes.chunks_exact(NEWS).map(|bytes| {
                let (number, sight) = Reader(bytes).news();
                (slots[number as usize], sight)
            })
        });
        news.collect()
    }
}

/// What has changed of some molecules since it was last told.
fn changes(relax: &Relax, ghosts: &mut [(u32, Sight)]) -> Vec<u8> {
    let mut out = Writer::default();
    for (number, (slot, told)) in (0..).zip(ghosts) {
        let sight = relax.sight(*slot as usize);
        if sight != *told {
            *told = sight;
            out.news(number, &sight);
        }
    }
    out.0
}

/// Those that are not empty, with their numbers.
fn of_some<T>(all: Vec<Vec<T>>) -> impl Iterator<Item = (usize, Vec<T>)> {
    all.into_iter().enumerate().filter(|(_, some)| !some.is_empty())
}

/// The molecules that are ours, in the order of the whole scene.
fn handed_over(comm: &dyn Comm, records: &[Record], owner: &dyn Fn(&Record) -> usize) -> Vec<Record> {
    let mut out: Vec<Vec<Record>> = vec![Vec::new(); comm.ranks()];
    // What stays here is not sent.
    let mut owned = Vec::new();
    for record in records {
        let owner = owner(record);
        if owner == comm.rank() { owned.push(*record) } else { out[owner].push(*record) }
    }
    let came = comm.to_all(out.iter().map(records_as_bytes).collect());
    owned.extend(came.iter().flat_map(|bytes| records_of_bytes(bytes)));
    owned.sort_unstable_by_key(|record| record.slot);
    owned
}

/// A box along the axes.
#[derive(Clone, Copy, Debug)]
struct Extent {
    low: DVec3,
    high: DVec3,
}

impl Extent {
    /// The box of a sphere.
    fn of(frame: Frame, center: DVec3, radius: f64) -> Self {
        let (place, radii) = (frame.place(center), frame.length(radius));
        Self { low: place - radii, high: place + radii }
    }

    fn joined(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Whether two boxes, or any of their images, come nearer than a distance along every axis.
    fn meets(&self, other: &Self, frame: Frame, distance: f64) -> bool {
        let more = frame.length(distance);
        let (from, to) = (self.low - other.high - more, self.high - other.low + more);
        match frame.0 {
            None => (from.cmple(DVec3::ZERO) & to.cmpge(DVec3::ZERO)).all(),
            // Some whole number of boxes lies between.
            Some(_) => from.ceil().cmple(to.floor()).all(),
        }
    }
}

/// Of each other rank, the molecules here that come near its box.
fn border(comm: &dyn Comm, scene: &Scene, frame: Frame, reach: f32) -> Vec<Vec<u32>> {
    let extents: Vec<Extent> = scene.molecules().iter().map(|molecule| extent(scene, frame, molecule)).collect();
    let own = extents.iter().copied().reduce(Extent::joined);
    let mut out = Writer::default();
    own.iter().for_each(|own| [own.low, own.high].iter().for_each(|corner| out.numbers(&corner.to_array())));
    let others = comm.gather(&out.0);
    let near = |(rank, bytes): (usize, &Vec<u8>)| {
        if rank == comm.rank() || bytes.is_empty() {
            return Vec::new();
        }
        let mut reader = Reader(bytes);
        let other = Extent { low: reader.point(), high: reader.point() };
        let slots = (0..).zip(&extents).filter(|(_, extent)| extent.meets(&other, frame, f64::from(reach) + 1e-3));
        slots.map(|(slot, _)| slot).collect()
    };
    others.iter().enumerate().map(near).collect()
}

fn extent(scene: &Scene, frame: Frame, molecule: &Molecule) -> Extent {
    let bound = scene.types()[molecule.kind.0 as usize].bound;
    Extent::of(frame, molecule.pose * bound.center.as_dvec3(), f64::from(bound.radius) + 1e-3)
}

/// Of each other rank, the molecules here that may meet one of its own.
fn met(comm: &dyn Comm, scene: &Scene, border: &[Vec<u32>], reach: f32) -> Vec<Vec<u32>> {
    let space = |slots: &Vec<u32>| {
        let mut out = Writer::default();
        if !slots.is_empty() {
            Neighbourhood::new(scene, slots, reach).words().iter().for_each(|&word| out.long(word));
        }
        out.0
    };
    let came = comm.to_all(border.iter().map(space).collect());
    let met = |(bytes, border): (&Vec<u8>, &Vec<u32>)| {
        if bytes.is_empty() {
            return Vec::new();
        }
        let words = bytes.chunks_exact(8).map(|bytes| Reader(bytes).long()).collect();
        let theirs = Neighbourhood::from_words(words, scene.periodic_box());
        let slots = border.iter().copied();
        slots.filter(|&slot| theirs.touches(scene, &scene.molecules()[slot as usize])).collect()
    };
    came.iter().zip(border).map(met).collect()
}

#[cfg(test)]
mod tests {
    use steric_model::PeriodicBox;

    use super::*;

    #[test]
    fn boxes_meet_across_the_border_of_a_periodic_box() {
        let frame = Frame(PeriodicBox::orthogonal(DVec3::splat(100.0)));
        let at = |x: f64| Extent::of(frame, DVec3::new(x, 50.0, 50.0), 2.0);
        assert!(at(1.0).meets(&at(97.0), frame, 1.0));
        assert!(at(-300.5).meets(&at(97.0), frame, 1.0));
        assert!(!at(1.0).meets(&at(90.0), frame, 1.0));
        let open = |x: f64| Extent::of(Frame::default(), DVec3::X * x, 2.0);
        assert!(!open(1.0).meets(&open(97.0), Frame::default(), 1.0));
        assert!(open(1.0).meets(&open(6.5), Frame::default(), 2.0));
        assert!(at(30.0).joined(at(80.0)).meets(&at(50.0), frame, 0.0));
    }
}
