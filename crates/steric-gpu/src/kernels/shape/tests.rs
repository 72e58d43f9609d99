use std::f64::consts::TAU;

use glam::Vec3;
use steric_model::Random;
use steric_model::formats::mesh::Mesh;

use super::*;
use crate::device::{Gpu, Groups, Kernel, Memory};
use crate::kernels::COMMON;

/// Asks both functions about every question.
const PROBE: &str = concat!(
    "@group(0) @binding(0) var<storage, read> shapes: array<vec4<f32>>;\n",
    include_str!("../shape.wgsl"),
    "
    struct Question {
        point: vec3<f32>,
        shape: u32,
    }
    @group(0) @binding(1) var<storage, read> questions: array<Question>;
    @group(0) @binding(2) var<storage, read_write> answers: array<vec4<f32>>;

    @compute @workgroup_size(64)
    fn probe(@builtin(global_invocation_id) thread: vec3<u32>) {
        if thread.x < arrayLength(&questions) {
            let question = questions[thread.x];
            answers[2u * thread.x] = surface_height(question.shape, question.point);
            answers[2u * thread.x + 1u] = region_distance(question.shape, question.point);
        }
    }
    "
);

/// Far from zero, so that a coordinate that is not relative to it shows.
const ORIGIN: DVec3 = DVec3::new(4000.5, -2500.25, 1000.0);

#[derive(Clone, Debug)]
enum Shape {
    Surface(Arc<Surface>),
    Region(Arc<Region>),
}

impl Shape {
    fn answer(&self, point: DVec3) -> (f64, DVec3) {
        match self {
            Self::Surface(surface) => surface.height(point),
            Self::Region(region) => region.distance(point),
        }
    }

    /// Short, for messages.
    fn name(&self) -> String {
        format!("{self:?}").chars().take(160).collect()
    }

    fn encode(&self, shapes: &mut Shapes) -> u32 {
        match self {
            Self::Surface(surface) => shapes.surface(surface),
            Self::Region(region) => shapes.region(region),
        }
    }
}

fn surface(surface: Surface) -> Shape {
    Shape::Surface(Arc::new(surface))
}

fn region(region: Region) -> Shape {
    Shape::Region(Arc::new(region))
}

fn cube() -> Mesh {
    let corner = |at: u32| DVec3::new(f64::from(at & 1), f64::from(at >> 1 & 1), f64::from(at >> 2));
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh { vertices: (0..8).map(|at| 220.0 * corner(at) - 110.0).collect(), triangles }
}

/// Rings of places, each a function of two turns, closed along both.
fn closed(rings: u32, spokes: u32, place: impl Fn(f64, f64) -> DVec3) -> Mesh {
    let at = |ring: u32, spoke: u32| ring % rings * spokes + spoke % spokes;
    let turns = (0..rings).flat_map(|ring| (0..spokes).map(move |spoke| (ring, spoke)));
    let turn = |part: u32, of: u32| f64::from(part) / f64::from(of) * TAU;
    let vertices = turns.clone().map(|(ring, spoke)| place(turn(ring, rings), turn(spoke, spokes))).collect();
    let quad = |(ring, spoke)| [at(ring, spoke), at(ring + 1, spoke), at(ring + 1, spoke + 1), at(ring, spoke + 1)];
    let triangles = turns.map(quad).flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh { vertices, triangles }
}

fn torus(rings: u32, spokes: u32) -> Mesh {
    closed(rings, spokes, |ring, spoke| {
        let wide = 130.0 + 55.0 * spoke.cos();
        DVec3::new(wide * ring.cos(), wide * ring.sin(), 55.0 * spoke.sin())
    })
}

/// A ball with a hole: a cone from a ring around one pole to a point at the other, with sharp edges at both ends.
fn drilled_ball() -> Mesh {
    closed(40, 80, |ring, spoke| {
        let polar = 0.5 * ring;
        150.0 * DVec3::new(polar.sin() * spoke.cos(), polar.sin() * spoke.sin(), polar.cos())
    })
}

fn meshes() -> Vec<Arc<TriangleMesh>> {
    let open = Mesh {
        vertices: vec![DVec3::new(-80.0, -50.0, 9.0), DVec3::new(90.0, -40.0, -30.0), DVec3::new(10.0, 120.0, 20.0)],
        triangles: vec![[0, 1, 2]],
    };
    let moved = |mut mesh: Mesh| {
        mesh.vertices.iter_mut().for_each(|vertex| *vertex += ORIGIN);
        Arc::new(TriangleMesh::new(&mesh).unwrap())
    };
    [cube(), torus(36, 18), torus(200, 90), drilled_ball(), open].map(moved).to_vec()
}

fn simple_shapes() -> Vec<Shape> {
    let center = ORIGIN + DVec3::new(12.0, -7.0, 20.5);
    let normal = DVec3::new(1.0, 2.0, -2.0) / 3.0;
    let mut shapes = vec![
        surface(Surface::Sphere { center, radius: 150.0 }),
        surface(Surface::Plane { origin: center, normal }),
        region(Region::Box { low: center - DVec3::new(90.0, 60.0, 150.0), high: center + 100.0 }),
        region(Region::Sphere { center, radius: 120.0 }),
        region(Region::HalfSpace { normal, offset: center.dot(normal) + 30.0 }),
        region(Region::Cylinder { start: center - 80.0 * DVec3::Z, end: center + 80.0 * DVec3::Z, radius: 60.0 }),
        region(Region::Cylinder { start: center, end: center + 120.0 * normal, radius: 90.0 }),
        region(Region::Inset { of: Arc::new(Region::Sphere { center, radius: 140.0 }), depth: 20.0 }),
        region(Region::Inset { of: Arc::new(Region::Sphere { center, radius: 100.0 }), depth: -20.0 }),
    ];
    let semi_axes =
        [[90., 60., 150.], [150., 150., 60.], [40., 180., 40.], [99., 99., 99.], [200., 3., 150.], [5., 200., 4.]];
    shapes.extend(semi_axes.map(|axes| region(Region::Ellipsoid { center, semi_axes: axes.into() })));
    shapes
}

fn of_mesh(mesh: &Arc<TriangleMesh>) -> [Shape; 2] {
    [surface(Surface::Mesh(Arc::clone(mesh))), region(Region::Mesh(Arc::clone(mesh)))]
}

/// What the kernel says of local points: distance and direction.
fn asked(gpu: &Gpu, shape: &Shape, points: &[Vec3]) -> Vec<(f64, DVec3)> {
    let mut shapes = Shapes::new(ORIGIN);
    // Another shape comes first, so that places inside the array matter.
    shapes.region(&Arc::new(Region::Box { low: DVec3::ZERO, high: DVec3::ONE }));
    let at = shape.encode(&mut shapes);
    let questions: Vec<[u32; 4]> = points.iter().map(|p| [p.x.to_bits(), p.y.to_bits(), p.z.to_bits(), at]).collect();
    let mut memory = Memory::new(gpu);
    let words = memory.filled("shapes", shapes.words()).unwrap();
    let asked = memory.filled("questions", &questions).unwrap();
    let answers = memory.zeros("answers", 32 * points.len() as u64).unwrap();
    let pipeline = gpu.pipeline(Kernel { name: "shape", text: &[PROBE], entry: "probe", constants: &[] });
    let groups = Groups(points.len().div_ceil(64) as u64);
    let stage = gpu.stage("probe", &pipeline, &[(0, &words), (1, &asked), (2, &answers)], groups);
    gpu.run([&stage]);
    let skipped = usize::from(matches!(shape, Shape::Region(_)));
    let answers: Vec<[f32; 4]> = gpu.read(&answers, 2 * points.len()).unwrap();
    let answers = answers.into_iter().skip(skipped).step_by(2);
    answers.map(|[x, y, z, w]| (f64::from(w), Vec3::new(x, y, z).as_dvec3())).collect()
}

/// Points all around, every second one close to the boundary.
fn points(shape: &Shape, count: usize, random: &mut Random) -> Vec<Vec3> {
    let mut point = |at: usize| {
        let point = DVec3::from([0.0; 3].map(|_: f64| 500.0 * random.unit() - 250.0));
        let (distance, direction) = shape.answer(ORIGIN + point);
        let wanted = if at.is_multiple_of(4) { 0.1 } else { 5.0 } * (2.0 * random.unit() - 1.0);
        if at.is_multiple_of(2) { point + (wanted - distance) * direction } else { point }
    };
    (0..count).map(|at| point(at).as_vec3()).collect()
}

/// Whether another place becomes the nearest, or the direction turns fast, within a thousandth of an angstrom.
fn jumps(shape: &Shape, point: DVec3) -> bool {
    let (_, direction) = shape.answer(point);
    let moves = DVec3::AXES.into_iter().flat_map(|axis| [1e-3 * axis, -1e-3 * axis]);
    moves.into_iter().any(|step| shape.answer(point + step).1.distance(direction) > 5e-3)
}

#[test]
fn the_kernel_text_is_valid() {
    let module = naga::front::wgsl::parse_str(&format!("{COMMON}\n{PROBE}")).expect("WGSL");
    let (flags, able) = (naga::valid::ValidationFlags::all(), naga::valid::Capabilities::empty());
    naga::valid::Validator::new(flags, able).validate(&module).expect("no errors");
}

#[test]
fn every_shape_answers_as_on_the_cpu() {
    let Some(gpu) = Gpu::software() else {
        eprintln!("skipped: no adapter");
        return;
    };
    let mut random = Random::new(11);
    for shape in simple_shapes().into_iter().chain(meshes().iter().flat_map(of_mesh)) {
        let points = points(&shape, 3000, &mut random);
        let mut compared = 0;
        for (&point, (distance, direction)) in points.iter().zip(asked(&gpu, &shape, &points)) {
            let place = ORIGIN + point.as_dvec3();
            let (expected, toward) = shape.answer(place);
            assert!((distance - expected).abs() < 1e-3, "{}\n{point}: {distance} for {expected}", shape.name());
            if !jumps(&shape, place) {
                assert!(direction.distance(toward) < 1e-2, "{}\n{point}: {direction} for {toward}", shape.name());
                compared += 1;
            }
        }
        assert!(compared > 2400, "{compared} of 3000 points compared: {}", shape.name());
    }
}

#[test]
fn where_every_direction_is_as_good_both_take_the_same() {
    let Some(gpu) = Gpu::software() else {
        eprintln!("skipped: no adapter");
        return;
    };
    let center = Vec3::new(12.0, -7.0, 20.5);
    let axes = Vec3::AXES.into_iter();
    let mut points: Vec<Vec3> =
        axes.clone().flat_map(|axis| [-200.0, -6.0, 1.5, 70.0].map(|along| center + along * axis)).collect();
    points.extend(axes.flat_map(|axis| [1.0, 30.0].map(|along| center + along * (Vec3::ONE - axis))));
    points.push(center);
    simple_shapes().iter().for_each(|shape| compare(&gpu, shape, &points));
    // Corners, the middles of edges and of faces of the cube.
    let thirds = |at: u32| Vec3::new((at % 3) as f32, (at / 3 % 3) as f32, (at / 9) as f32) - 1.0;
    let places: Vec<Vec3> = (0..27).filter(|&at| at != 13).map(|at| 110.0 * thirds(at)).collect();
    of_mesh(&meshes()[0]).iter().for_each(|shape| compare(&gpu, shape, &places));
}

fn compare(gpu: &Gpu, shape: &Shape, points: &[Vec3]) {
    for (&point, (distance, direction)) in points.iter().zip(asked(gpu, shape, points)) {
        let (expected, toward) = shape.answer(ORIGIN + point.as_dvec3());
        assert!((distance - expected).abs() < 1e-3, "{}\n{point}: {distance} for {expected}", shape.name());
        assert!(direction.distance(toward) < 1e-3, "{}\n{point}: {direction} for {toward}", shape.name());
    }
}

#[test]
fn what_is_shared_is_stored_once() {
    let mesh = meshes().swap_remove(0);
    let mut shapes = Shapes::new(ORIGIN);
    let sphere = Arc::new(Surface::Sphere { center: ORIGIN, radius: 5.0 });
    let (first, inside) = (shapes.surface(&sphere), Arc::new(Region::Mesh(Arc::clone(&mesh))));
    assert_eq!((first, shapes.surface(&sphere)), (0, 0));
    let at = shapes.region(&inside);
    let words = shapes.words().len();
    assert_eq!(shapes.region(&inside), at);
    assert_eq!(shapes.region(&Arc::new(Region::Mesh(Arc::clone(&mesh)))), at);
    assert_eq!(shapes.surface(&Arc::new(Surface::Mesh(mesh))), at);
    assert_eq!((at, shapes.words().len()), (2, words));
    assert_eq!(shapes.words()[0], [f32::from_bits(1 << 30 | 1), 0.0, 0.0, 0.0]);
}
