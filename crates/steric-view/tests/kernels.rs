//! Every kernel is parsed and validated without a GPU.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[test]
fn every_kernel_is_valid_wgsl() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/draw/");
    let text = |name: &str| std::fs::read_to_string(format!("{folder}{name}.wgsl")).unwrap();
    let kernels = [
        ("cull", vec!["molecule", "view", "cull"]),
        ("impostor", vec!["molecule", "view", "spheres", "square", "impostor"]),
        ("splat", vec!["molecule", "view", "spheres", "splat"]),
        ("resolve", vec!["molecule", "view", "spheres", "mesh", "splatted", "resolve"]),
        ("resolve without threads", vec!["molecule", "view", "spheres", "mesh", "unsplatted", "resolve"]),
        ("sketch", vec!["view", "square", "light", "sketch"]),
        ("triangles", vec!["view", "mesh", "triangles"]),
        ("pyramid", vec!["view", "pyramid"]),
        ("follow", vec!["molecule", "follow"]),
        ("shade", vec!["view", "light", "shade"]),
    ];
    let mut used: Vec<&str> = Vec::new();
    for (name, parts) in &kernels {
        let whole: String = parts.iter().map(|part| text(part)).collect();
        let module = naga::front::wgsl::parse_str(&whole).unwrap_or_else(|error| panic!("{name}: {error}"));
        use naga::valid::Capabilities as Able;
        let able = Able::SHADER_INT64 | Able::SHADER_INT64_ATOMIC_MIN_MAX | Able::SHADER_FLOAT16_IN_FLOAT32;
        naga::valid::Validator::new(naga::valid::ValidationFlags::all(), able)
            .validate(&module)
            .unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(&whole)));
        used.extend(parts);
    }
    for entry in std::fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        let Some(stem) = file.strip_suffix(".wgsl") else { continue };
        assert!(used.contains(&stem), "{stem} is not validated");
    }
}
