//! Small sound files of each format to start from; what they lack, `../shared/data` adds where it is present.

use std::io::Read;
use std::path::{Path, PathBuf};
use steric_model::formats::{Format, read_bytes, write_bytes};

/// Files above this size hide the interesting bytes among millions of dull ones.
const MOST_BYTES: u64 = 64 << 10;

/// The sound files of one format, by name.
pub(crate) fn seeds(format: Format) -> Vec<(String, Vec<u8>)> {
    let mut seeds = written(format);
    seeds.extend(shared(|path| Format::from_path(path) == Some(format)));
    seeds
}

fn written(format: Format) -> Vec<(String, Vec<u8>)> {
    let texts: &[&str] = match format {
        Format::Pdb => &[PDB],
        Format::Pdbqt => &[PDBQT],
        Format::Mmcif => &[MMCIF],
        Format::Bcif => return vec![("BinaryCIF of our own writing".into(), as_bcif(MMCIF))],
        Format::Gro => &[GRO],
        Format::Xyz => &[XYZ],
        Format::Sdf => &[SDF, SDF_V3000],
        Format::Mol2 => &[MOL2],
        Format::CellPack => &[CELLPACK],
    };
    texts.iter().map(|text| (format!("{} in this test", format.name()), text.as_bytes().to_vec())).collect()
}

fn as_bcif(mmcif: &str) -> Vec<u8> {
    let parsed = read_bytes(mmcif.as_bytes(), Path::new("seed.cif"), Some(Format::Mmcif)).expect("a sound mmCIF file");
    let mut bytes = Vec::new();
    write_bytes(Format::Bcif, &parsed.value, &mut bytes).expect("what was read can be written");
    bytes
}

/// The small files of some kind in `../shared/data`, unpacked; none where the folder is absent.
pub(crate) fn shared(is_meant: impl Fn(&Path) -> bool) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    collect(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")), &mut files);
    files.sort();
    let meant = files.into_iter().filter(|path| is_meant(path));
    // The traps are not sound; they stay for the mutations, since reading them is not asserted.
    meant.filter_map(|path| Some((path.file_name()?.to_string_lossy().into_owned(), unpacked(&path)?))).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => collect(&entry.path(), files),
            Ok(metadata) if metadata.len() < MOST_BYTES => files.push(entry.path()),
            _ => {}
        }
    }
}

fn unpacked(path: &Path) -> Option<Vec<u8>> {
    let bytes = std::fs::read(path).ok()?;
    if path.extension().is_none_or(|extension| extension != "gz") {
        return Some(bytes);
    }
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(&bytes[..]).take(MOST_BYTES).read_to_end(&mut plain).ok()?;
    Some(plain)
}

pub(crate) const PACKMOL: &str = "\
# A bit of everything.
tolerance 2.0
filetype pdb
seed -1
output \"my system.pdb\"
pbc 0. 0. 0. 40. 40. 40.
add_box_sides 1.0
structure water.pdb
  number 1000
  resnumbers 3
  inside box 0. 0. 0. 40. 40. 20.
  outside ellipsoid 20. 20. 20. 1. 2. 3. 4.d0
  constrain_rotation x 180. 20.
  radius 1.5
  atoms 1 2
    over plane 0. 0. 1. 5.
    below xygauss 20. 20. 5. 5. 0. 10.
    radius 1.2
  end atoms
  restart_to water.restart
end structure
structure protein.pdb
  center
  fixed 20. 20. 20. 0.1 0.2 0.3
  chain P
end structure
structure ion.pdb
  number 7
  inside cylinder 0. 0. 0. 0. 0. 1. 5. 30.
end structure
";

const PDB: &str = "\
HEADER    PLANT PROTEIN                           30-APR-81   1CRN
REMARK 350 BIOMOLECULE: 1
REMARK 350 APPLY THE FOLLOWING TO CHAINS: A, B
REMARK 350   BIOMT1   1  1.000000  0.000000  0.000000        0.00000
REMARK 350   BIOMT2   1  0.000000  1.000000  0.000000        0.00000
REMARK 350   BIOMT3   1  0.000000  0.000000  1.000000        0.00000
REMARK 350   BIOMT1   2 -1.000000  0.000000  0.000000       10.00000
REMARK 350   BIOMT2   2  0.000000 -1.000000  0.000000        0.00000
REMARK 350   BIOMT3   2  0.000000  0.000000  1.000000        0.00000
CRYST1   40.960   18.650   22.520  90.00  90.77  90.00 P 1 21 1      2
MTRIX1   1  1.000000  0.000000  0.000000        0.00000    1
MTRIX2   1  0.000000  1.000000  0.000000        0.00000    1
MTRIX3   1  0.000000  0.000000  1.000000        0.00000    1
MODEL        1
ATOM      1  N   THR A   1      17.047  14.099   3.625  1.00 13.79           N
ANISOU    1  N   THR A   1     1700   1800   1900    -10     20     30       N
ATOM      2  CA ATHR A   1A     16.967  12.784   4.338  0.60 10.80           C
ATOM      3  CA BTHR A   1A     16.900  12.700   4.300  0.40 10.80           C1+
ATOM  A0000  C   THR B   2      15.685  12.755   5.133  1.00  9.19           C
TER       5      THR B   2
HETATM*****  O   HOH A A000     15.268  13.825   5.594  1.00  9.85           O
ENDMDL
CONECT    1    2    3
END
";

const PDBQT: &str = "\
REMARK  2 active torsions:
ROOT
HETATM    1  C1  UNL     1      17.047  14.099   3.625  1.00 13.79    +0.123 C
HETATM    2  N1  UNL     1      16.967  12.784   4.338  1.00 10.80    -0.345 NA
ENDROOT
BRANCH   2   3
HETATM    3  O1  UNL     1      15.685  12.755   5.133  1.00  9.19    -0.250 OA
ENDBRANCH   2   3
TORSDOF 2
";

const MMCIF: &str = "\
data_SEED
#
_entry.id SEED
_cell.length_a 40.96
_cell.length_b 18.65
_cell.length_c 22.52
_cell.angle_alpha 90.00
_cell.angle_beta 90.77
_cell.angle_gamma 90.00
_struct.title
;A title on
two lines
;
loop_
_pdbx_struct_assembly_gen.assembly_id
_pdbx_struct_assembly_gen.oper_expression
_pdbx_struct_assembly_gen.asym_id_list
1 '(1-2)(3)' A,B
2 1,P A
loop_
_pdbx_struct_oper_list.id
_pdbx_struct_oper_list.matrix[1][1]
_pdbx_struct_oper_list.matrix[1][2]
_pdbx_struct_oper_list.matrix[1][3]
_pdbx_struct_oper_list.vector[1]
_pdbx_struct_oper_list.matrix[2][1]
_pdbx_struct_oper_list.matrix[2][2]
_pdbx_struct_oper_list.matrix[2][3]
_pdbx_struct_oper_list.vector[2]
_pdbx_struct_oper_list.matrix[3][1]
_pdbx_struct_oper_list.matrix[3][2]
_pdbx_struct_oper_list.matrix[3][3]
_pdbx_struct_oper_list.vector[3]
1 1 0 0 0 0 1 0 0 0 0 1 0
2 -1 0 0 10 0 -1 0 0 0 0 1 0
3 1 0 0 0 0 1 0 0 0 0 1 25.5
P 0 1 0 0 0 0 1 0 1 0 0 0
loop_
_atom_site.group_PDB
_atom_site.id
_atom_site.type_symbol
_atom_site.label_atom_id
_atom_site.label_alt_id
_atom_site.label_comp_id
_atom_site.label_asym_id
_atom_site.label_entity_id
_atom_site.label_seq_id
_atom_site.pdbx_PDB_ins_code
_atom_site.Cartn_x
_atom_site.Cartn_y
_atom_site.Cartn_z
_atom_site.occupancy
_atom_site.B_iso_or_equiv
_atom_site.auth_seq_id
_atom_site.auth_asym_id
_atom_site.pdbx_PDB_model_num
ATOM 1 N N . THR A 1 1 ? 17.047 14.099 3.625 1.00 13.79 1 A 1
ATOM 2 C CA A THR A 1 1 ? 16.967 12.784 4.338 0.60 10.80 1 A 1
ATOM 3 C \"C1'\" . DA B 2 1 A 15.685 12.755 5.133 1.00 9.19 1 B 1
HETATM 4 O O . HOH C 3 . ? 15.268 13.825 5.594 1.00 9.85 101 A 1
#
";

const GRO: &str = "\
Two waters, t= 0.0
    6
    1SOL    OW    1   0.126   1.624   1.679  0.1227 -0.0580  0.0434
    1SOL   HW1    2   0.190   1.661   1.747  0.8085  0.3191 -0.7791
    1SOL   HW2    3   0.177   1.568   1.613 -0.9045 -2.6469  1.3180
    2SOL    OW    4   1.275   0.053   0.622  0.2519  0.3140 -0.1734
    2SOL   HW1    5   1.337   0.002   0.680 -1.0641 -1.1349  0.0257
    2SOL   HW2    6   1.326   0.120   0.568  1.9427 -0.8216 -0.0244
   1.82060   1.82060   1.82060   0.00000   0.00000   0.91030   0.00000   0.91030   0.91030
";

const XYZ: &str = "\
3
Lattice=\"10.0 0.0 0.0 0.0 10.0 0.0 0.0 0.0 10.0\" Properties=species:S:1:pos:R:3
O 0.000 0.000 0.119
H 0.000 0.763 -0.477
H 0.000 -0.763 -0.477
2
a second frame
C 0.0 0.0 0.0
O 1.128 0 0
";

const SDF: &str = "\
ethanol
  steric

  3  2  0  0  0  0  0  0  0  0999 V2000
    0.0000    0.0000    0.0000 C   0  0  0  0  0  0
    1.5200    0.0000    0.0000 C   0  0  0  0  0  0
    2.0500    1.3200    0.0000 O   0  5  0  0  0  0
  1  2  1  0
  2  3  1  0
M  CHG  1   3  -1
M  END
> <name>
ethanolate

$$$$
";

const SDF_V3000: &str = "\
ethanol
  steric

  0  0  0     0  0            999 V3000
M  V30 BEGIN CTAB
M  V30 COUNTS 3 2 0 0 0
M  V30 BEGIN ATOM
M  V30 1 C 0 0 0 0
M  V30 2 C 1.52 0 0 -
M  V30 0
M  V30 3 O 2.05 1.32 0 0 CHG=-1
M  V30 END ATOM
M  V30 BEGIN BOND
M  V30 1 1 1 2
M  V30 2 1 2 3
M  V30 END BOND
M  V30 END CTAB
M  END
$$$$
";

const MOL2: &str = "\
@<TRIPOS>MOLECULE
methanol
3 2 1 0 0
SMALL
USER_CHARGES

@<TRIPOS>ATOM
      1 C1          0.0000    0.0000    0.0000 C.3     1  MOH1        0.1450
      2 O1          1.4300    0.0000    0.0000 O.3     1  MOH1       -0.6830
      3 H1          1.7500    0.9000    0.0000 H       1  MOH1        0.4180
@<TRIPOS>BOND
     1     1     2    1
     2     2     3 un
@<TRIPOS>SUBSTRUCTURE
     1 MOH1        1 RESIDUE           4 A     MOH     0 ROOT
";

const CELLPACK: &str = r#"{"recipe":{"name":"seed","version":"1.0"},
"compartments":{"vesicle":{"surface":{"ingredients":{"lipid":{"name":"lipid",
"source":{"pdb":"popc.pdb","transform":{"center":true}},"encapsulatingRadius":12.5,
"positions":[[[0.0,0.0,0.0],[2.0,0.0,0.0]]],"radii":[[5.0,3.0]],
"results":[[[1.0,2.0,3.0],[0.0,0.0,0.0,1.0]],[[40.0,2.0,3.0],[0.5,0.5,0.5,0.5]]]}}}}}}"#;
