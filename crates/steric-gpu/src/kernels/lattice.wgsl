// Which cell a place belongs to, and where the cell stands in the table. Needs `scene`.

// A cell of a level; not yet folded into the table.
fn cell_of(level: u32, origin: vec3<i32>) -> vec3<i32> {
    return cell_at(level, vec3<f32>(origin) * ANGSTROMS);
}

fn cell_at(level: u32, place: vec3<f32>) -> vec3<i32> {
    if (scene.level[level].kind == PERIODIC) {
        return vec3<i32>(floor(fractional(place) * vec3<f32>(scene.level[level].cells)));
    }
    return vec3<i32>(floor((place - scene.level[level].low) * scene.level[level].cells_per_angstrom));
}

fn fractional(place: vec3<f32>) -> vec3<f32> {
    return vec3<f32>(dot(scene.fractional[0].xyz, place), dot(scene.fractional[1].xyz, place),
                     dot(scene.fractional[2].xyz, place));
}

// A cell number along one axis as it is in the table. Dense cells hold all that is beyond them, too.
fn folded(kind: u32, cell: i32, cells: u32) -> u32 {
    if (kind == DENSE) { return u32(clamp(cell, 0, i32(cells) - 1)); }
    if (kind == WRAPPED) { return u32(cell) & (cells - 1u); }
    let rest = cell % i32(cells);
    return u32(select(rest, rest + i32(cells), rest < 0));
}

fn table_entry(level: u32, cell: vec3<i32>) -> u32 {
    let cells = scene.level[level].cells;
    let kind = scene.level[level].kind;
    let y = folded(kind, cell.y, cells.y);
    let z = folded(kind, cell.z, cells.z);
    return scene.level[level].first + (z * cells.y + y) * cells.x + folded(kind, cell.x, cells.x);
}

// From the second of two places to the first, or to its nearest image.
fn between(first: vec3<i32>, second: vec3<i32>) -> vec3<f32> {
    var apart = vec3<f32>(first - second) * ANGSTROMS;
    if (scene.level[0].kind == PERIODIC) {
        let steps = round(fractional(apart));
        apart -= steps.x * scene.vectors[0].xyz + steps.y * scene.vectors[1].xyz + steps.z * scene.vectors[2].xyz;
        apart = round(apart / scene.grain) * scene.grain;
    }
    return apart;
}
