//! Every BinaryCIF file at hand, column by column, against the counts that biotite gives.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::Path;

use super::{Category, File, decode};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");

/// File, atom_site rows, distinct label_asym_id, operators.
pub(super) const COUNTS: [(&str, usize, usize, usize); 5] = [
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

#[test]
fn the_same_virus_has_the_same_coordinates_in_mmcif_and_in_binarycif() {
    let (Some(binary), Some(text)) = (load("structures/large/1f2n.bcif"), load("structures/large/1f2n.cif")) else {
        return;
    };
    let file = decode(&binary, Path::new("1f2n.bcif")).expect("1f2n");
    let names = ["id", "label_atom_id", "label_asym_id", "Cartn_x", "Cartn_y", "Cartn_z"];
    let columns = names.map(|name| category(&file, "atom_site").column(name).expect(name).decode().expect(name));
    let text = String::from_utf8(text).expect("text");
    let order: Vec<&str> = text.lines().filter_map(|line| line.trim().strip_prefix("_atom_site.")).collect();
    let place = names.map(|name| order.iter().position(|&tag| tag == name).expect(name));
    let rows = text.lines().filter(|line| line.starts_with("ATOM ") || line.starts_with("HETATM "));
    let mut count = 0;
    for (row, line) in rows.enumerate() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        for (column, &place) in columns.iter().zip(&place) {
            match fields[place].parse::<f64>() {
                Ok(number) => assert_eq!(column.float(row), Some(number), "{line}"),
                Err(_) => assert_eq!(column.text(row), fields[place].trim_matches('"'), "{line}"),
            }
        }
        count += 1;
    }
    assert_eq!(count, 4730);
}
