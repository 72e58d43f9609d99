//! How a picture looks.

use std::str::FromStr;

use glam::DVec3;

/// The kind of light.
///
/// ```
/// use steric_view::Style;
///
/// assert_eq!("soft".parse(), Ok(Style::Soft));
/// assert!("loud".parse::<Style>().is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Flat colours and lines, as in an illustration.
    #[default]
    Illustrative,
    /// Soft light from above and shadow in the crevices.
    Soft,
    /// Plain light, nothing else.
    Plain,
}

impl FromStr for Style {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "illustrative" => Ok(Self::Illustrative),
            "soft" => Ok(Self::Soft),
            "plain" => Ok(Self::Plain),
            _ => Err(format!("expected illustrative, soft or plain, found {text}")),
        }
    }
}

/// How spheres are turned into samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Raster {
    /// Small spheres by threads where the GPU can do that, large ones as squares.
    #[default]
    Auto,
    /// All as squares, which every GPU can draw.
    Squares,
    /// All by threads.
    Threads,
}

/// Everything about how a picture looks, but for the colours of molecules.
///
/// ```
/// use steric_view::{Look, Style};
///
/// let look = Look::of(Style::Soft);
/// assert!(look.occlusion > 0.0 && look.lines == 0.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// The kind of light.
    pub style: Style,
    /// How dark crevices are, 0 to 1.
    pub occlusion: f64,
    /// How dark the lines around molecules are, 0 to 1.
    pub lines: f64,
    /// How dark shadows are, 0 to 1.
    pub shadows: f64,
    /// Towards the light, in the camera's frame: x to the right, y up, z to the one who looks; of length one. Flat colours show it by
    /// their shadows alone. [`Look::LIGHT`] shines in place of what has no direction.
    pub light: DVec3,
    /// How much of what is far vanishes in the fog, 0 to 1.
    pub fog: f64,
    /// What is behind the molecules, in sRGB; nothing for a transparent picture.
    pub background: Option<[u8; 3]>,
    /// What is beyond this plane, a point and the normal that points to what is kept, is cut away.
    pub clip: Option<(DVec3, DVec3)>,
    /// Samples along an edge of a pixel: 1 has stairs, 2 to 4 are smooth.
    pub samples: u32,
    /// Clusters and molecules of fewer pixels are drawn as one sphere; 0 for atoms always.
    pub coarse: f64,
    /// How spheres are turned into samples.
    pub raster: Raster,
    /// What is half transparent is there in a fixed half of all samples, as if behind a screen door: in steps of a sixteenth, without
    /// noise, and in one pass over the picture in place of sixteen.
    pub screen_door: bool,
}

impl Look {
    /// Where the light comes from unless it is told: from above the right shoulder.
    pub const LIGHT: DVec3 = DVec3::new(0.4506, 0.6508, 0.6108);

    /// Towards the light, with length one.
    pub(crate) fn towards_light(&self) -> DVec3 {
        // What has length one to three digits is taken as it is, as the usual one is written.
        if (self.light.length() - 1.0).abs() < 1e-3 { self.light } else { self.light.normalize_or(Self::LIGHT) }
    }

    /// The usual look of a style.
    pub fn of(style: Style) -> Self {
        let (occlusion, lines, fog) = match style {
            Style::Illustrative => (0.7, 0.85, 0.2),
            Style::Soft => (0.9, 0.0, 0.2),
            Style::Plain => (0.0, 0.0, 0.0),
        };
        Self {
            style,
            occlusion,
            lines,
            shadows: 0.0,
            light: Self::LIGHT,
            fog,
            background: Some([255; 3]),
            clip: None,
            samples: 2,
            coarse: 0.7,
            raster: Raster::Auto,
            screen_door: false,
        }
    }
}

impl Default for Look {
    fn default() -> Self {
        Self::of(Style::default())
    }
}
