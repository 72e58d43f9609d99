//! Every BinaryCIF file at hand, column by column, against the counts that biotite gives.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::Path;

use super::{Category, File, decode};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");

/// File, atom_site rows, distinct label_asym_id, operators.
const COUNTS: [(&str, usize, usize, usize); 5] = [
    ("lipids/cellpack_exosome_membrane.bcif", 19052, 508, 4284),
    ("lipids/cellpack_hiv_mature_envelope.bcif.gz", 3239, 87, 31980),
    ("mesoscale/petworld_sarscov2.bcif.gz", 232_573, 79, 696),
    ("structures/4hhb.bcif.gz", 4779, 14, 1),
    ("structures/large/1f2n.bcif", 4730, 9, 62),
];

/// The decompressed bytes, or `None` with a note where the files are absent.
pub(super) fn load(name: &str) -> Option<Vec<u8>> {
    let path = Path::new(DATA).join(name);
    let Ok(raw) = std::fs::read(&path) else {
        eprintln!("skipped: no ../shared/data");
        return None;
    };
    if !name.ends_with(".gz") {
        return Some(raw);
    }
    let mut bytes = Vec::new();
    flate2::read::MultiGzDecoder::new(&raw[..]).read_to_end(&mut bytes).expect("gzip");
    Some(bytes)
}

fn category<'f, 'a>(file: &'f File<'a>, name: &str) -> &'f Category<'a> {
    file.blocks[0].category(name).unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn every_column_of_every_file_decodes() {
    for (name, atoms, chains, operators) in COUNTS {
        let Some(bytes) = load(name) else { return };
        let file = decode(&bytes, Path::new(name)).expect(name);
        let mut cells = 0;
        for column in file.blocks.iter().flat_map(|block| &block.categories).flat_map(|table| &table.columns) {
            cells += column.decode().unwrap_or_else(|error| panic!("{}: {error}", column.name)).len();
        }
        let sites = category(&file, "atom_site");
        assert_eq!(sites.row_count, atoms, "{name}");
        assert!(cells > 10 * atoms, "{name}: {cells} cells");
        let asym = sites.column("label_asym_id").expect("label_asym_id").decode().expect("text");
        assert_eq!((0..atoms).map(|row| asym.text(row)).collect::<BTreeSet<_>>().len(), chains, "{name}");
        assert_eq!(category(&file, "_PDBX_struct_oper_list").row_count, operators, "{name}");
    }
}

#[test]
fn the_first_atom_of_haemoglobin_is_the_one_in_the_pdb_entry() {
    let Some(bytes) = load("structures/4hhb.bcif.gz") else { return };
    let file = decode(&bytes, Path::new("4hhb.bcif")).expect("4hhb");
    let text = |name| category(&file, "atom_site").column(name).expect(name).decode().expect(name).text(0).into_owned();
    let row = ["group_PDB", "id", "label_atom_id", "label_alt_id", "Cartn_x", "pdbx_PDB_ins_code"].map(text);
    assert_eq!(row, ["ATOM", "1", "N", ".", "19.323", "?"]);
}
