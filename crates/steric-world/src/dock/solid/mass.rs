//! Mass and inertia of solids.

use glam::{DMat3, DVec3};

/// How heavy a solid is at a density of one, and how it turns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mass {
    /// Its volume, in cubic angstroms. Balls that overlap count each for itself.
    pub mass: f64,
    /// The centre of mass, in the body's frame.
    pub center: DVec3,
    /// The inertia around the centre, along the axes of the body's frame.
    pub inertia: DMat3,
}

/// Mass, first and second moments around the origin; they add up.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moments {
    volume: f64,
    first: DVec3,
    second: DMat3,
}

fn outer(one: DVec3, other: DVec3) -> DMat3 {
    DMat3::from_cols(one * other.x, one * other.y, one * other.z)
}

impl Moments {
    pub(super) fn none() -> Self {
        Self { volume: 0.0, first: DVec3::ZERO, second: DMat3::ZERO }
    }

    pub(super) fn add_ball(&mut self, center: DVec3, radius: f64) {
        let volume = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
        self.volume += volume;
        self.first += volume * center;
        self.second += outer(center, center) * volume + DMat3::IDENTITY * (volume * radius * radius / 5.0);
    }

    /// The tetrahedra between the origin and the triangles of a closed surface.
    pub(super) fn add_surface(&mut self, vertices: &[DVec3], triangles: &[[u32; 3]]) {
        for triangle in triangles {
            let [a, b, c] = triangle.map(|vertex| vertices[vertex as usize]);
            let (six, sum) = (a.dot(b.cross(c)), a + b + c);
            self.volume += six / 6.0;
            self.first += sum * (six / 24.0);
            self.second += (outer(sum, sum) + outer(a, a) + outer(b, b) + outer(c, c)) * (six / 120.0);
        }
    }

    pub(super) fn volume(&self) -> f64 {
        self.volume
    }

    /// The mass; an inside-out surface is turned right.
    pub(super) fn mass(&self) -> Mass {
        let mass = self.volume.abs();
        let center = self.first / self.volume;
        let second = self.second * self.volume.signum() - outer(center, center) * mass;
        let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
        Mass { mass, center, inertia: DMat3::IDENTITY * trace - second }
    }
}
