//! Plays GLB files with a skin as glTF 2.0 says, by means of the crate `gltf` and of nothing that wrote them.

use std::path::Path;

use glam::{DMat4, DQuat, DVec3, DVec4};
use gltf::animation::Interpolation;
use gltf::animation::util::ReadOutputs;

/// Corners of the skinned mesh, and what moves them.
pub(crate) struct Played {
    pub(crate) gltf: gltf::Gltf,
    blob: Vec<u8>,
    corners: Vec<DVec3>,
    pub(crate) colours: Vec<[u8; 4]>,
    shares: Vec<[(usize, f64); 4]>,
    /// Nodes with their inverse bind matrices.
    bound: Vec<(usize, DMat4)>,
}

/// One property of one node.
pub(crate) struct Channel {
    pub(crate) node: usize,
    pub(crate) times: Vec<f64>,
    interpolation: Interpolation,
    part: usize,
    values: Vec<DVec4>,
}

impl Played {
    pub(crate) fn read(path: &Path) -> Self {
        let mut gltf = gltf::Gltf::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let blob = gltf.blob.take().unwrap();
        let primitive = gltf.meshes().next().unwrap().primitives().next().unwrap();
        let reader = primitive.reader(|_| Some(&blob));
        let corners: Vec<DVec3> =
            reader.read_positions().unwrap().map(|place| DVec3::from(place.map(f64::from))).collect();
        let normals: Vec<[f32; 3]> = reader.read_normals().unwrap().collect();
        let indices: Vec<u32> = reader.read_indices().unwrap().into_u32().collect();
        assert_eq!(normals.len(), corners.len());
        assert_eq!(indices.iter().max().map(|&most| most as usize + 1), Some(corners.len()));
        let joints = reader.read_joints(0).unwrap().into_u16();
        let shares = joints.zip(reader.read_weights(0).unwrap().into_f32()).map(|(joints, weights)| {
            [0, 1, 2, 3].map(|share: usize| (usize::from(joints[share]), f64::from(weights[share])))
        });
        let shares = shares.collect();
        let colours = reader.read_colors(0).unwrap().into_rgba_u8().collect();
        let skin = gltf.skins().next().unwrap();
        let matrices = skin.reader(|_| Some(&blob)).read_inverse_bind_matrices().unwrap();
        let matrices = matrices.map(|columns| DMat4::from_cols_array_2d(&columns.map(|column| column.map(f64::from))));
        let bound = skin.joints().map(|joint| joint.index()).zip(matrices).collect();
        Self { blob, corners, colours, shares, bound, gltf }
    }

    pub(crate) fn corners(&self) -> usize {
        self.corners.len()
    }

    pub(crate) fn channels(&self, animation: usize) -> Vec<Channel> {
        let read = |channel: gltf::animation::Channel<'_>| {
            let reader = channel.reader(|_| Some(&self.blob));
            let vector = |[x, y, z]: [f32; 3]| DVec3::new(x.into(), y.into(), z.into()).extend(0.0);
            let (part, values) = match reader.read_outputs().unwrap() {
                ReadOutputs::Translations(values) => (0, values.map(vector).collect()),
                ReadOutputs::Rotations(values) => {
                    (1, values.into_f32().map(|value| DVec4::from(value.map(f64::from))).collect())
                }
                ReadOutputs::Scales(values) => (2, values.map(vector).collect()),
                ReadOutputs::MorphTargetWeights(_) => panic!("nothing is morphed"),
            };
            Channel {
                node: channel.target().node().index(),
                times: reader.read_inputs().unwrap().map(f64::from).collect(),
                interpolation: channel.sampler().interpolation(),
                part,
                values,
            }
        };
        self.gltf.animations().nth(animation).map_or(Vec::new(), |animation| animation.channels().map(read).collect())
    }

    /// The middles of spheres of so many corners and their largest radii, in angstroms with z up.
    pub(crate) fn spheres(&self, animation: usize, time: f64, each: usize) -> Vec<(DVec3, f64)> {
        let placed = self.placed(animation, time);
        let joints: Vec<DMat4> = self.bound.iter().map(|(node, inverse)| placed[*node] * *inverse).collect();
        let corners: Vec<DVec3> = self
            .corners
            .iter()
            .zip(&self.shares)
            .map(|(corner, shares)| {
                let moved: DVec3 =
                    shares.iter().map(|&(joint, weight)| joints[joint].transform_point3(*corner) * weight).sum();
                DVec3::new(moved.x, -moved.z, moved.y) * 10.0
            })
            .collect();
        corners
            .chunks_exact(each)
            .map(|corners| {
                let middle = corners.iter().sum::<DVec3>() / each as f64;
                (middle, corners.iter().map(|corner| corner.distance(middle)).fold(0.0, f64::max))
            })
            .collect()
    }

    fn placed(&self, animation: usize, time: f64) -> Vec<DMat4> {
        let mut local: Vec<[DVec4; 3]> = self
            .gltf
            .nodes()
            .map(|node| {
                let (translation, rotation, scale) = node.transform().decomposed();
                let vector = |[x, y, z]: [f32; 3]| DVec4::new(x.into(), y.into(), z.into(), 0.0);
                [vector(translation), DVec4::from(rotation.map(f64::from)), vector(scale)]
            })
            .collect();
        for channel in self.channels(animation) {
            local[channel.node][channel.part] = channel.at(time);
        }
        let mut placed = vec![DMat4::IDENTITY; local.len()];
        let mut open: Vec<(usize, DMat4)> = Vec::new();
        open.extend(self.gltf.scenes().next().unwrap().nodes().map(|node| (node.index(), DMat4::IDENTITY)));
        while let Some((index, parent)) = open.pop() {
            let [translation, rotation, scale] = local[index];
            let rotation = DQuat::from_vec4(rotation).normalize();
            placed[index] =
                parent * DMat4::from_scale_rotation_translation(scale.truncate(), rotation, translation.truncate());
            let node = self.gltf.nodes().nth(index).unwrap();
            open.extend(node.children().map(|child| (child.index(), placed[index])));
        }
        placed
    }
}

impl Channel {
    /// glTF 2.0, appendix C.
    fn at(&self, time: f64) -> DVec4 {
        let is_cubic = self.interpolation == Interpolation::CubicSpline;
        let value = |key: usize| if is_cubic { self.values[3 * key + 1] } else { self.values[key] };
        let after = self.times.iter().position(|&key| key > time).unwrap_or(self.times.len());
        if after == 0 || after == self.times.len() {
            return value(after.saturating_sub(1));
        }
        let before = after - 1;
        let length = self.times[after] - self.times[before];
        let t = (time - self.times[before]) / length;
        match self.interpolation {
            Interpolation::Step => value(before),
            Interpolation::Linear if self.part == 1 => {
                DQuat::from_vec4(value(before)).slerp(DQuat::from_vec4(value(after)), t).into()
            }
            Interpolation::Linear => value(before).lerp(value(after), t),
            Interpolation::CubicSpline => {
                let (leaving, arriving) = (self.values[3 * before + 2], self.values[3 * after]);
                value(before) * (2.0 * t.powi(3) - 3.0 * t.powi(2) + 1.0)
                    + leaving * length * (t.powi(3) - 2.0 * t.powi(2) + t)
                    + value(after) * (-2.0 * t.powi(3) + 3.0 * t.powi(2))
                    + arriving * length * (t.powi(3) - t.powi(2))
            }
        }
    }
}
