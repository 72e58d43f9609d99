//! What the painter has before it: the molecules that it was told of, and something to draw them with.

use std::sync::Arc;

use steric::gpu::Gpu;
use steric::model::{Instant, MoleculeId, Scene};
use steric_view::{Camera, ColourBy, Coloured, Colours, Look, Palette, Picked, Picture, Stereo};

use super::kernels::Kernels;
use super::squares::Squares;
use super::{Painted, Wish};
use crate::simulation::Opened;

/// A picture in haste should not take longer than this, in milliseconds.
const PATIENCE: f64 = 60.0;

/// A molecule that was chosen.
const CHOSEN: [u8; 3] = [255, 214, 10];

/// What draws: kernels, where the GPU can compute, and squares elsewhere.
#[derive(Debug)]
enum Drawing {
    Kernels(Box<Kernels>),
    Squares(Box<Squares>),
}

/// What the painter has before it.
#[derive(Debug)]
pub(super) struct Easel {
    drawing: Drawing,
    subject: Option<Subject>,
    /// What was painted last: what was wished for, how, and what came of it.
    shown: Option<(Wish, Sheet, Painted)>,
    number: u64,
    /// What a fine picture took, in milliseconds a pixel.
    pace: f64,
}

/// What is painted.
#[derive(Debug)]
pub(super) struct Subject {
    opening: (u64, u64),
    pub(super) by: ColourBy,
    pub(super) scene: Scene,
    colours: Colours,
}

/// What is drawn on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sheet {
    pub(super) look: Look,
    pub(super) size: [u32; 2],
    /// The pixel that is pointed at.
    pub(super) pixel: Option<[u32; 2]>,
}

impl Subject {
    fn new(opened: &Opened, wish: &Wish) -> Self {
        let structures: Vec<_> = opened.structures.iter().collect();
        let coloured = Coloured {
            molecules: &opened.molecules,
            structures: &structures,
            overlaps: &[],
            fixed: &wish.now.fixed,
            leaflet_of: &opened.is_outer,
        };
        let colours = Colours::new(wish.by, &Palette::safe(), &coloured);
        Self { opening: (wish.now.opening, wish.now.edition), by: wish.by, scene: opened.scene.clone(), colours }
    }

    /// Molecules go where they are now; gives the colours that they have now.
    pub(super) fn take_over(&mut self, wish: &Wish) -> Colours {
        let now = &wish.now;
        for (molecule, pose) in self.scene.molecules_mut().iter_mut().zip(now.poses.iter()) {
            molecule.pose = *pose;
        }
        let mut colours = self.colours.clone();
        if self.by == ColourBy::Collision {
            let palette = Palette::safe();
            let of = |id: usize| match (now.fixed.get(id), now.touching.get(id)) {
                (Some(true), _) => palette.fixed(),
                (_, Some(true)) => palette.touching(),
                _ => palette.free(),
            };
            colours.molecules = (0..now.poses.len()).map(|id| Some(of(id))).collect();
        }
        if self.by == ColourBy::Type && !now.colours.is_empty() {
            let palette = Palette::safe();
            let touches = |id: usize| now.touching.get(id) == Some(&true);
            let of = |(id, own): (usize, &[u8; 3])| Some(if touches(id) { palette.touching() } else { *own });
            colours.molecules = now.colours.iter().enumerate().map(of).collect();
        }
        colours.molecules.resize(now.poses.len(), None);
        for (own, dyed) in colours.molecules.iter_mut().zip(now.dyed.iter()) {
            *own = dyed.or(*own);
        }
        for (MoleculeId(id), colour) in wish.painted.iter() {
            if let Some(own) = colours.molecules.get_mut(*id as usize) {
                *own = Some(*colour);
            }
        }
        for MoleculeId(chosen) in &wish.selected {
            if let Some(own) = colours.molecules.get_mut(*chosen as usize) {
                *own = Some(CHOSEN);
            }
        }
        let hides = wish.hidden.iter().any(|&is_hidden| is_hidden);
        if hides || wish.see_through.is_some() || now.opacities.iter().any(|&opacity| opacity < 1.0) {
            colours.opacities = now.opacities.to_vec();
            colours.opacities.resize(now.poses.len(), 1.0);
            let hidden = colours.opacities.iter_mut().zip(wish.hidden.iter()).filter(|(_, is_hidden)| **is_hidden);
            hidden.for_each(|(own, _)| *own = 0.0);
        }
        if let Some((MoleculeId(id), opacity)) = wish.see_through
            && let Some(own) = colours.opacities.get_mut(id as usize)
        {
            *own = own.min(opacity);
        }
        let palette = Palette::safe();
        for (molecule, atom) in now.touched.iter() {
            let kind = self.scene.molecules().get(molecule.0 as usize).map(|molecule| molecule.kind.0 as usize);
            if let Some(own) = kind.and_then(|kind| colours.atoms.get_mut(kind)?.get_mut(*atom as usize)) {
                *own = palette.touching();
            }
        }
        colours
    }
}

/// Whether the same molecules stand out or are hidden.
fn is_marked_alike(one: &Wish, other: &Wish) -> bool {
    Arc::ptr_eq(&one.hidden, &other.hidden)
        && Arc::ptr_eq(&one.painted, &other.painted)
        && one.selected == other.selected
        && one.see_through == other.see_through
}

impl Easel {
    pub(super) fn new(gpu: &Gpu) -> Self {
        let drawing = if gpu.adapter().is_able {
            Drawing::Kernels(Box::new(Kernels::new(gpu)))
        } else {
            Drawing::Squares(Box::new(Squares::new(gpu)))
        };
        Self { drawing, subject: None, shown: None, number: 0, pace: 0.0 }
    }

    pub(super) async fn paint(&mut self, wish: &Wish) -> Result<Option<Painted>, String> {
        let began = Instant::now();
        let Some(opened) = wish.now.opened.clone() else {
            (self.subject, self.shown) = (None, None);
            return Ok(None);
        };
        let opening = (wish.now.opening, wish.now.edition);
        let is_new = self.subject.as_ref().is_none_or(|subject| (subject.opening, subject.by) != (opening, wish.by));
        if is_new {
            (self.subject, self.shown) = (Some(Subject::new(&opened, wish)), None);
        }
        let times = self.haste(wish);
        let sheet = sheet(wish, times);
        let Some(subject) = &mut self.subject else { return Ok(None) };
        let before = self.shown.take();
        let is_still = before
            .as_ref()
            .is_some_and(|(before, ..)| before.now.version == wish.now.version && is_marked_alike(before, wish));
        if !is_still {
            let is_marked = before.as_ref().is_some_and(|(before, ..)| is_marked_alike(before, wish));
            match &mut self.drawing {
                Drawing::Kernels(kernels) => kernels.take_over(subject, wish, is_new, is_marked)?,
                Drawing::Squares(squares) => squares.take_over(subject, wish)?,
            }
        }
        // Who only points elsewhere needs no new picture.
        let known = before.filter(|(before, drawn, _)| {
            is_still
                && (before.camera, before.stereo) == (wish.camera, wish.stereo)
                && (drawn.look, drawn.size) == (sheet.look, sheet.size)
        });
        let (picture, picked) = match &mut self.drawing {
            Drawing::Kernels(kernels) => kernels.draw(subject, wish, &sheet, known.is_some()).await?,
            Drawing::Squares(squares) => squares.draw(wish, &sheet, known.is_some()).await?,
        };
        let painted = match (known, picture) {
            (Some((.., painted)), _) => Painted { picked, ..painted },
            (None, picture) => {
                self.number += 1;
                let milliseconds = 1e3 * began.elapsed().as_secs_f64();
                if times == 1 {
                    self.pace = milliseconds / f64::from(sheet.size[0]) / f64::from(sheet.size[1]);
                }
                Painted {
                    picture: Arc::new(picture.unwrap_or_default()),
                    camera: wish.camera,
                    picked,
                    milliseconds,
                    is_draft: times > 1,
                    number: self.number,
                    version: wish.now.version,
                    opening,
                }
            }
        };
        self.shown = Some((wish.clone(), sheet, painted.clone()));
        Ok(Some(painted))
    }

    /// How many times coarser a picture is drawn, so that it does not take long.
    fn haste(&self, wish: &Wish) -> u32 {
        let expected = self.pace * f64::from(wish.size[0]) * f64::from(wish.size[1]);
        if wish.is_in_haste && expected > PATIENCE {
            (expected / PATIENCE).sqrt().ceil().clamp(2.0, 4.0) as u32
        } else {
            1
        }
    }
}

/// The eyes that a picture is drawn for, each with what it is drawn on; two that stand side by side are half as wide.
pub(super) fn eyes(wish: &Wish, sheet: &Sheet) -> (Vec<Camera>, [u32; 2]) {
    match wish.stereo {
        None => (vec![wish.camera], sheet.size),
        Some((kind, apart)) => {
            let is_beside = matches!(kind, Stereo::SideBySide | Stereo::CrossEye);
            let width = if is_beside { (sheet.size[0] / 2).max(1) } else { sheet.size[0] };
            (wish.camera.eyes(apart).to_vec(), [width, sheet.size[1]])
        }
    }
}

/// One picture of those of the eyes.
pub(super) fn joined(wish: &Wish, pictures: Vec<Picture>) -> Option<Picture> {
    match (wish.stereo, &pictures[..]) {
        (Some((kind, _)), [left, right]) => Some(kind.joined(left, right)),
        _ => pictures.into_iter().next(),
    }
}

/// Where the mouse points in the picture of one eye.
pub(super) fn pixel_of_eye(sheet: &Sheet, [width, _]: [u32; 2]) -> Option<[u32; 2]> {
    sheet.pixel.map(|[x, y]| [x % width, y])
}

/// What a picture is drawn on that is so many times coarser.
fn sheet(wish: &Wish, times: u32) -> Sheet {
    let pixel = wish.pointed.map(|pixel| pixel.map(|side| side / times));
    if times == 1 {
        return Sheet { look: wish.look, size: wish.size, pixel };
    }
    let look = Look { occlusion: 0.0, lines: 0.4 * wish.look.lines, coarse: 2.0, ..wish.look };
    Sheet { look, size: wish.size.map(|side| (side / times).max(1)), pixel }
}

/// A picture, unless it is known, and what is pointed at in it.
pub(super) type Drawn = (Option<Picture>, Option<Picked>);
