//! Small skeletons with a clip, of our own writing.

use base64::Engine;

/// Two joints on an armature, a skin, and a channel of each kind of curve.
pub(crate) fn collada() -> Vec<u8> {
    COLLADA.as_bytes().to_vec()
}

/// Three joints with bind matrices, lines, steps, cubics and a sparse accessor; the buffer is embedded.
pub(crate) fn gltf() -> Vec<u8> {
    let text = base64::engine::general_purpose::STANDARD.encode(buffer());
    GLTF.replace("BUFFER", &format!("\"uri\":\"data:application/octet-stream;base64,{text}\",")).into_bytes()
}

/// The same as GLB.
pub(crate) fn glb() -> Vec<u8> {
    let (mut json, buffer) = (GLTF.replace("BUFFER", "").into_bytes(), buffer());
    json.resize(json.len().next_multiple_of(4), b' ');
    let word = |number: usize| (number as u32).to_le_bytes();
    let length = 12 + 8 + json.len() + 8 + buffer.len();
    let header = [&b"glTF"[..], &word(2), &word(length), &word(json.len()), b"JSON"].concat();
    [header, json, word(buffer.len()).to_vec(), b"BIN\0".to_vec(), buffer].concat()
}

// Three times, three bind matrices, nine vectors, three rotations as whole numbers, and an index.
fn buffer() -> Vec<u8> {
    let mut numbers = vec![0.0_f32, 0.5, 2.0];
    for place in [0.0, -1.0, -3.0] {
        numbers.extend([1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, place, 0.0, 1.0]);
    }
    numbers.extend((0..27).map(|at| at as f32 * 0.25));
    let mut bytes: Vec<u8> = numbers.into_iter().flat_map(f32::to_le_bytes).collect();
    bytes.extend([0, 0, 0, 32767, 0, 0, 23170, 23170, 23170, 0, 0, 23170_i16].into_iter().flat_map(i16::to_le_bytes));
    bytes.extend([1, 0, 0, 0]);
    bytes
}

const GLTF: &str = r#"{"asset":{"version":"2.0","extras":{"title":"seed"}},"scene":0,"scenes":[{"nodes":[0]}],
"nodes":[
{"name":"armature","children":[1],"matrix":[1,0,0,0,0,0,-1,0,0,1,0,0,0,0,0,1]},
{"name":"hip","children":[2,4],"translation":[0,1,0]},
{"name":"strap","children":[3],"rotation":[0,0,0.7071068,0.7071068]},
{"name":"knee","translation":[0,2,0],"scale":[1,1,2]},
{"name":"lamp"}],
"skins":[
{"name":"leg","joints":[1,3],"inverseBindMatrices":1},
{"joints":[3]}],
"animations":[{"name":"kick",
"channels":[
{"sampler":0,"target":{"node":1,"path":"translation"}},
{"sampler":1,"target":{"node":3,"path":"rotation"}},
{"sampler":2,"target":{"node":2,"path":"scale"}},
{"sampler":3,"target":{"node":0,"path":"translation"}},
{"sampler":0,"target":{"node":4,"path":"weights"}}],
"samplers":[
{"input":0,"output":2},
{"input":0,"output":3,"interpolation":"LINEAR"},
{"input":0,"output":4,"interpolation":"CUBICSPLINE"},
{"input":0,"output":5,"interpolation":"STEP"}]}],
"accessors":[
{"bufferView":0,"componentType":5126,"count":3,"type":"SCALAR"},
{"bufferView":1,"componentType":5126,"count":2,"type":"MAT4","byteOffset":64},
{"bufferView":2,"componentType":5126,"count":3,"type":"VEC3"},
{"bufferView":3,"componentType":5122,"normalized":true,"count":3,"type":"VEC4"},
{"bufferView":2,"componentType":5126,"count":9,"type":"VEC3"},
{"componentType":5126,"count":3,"type":"VEC3",
"sparse":{"count":1,"indices":{"bufferView":4,"componentType":5121},"values":{"bufferView":2,"byteOffset":12}}}],
"bufferViews":[
{"buffer":0,"byteOffset":0,"byteLength":12},
{"buffer":0,"byteOffset":12,"byteLength":192},
{"buffer":0,"byteOffset":204,"byteLength":108,"byteStride":12},
{"buffer":0,"byteOffset":312,"byteLength":24},
{"buffer":0,"byteOffset":336,"byteLength":4}],
"buffers":[{BUFFER"byteLength":340}]}"#;

const COLLADA: &str = r##"<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="meter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
<library_controllers><controller id="skin" name="leg"><skin source="#mesh">
<bind_shape_matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</bind_shape_matrix>
<source id="joints"><Name_array id="joints-array" count="2">Hip Knee</Name_array>
<technique_common><accessor source="#joints-array" count="2" stride="1"/></technique_common></source>
<source id="binds"><float_array id="binds-array" count="32">1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 1 0 0 0 0 1 0 -2 0 0 1 0 0 0 0 1</float_array>
<technique_common><accessor source="#binds-array" count="2" stride="16"/></technique_common></source>
<joints><input semantic="JOINT" source="#joints"/><input semantic="INV_BIND_MATRIX" source="#binds"/></joints>
</skin></controller></library_controllers>
<library_animations>
<animation id="nest"><animation id="one">
<source id="times"><float_array id="times-array" count="3">0 0.5 2</float_array>
<technique_common><accessor source="#times-array" count="3" stride="1"/></technique_common></source>
<source id="angles"><float_array id="angles-array" count="3">0 90 720</float_array>
<technique_common><accessor source="#angles-array" count="3" stride="1"/></technique_common></source>
<source id="matrices"><float_array id="matrices-array" count="48">1 0 0 0 0 1 0 2 0 0 1 0 0 0 0 1
0 -1 0 0 1 0 0 2 0 0 1 0 0 0 0 1
1 0 0 0 0 1 0 3 0 0 1 0 0 0 0 1</float_array>
<technique_common><accessor source="#matrices-array" count="3" stride="16"/></technique_common></source>
<source id="between"><Name_array>BEZIER HERMITE LINEAR</Name_array></source>
<source id="steps"><Name_array>STEP LINEAR STEP</Name_array></source>
<source id="tangents"><float_array count="6">0.1 0 0.4 90 1.5 600</float_array>
<technique_common><accessor count="3" stride="2"/></technique_common></source>
<sampler id="turn"><input semantic="INPUT" source="#times"/><input semantic="OUTPUT" source="#angles"/>
<input semantic="INTERPOLATION" source="#between"/>
<input semantic="IN_TANGENT" source="#tangents"/><input semantic="OUT_TANGENT" source="#tangents"/></sampler>
<sampler id="bend"><input semantic="INPUT" source="#times"/><input semantic="OUTPUT" source="#matrices"/>
<input semantic="INTERPOLATION" source="#steps"/></sampler>
<channel source="#turn" target="Hip/rotationZ.ANGLE"/>
<channel source="#turn" target="Hip/location(2)"/>
<channel source="#bend" target="Knee/transform"/>
</animation></animation>
</library_animations>
<library_animation_clips>
<animation_clip name="kick" start="0.25" end="1.5"><instance_animation url="#nest"/></animation_clip>
</library_animation_clips>
<library_nodes><node id="toe" sid="Toe" type="JOINT"><translate>0 1 0</translate></node></library_nodes>
<library_visual_scenes><visual_scene id="Scene">
<node id="Armature"><scale sid="scale">2 2 2</scale>
<node id="Hip" sid="Hip" name="hip" type="JOINT"><translate sid="location">0 0 1</translate><rotate sid="rotationZ">0 0 1 0</rotate>
<node id="Knee" sid="Knee" type="JOINT"><matrix sid="transform">1 0 0 0 0 1 0 2 0 0 1 0 0 0 0 1</matrix>
<instance_node url="#toe"/>
<extra><technique profile="blender"><tip_x>0</tip_x><tip_y>1</tip_y><tip_z>0</tip_z></technique></extra></node></node>
<node><instance_controller url="#skin"><skeleton>#Hip</skeleton></instance_controller></node></node>
</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#Scene"/></scene>
</COLLADA>
"##;
