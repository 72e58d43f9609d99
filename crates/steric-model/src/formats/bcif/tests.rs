//! The encodings one by one, whole files there and back, and what broken bytes do.

use std::path::Path;

use proptest::prelude::*;

use super::encode::{Chained, encode_floats, encode_ints, write_data};
use super::encoding::{ElementType, Encoding, decode_values};
use super::msgpack::{DEEPEST, Reader, Source, Token, Writer};
use super::*;

fn source(bytes: &[u8]) -> Source<'_> {
    Source { bytes, path: Path::new("made.bcif") }
}

/// Decodes bytes under a chain.
fn undone(bytes: &[u8], chain: &[Encoding<'static>]) -> Result<Values<'static>, String> {
    written(&Chained { bytes: bytes.to_vec(), chain: chain.to_vec() })
}

fn written(data: &Chained) -> Result<Values<'static>, String> {
    let mut out = Writer::default();
    write_data(&mut out, data);
    match decode_values(source(&out.bytes), 0).map_err(|error| error.to_string())? {
        Values::Ints(values) => Ok(Values::Ints(values)),
        Values::Floats(values) => Ok(Values::Floats(values)),
        Values::Texts(texts) => Err(format!("{texts:?}")),
    }
}

const BYTES: Encoding<'static> = Encoding::ByteArray(ElementType::Int8);

// The examples of the specification, https://github.com/molstar/BinaryCIF/blob/master/encoding.md.

#[test]
fn fixed_point_divides_by_its_factor() {
    let chain = [Encoding::FixedPoint { factor: 100.0, of: ElementType::Float32 }, BYTES];
    assert_eq!(undone(&[120, 123, 12], &chain), Ok(Values::Floats(vec![1.2, 1.23, 0.12])));
}

#[test]
fn quantised_values_lie_on_the_steps_of_their_interval() {
    let chain = [Encoding::IntervalQuantization { min: 1.0, max: 2.0, steps: 3 }, BYTES];
    assert_eq!(undone(&[0, 0, 1, 2, 2, 1], &chain), Ok(Values::Floats(vec![1.0, 1.0, 1.5, 2.0, 2.0, 1.5])));
}

#[test]
fn runs_are_repeated() {
    let chain = [Encoding::RunLength { rows: 6, of: ElementType::Int32 }, BYTES];
    assert_eq!(undone(&[1, 3, 2, 1, 3, 2], &chain), Ok(Values::Ints(vec![1, 1, 1, 2, 3, 3])));
}

#[test]
fn differences_are_summed_from_the_origin() {
    let chain = [Encoding::Delta { origin: 1000, of: ElementType::Int32 }, BYTES];
    assert_eq!(undone(&[0, 3, 2, 1], &chain), Ok(Values::Ints(vec![1000, 1003, 1005, 1006])));
}

#[test]
fn packed_integers_go_on_after_an_extreme() {
    let signed = Encoding::IntegerPacking { byte_count: 1, unsigned: false, rows: 4 };
    assert_eq!(undone(&[1, 2, 0xfd, 127, 1], &[signed, BYTES]), Ok(Values::Ints(vec![1, 2, -3, 128])));
    let unsigned = Encoding::IntegerPacking { byte_count: 2, unsigned: true, rows: 2 };
    let chain = [unsigned, Encoding::ByteArray(ElementType::Uint16)];
    assert_eq!(undone(&[0xff, 0xff, 0, 0, 7, 0], &chain), Ok(Values::Ints(vec![65535, 7])));
}

#[test]
fn byte_arrays_of_every_type_are_little_endian() {
    let ints = |element, bytes: &[u8]| undone(bytes, &[Encoding::ByteArray(element)]);
    assert_eq!(ints(ElementType::Int8, &[0xff, 1]), Ok(Values::Ints(vec![-1, 1])));
    assert_eq!(ints(ElementType::Uint8, &[0xff, 1]), Ok(Values::Ints(vec![255, 1])));
    assert_eq!(ints(ElementType::Int16, &[0xfe, 0xff]), Ok(Values::Ints(vec![-2])));
    assert_eq!(ints(ElementType::Uint16, &[0xfe, 0xff]), Ok(Values::Ints(vec![65534])));
    assert_eq!(ints(ElementType::Int32, &[0, 0, 0, 0x80]), Ok(Values::Ints(vec![i32::MIN])));
    assert_eq!(ints(ElementType::Uint32, &[0, 1, 0, 0]), Ok(Values::Ints(vec![256])));
    assert_eq!(ints(ElementType::Uint32, &[0, 0, 0, 0x80]), Ok(Values::Floats(vec![2_147_483_648.0])));
    assert_eq!(ints(ElementType::Float32, &1.5_f32.to_le_bytes()), Ok(Values::Floats(vec![1.5])));
    assert_eq!(ints(ElementType::Float64, &0.1_f64.to_le_bytes()), Ok(Values::Floats(vec![0.1])));
    assert!(ints(ElementType::Int16, &[1, 2, 3]).unwrap_err().contains("expected values of 2 bytes each"));
}

/// A file of one column, byte by byte: the example ['a', 'AB', 'a'] of the specification with a mask.
fn hand_made() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut put = |marker: &[u8], text: &str| {
        bytes.extend_from_slice(marker);
        bytes.extend_from_slice(text.as_bytes());
    };
    put(b"\x81\xaa", "dataBlocks");
    put(b"\x91\x82\xa6", "header");
    put(b"\xa4", "MADE");
    put(b"\xaa", "categories");
    put(b"\x91\x83\xa4", "name");
    put(b"\xa5", "_name");
    put(b"\xa8", "rowCount");
    put(b"\x03\xa7", "columns");
    put(b"\x91\x83\xa4", "name");
    put(b"\xa2", "id");
    put(b"\xa4", "data");
    put(b"\x82\xa8", "encoding");
    put(b"\x91\x85\xa4", "kind");
    put(b"\xab", "StringArray");
    put(b"\xac", "dataEncoding");
    put(b"\x91\x82\xa4kind\xa9ByteArray\xa4type\x04\xaa", "stringData");
    put(b"\xa3", "aAB");
    put(b"\xae", "offsetEncoding");
    put(b"\x91\x82\xa4kind\xa9ByteArray\xa4type\x04\xa7", "offsets");
    put(b"\xc4\x03\x00\x01\x03\xa4", "data");
    put(b"\xc4\x03\x00\x01\x00\xa4", "mask");
    put(b"\x82\xa8encoding\x91\x82\xa4kind\xa9ByteArray\xa4type\x04\xa4", "data");
    put(b"\xc4\x03\x00\x01\x02", "");
    bytes
}

#[test]
fn a_hand_made_file_gives_its_texts_and_its_absent_rows() {
    let bytes = hand_made();
    let file = decode(&bytes, Path::new("made.bcif")).unwrap();
    let block = &file.blocks[0];
    assert_eq!((block.header, block.categories.len()), ("MADE", 1));
    assert!(block.category("other").is_none());
    let column = block.category("NAME").and_then(|category| category.column("ID")).unwrap();
    let mut data = column.decode().unwrap();
    assert_eq!([0, 1, 2, 3].map(|row| data.text(row).into_owned()), ["a", ".", "?", "?"]);
    assert_eq!([0, 1, 2, 3].map(|row| data.is_present(row)), [true, false, false, false]);
    data.mask = None;
    assert_eq!([0, 1, 2].map(|row| data.text(row).into_owned()), ["a", "AB", "a"]);
}

#[test]
fn an_error_names_the_byte_what_was_expected_and_what_was_found() {
    let mut bytes = hand_made();
    let rows = bytes.windows(8).position(|window| window == b"rowCount").unwrap() + 8;
    bytes[rows] = 4;
    let file = decode(&bytes, Path::new("made.bcif")).unwrap();
    let column = &file.blocks[0].categories[0].columns[0];
    let text = column.decode().unwrap_err().to_string();
    assert_eq!(
        text,
        format!("made.bcif: byte {}: expected 4 rows in the column id, found \"3 rows\"", column.offset())
    );
    let cut = decode(&bytes[..100], Path::new("cut.bcif")).unwrap_err().to_string();
    assert!(cut.starts_with("cut.bcif: byte "), "{cut}");
    let text = decode(b"data_1ABC\n", Path::new("text.cif")).unwrap_err().to_string();
    assert_eq!(text, "text.cif: byte 0: expected a BinaryCIF file, which is a MessagePack map, found \"100\"");
}

#[test]
fn values_convert_between_kinds() {
    let column = |values| ColumnData { values, mask: None };
    let texts = column(Values::Texts(["12", "1.5", "x", "3.0"].into_iter().collect()));
    assert_eq!([0, 1, 2, 3].map(|row| texts.int(row)), [Some(12), None, None, Some(3)]);
    assert_eq!([0, 1, 2, 9].map(|row| texts.float(row)), [Some(12.0), Some(1.5), None, None]);
    let floats = column(Values::Floats(vec![f64::from(0.1_f32), 0.1, 7.0, f64::NAN, 1e300]));
    assert_eq!([0, 1, 2].map(|row| floats.text(row).into_owned()), ["0.1", "0.1", "7"]);
    assert_eq!([0, 2, 3, 4].map(|row| floats.int(row)), [None, Some(7), None, None]);
    let ints = column(Values::Ints(vec![-4]));
    assert_eq!((ints.int(0), ints.float(0), ints.text(0).into_owned()), (Some(-4), Some(-4.0), "-4".into()));
}

#[test]
fn a_run_length_bomb_is_refused_before_it_is_made() {
    let pairs: Vec<u8> = [7, i32::MAX].iter().flat_map(|value: &i32| value.to_le_bytes()).collect();
    let bomb = Encoding::RunLength { rows: i32::MAX as usize, of: ElementType::Int32 };
    let error = undone(&pairs, &[bomb, Encoding::ByteArray(ElementType::Int32)]).unwrap_err();
    assert!(error.contains("1048576 at the most"), "{error}");
}

#[test]
fn false_sizes_and_orders_are_refused() {
    let int = ElementType::Int32;
    let packing = |rows| Encoding::IntegerPacking { byte_count: 1, unsigned: false, rows };
    assert!(undone(&[1, 2], &[packing(3), BYTES]).is_err());
    assert!(undone(&[1, 127], &[packing(1), BYTES]).is_err());
    assert!(undone(&[1, 127], &[packing(usize::MAX >> 12), BYTES]).is_err());
    assert!(undone(&[1, 0xff], &[Encoding::RunLength { rows: 0, of: int }, BYTES]).is_err());
    assert!(undone(&[1, 2, 3], &[Encoding::RunLength { rows: 2, of: int }, BYTES]).is_err());
    assert!(undone(&[1], &[]).is_err());
    assert!(undone(&[1], &[BYTES, Encoding::Delta { origin: 0, of: int }]).is_err());
    assert!(undone(&[1], &[BYTES, BYTES]).is_err());
    assert!(undone(&[1], &[BYTES; 17]).is_err());
}

#[test]
fn nesting_and_claimed_lengths_have_limits() {
    let deep = |levels: usize| Reader::new(source(&[vec![0x91; levels], vec![0xc0]].concat()), 0).skip();
    assert!(deep(DEEPEST).is_ok());
    assert!(deep(DEEPEST + 1).is_err());
    assert!(deep(1_000_000).is_err());
    for claim in [[0xdd, 255, 255, 255, 255], [0xdf, 255, 255, 255, 255], [0xc6, 255, 255, 255, 255]] {
        assert!(Reader::new(source(&claim), 0).token().is_err());
    }
}

#[test]
fn texts_outside_ascii_come_back_however_their_offsets_count() {
    let words = ["Å", "β-sheet", "", "𝛼", "plain", "Å"];
    let file = one_table(vec![ColumnToWrite::texts("word", words)]);
    assert_eq!(texts_of(&encode(&file)), words);
    for offsets in [[0, 1, 2, 3], [0, 1, 3, 4], [0, 2, 6, 7]] {
        let mut out = Writer::default();
        out.map(2);
        out.text("data");
        out.binary(&[0, 1, 2]);
        out.text("encoding");
        out.array(1);
        out.map(5);
        for (key, value) in [("kind", "StringArray"), ("stringData", "Å𝛼x")] {
            out.text(key);
            out.text(value);
        }
        for key in ["dataEncoding", "offsetEncoding"] {
            out.text(key);
            out.bytes.extend_from_slice(b"\x91\x82\xa4kind\xa9ByteArray\xa4type\x04");
        }
        out.text("offsets");
        out.binary(&offsets);
        let Ok(Values::Texts(texts)) = decode_values(source(&out.bytes), 0) else { panic!("texts") };
        assert_eq!(texts.dictionary, ["Å", "𝛼", "x"], "{offsets:?}");
    }
}

#[test]
fn indices_outside_the_dictionary_become_the_empty_text() {
    let texts = Texts { dictionary: vec!["A", "B"], indices: vec![1, -1, 0, 9] };
    let data = ColumnData { values: Values::Texts(texts), mask: None };
    let file = one_table(vec![ColumnToWrite { name: "word", data, factor: None }]);
    assert_eq!(texts_of(&encode(&file)), ["B", "", "A", ""]);
}

fn one_table(columns: Vec<ColumnToWrite<'_>>) -> FileToWrite<'_> {
    let categories = vec![CategoryToWrite { name: "table", columns }];
    FileToWrite { blocks: vec![BlockToWrite { header: "ONE", categories }] }
}

fn texts_of(bytes: &[u8]) -> Vec<String> {
    let file = decode(bytes, Path::new("one.bcif")).unwrap();
    let data = file.blocks[0].category("_table").unwrap().column("word").unwrap().decode().unwrap();
    (0..data.len()).map(|row| data.text(row).into_owned()).collect()
}

#[test]
fn good_chains_are_chosen() {
    let chain_of = |values: &[i32]| encode_ints(values).chain;
    let serials: Vec<i32> = (1..=5000).collect();
    assert!(matches!(chain_of(&serials)[..], [Encoding::Delta { .. }, Encoding::RunLength { .. }, ..]));
    assert!(matches!(chain_of(&[7; 5000])[..], [Encoding::RunLength { .. }, ..]));
    let steps: Vec<i32> = (0..5000).map(|row| 100_000 + row * 50 + row % 3).collect();
    assert!(matches!(chain_of(&steps)[..], [Encoding::Delta { .. }, Encoding::IntegerPacking { .. }, _]));
    let wild: Vec<i32> = (0..5000_i32).map(|row| row.wrapping_mul(0x9e37_79b1_u32 as i32)).collect();
    assert_eq!(chain_of(&wild), [Encoding::ByteArray(ElementType::Int32)]);
    let coordinates: Vec<f64> = (0..5000).map(|row| f64::from(row as f32 * 0.125)).collect();
    assert_eq!(encode_floats(&coordinates, None, Some(10.0)).chain, [Encoding::ByteArray(ElementType::Float32)]);
    let first = encode_floats(&coordinates, None, Some(1000.0)).chain[0];
    assert_eq!(first, Encoding::FixedPoint { factor: 1000.0, of: ElementType::Float32 });
}

#[test]
fn every_real_file_survives_being_written_again() {
    for (name, ..) in files_tests::COUNTS {
        let Some(bytes) = files_tests::load(name) else { return };
        let file = decode(&bytes, Path::new(name)).unwrap();
        let again = encode(&rewrite(&file));
        let back = decode(&again, Path::new(name)).unwrap();
        for (old, new) in file.blocks[0].categories.iter().zip(&back.blocks[0].categories) {
            for (old, new) in old.columns.iter().zip(&new.columns) {
                assert_eq!(texts(old), texts(new), "{name}: {}", old.name);
            }
        }
        assert!(again.len() < bytes.len() * 11 / 10, "{name}: {} bytes became {}", bytes.len(), again.len());
        // Where another reader shall check the outcome, it names a folder.
        if let Some(folder) = std::env::var_os("STERIC_BCIF_OUT") {
            let stem = Path::new(name).file_name().unwrap().to_string_lossy().replace(".gz", "");
            std::fs::write(Path::new(&folder).join(stem), &again).unwrap();
        }
    }
}

fn texts(column: &Column<'_>) -> Vec<String> {
    let data = column.decode().unwrap();
    (0..data.len()).map(|row| data.text(row).into_owned()).collect()
}

fn rewrite<'a>(file: &File<'a>) -> FileToWrite<'a> {
    let column =
        |column: &Column<'a>| ColumnToWrite { name: column.name, data: column.decode().unwrap(), factor: Some(1000.0) };
    let category = |category: &Category<'a>| CategoryToWrite {
        name: category.name,
        columns: category.columns.iter().map(column).collect(),
    };
    let block = |block: &Block<'a>| BlockToWrite {
        header: block.header,
        categories: block.categories.iter().map(category).collect(),
    };
    FileToWrite { blocks: file.blocks.iter().map(block).collect() }
}

/// Integers as files have them: few values, long runs, slow growth, anything.
fn some_ints() -> impl Strategy<Value = Vec<i32>> {
    let runs = prop::collection::vec((any::<i32>(), 1..40_usize), 0..20)
        .prop_map(|runs| runs.into_iter().flat_map(|(value, times)| vec![value; times]).collect());
    let edges = prop::sample::select(vec![0, -1, 127, 128, -128, -129, 255, 256, 32767, 65535, i32::MAX, i32::MIN]);
    prop_oneof![
        prop::collection::vec(-200..300_i32, 0..200),
        prop::collection::vec(any::<i32>(), 0..200),
        prop::collection::vec(edges, 0..60),
        (any::<i32>(), -300..300_i32, 0..300_i32)
            .prop_map(|(start, step, rows)| (0..rows).map(|row| start.wrapping_add(step * row)).collect()),
        runs,
    ]
}

proptest! {
    #[test]
    fn integers_come_back(values in some_ints()) {
        prop_assert_eq!(written(&encode_ints(&values)), Ok(Values::Ints(values)));
    }

    #[test]
    fn decimals_come_back_through_fixed_point(thousandths in some_ints()) {
        let values: Vec<f64> = thousandths.iter().map(|&value| f64::from(value) / 1000.0).collect();
        let encoded = encode_floats(&values, None, Some(1000.0));
        let fixed = matches!(encoded.chain[0], Encoding::FixedPoint { factor: 1000.0, .. });
        prop_assert!(fixed, "{:?}", encoded.chain);
        prop_assert_eq!(written(&encoded), Ok(Values::Floats(values)));
    }

    #[test]
    fn reals_come_back_exactly(values in prop::collection::vec(any::<f64>(), 0..50), short in any::<bool>()) {
        let values: Vec<f64> = values.into_iter().map(|v| if short { f64::from(v as f32) } else { v }).collect();
        let Ok(Values::Floats(back)) = written(&encode_floats(&values, None, Some(1000.0))) else { panic!("reals") };
        prop_assert_eq!(back.len(), values.len());
        for (back, value) in back.iter().zip(&values) {
            // A fixed-point value is the decimal, whose nearest f32 is the one that was given.
            prop_assert!(back == value || back.is_nan() && value.is_nan() || short && *back as f32 == *value as f32);
        }
    }

    #[test]
    fn quantised_reals_come_back_within_half_a_step(values in prop::collection::vec(-5.0..5.0_f64, 1..50)) {
        let step = 10.0 / 250.0;
        let bytes: Vec<u8> = values.iter().map(|value| ((value + 5.0) / step).round() as u8).collect();
        let chain = [
            Encoding::IntervalQuantization { min: -5.0, max: 5.0, steps: 251 },
            Encoding::ByteArray(ElementType::Uint8),
        ];
        let Ok(Values::Floats(back)) = undone(&bytes, &chain) else { panic!("reals") };
        for (back, value) in back.iter().zip(&values) {
            prop_assert!((back - value).abs() <= step * 0.500_001);
        }
    }

    #[test]
    fn texts_and_masks_come_back(rows in prop::collection::vec(("[A-C]{0,3}|\\PC{0,4}", 0..3_u8), 0..80)) {
        let mask: Vec<u8> = rows.iter().map(|(_, mask)| *mask).collect();
        let column = ColumnToWrite::texts("word", rows.iter().map(|(word, _)| word.as_str())).with_mask(mask);
        let expected = rows.iter().map(|(word, mask)| match mask { 0 => word, 1 => ".", _ => "?" }.to_owned());
        prop_assert_eq!(texts_of(&encode(&one_table(vec![column]))), expected.collect::<Vec<_>>());
    }

    #[test]
    fn scalars_come_back_through_messagepack(int in any::<i64>(), small in -70_000..70_000_i64, float in any::<f64>(), length in 0..70_000_usize) {
        let mut out = Writer::default();
        out.int(int);
        out.int(small);
        out.float(float);
        out.text(&"t".repeat(length));
        out.binary(&vec![7; length]);
        out.bool(true);
        out.map(length);
        let bytes = [out.bytes, vec![0; 2 * length]].concat();
        let mut reader = Reader::new(source(&bytes), 0);
        prop_assert_eq!(reader.token().unwrap(), Token::Int(int));
        prop_assert_eq!(reader.token().unwrap(), Token::Int(small));
        prop_assert!(matches!(reader.token().unwrap(), Token::Float(back) if back.to_bits() == float.to_bits()));
        prop_assert_eq!(reader.text("text").unwrap().len(), length);
        prop_assert_eq!(reader.bytes("bytes").unwrap().len(), length);
        prop_assert_eq!(reader.token().unwrap(), Token::Bool(true));
        prop_assert_eq!(reader.token().unwrap(), Token::Map(length));
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), map in any::<bool>()) {
        decode_all(&if map { [b"\x81\xaadataBlocks".to_vec(), bytes].concat() } else { bytes });
    }

    #[test]
    fn mutated_files_never_panic(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12), ints in some_ints()) {
        let reals: Vec<f64> = ints.iter().map(|&value| f64::from(value) / 1000.0).collect();
        let words: Vec<String> = ints.iter().map(|value| format!("A{}", value % 50)).collect();
        let mask = ints.iter().map(|value| value.rem_euclid(3) as u8).collect();
        let table = one_table(vec![
            ColumnToWrite::texts("word", words.iter().map(String::as_str)).with_mask(mask),
            ColumnToWrite::floats("real", reals, 1000.0),
            ColumnToWrite::ints("int", ints),
        ]);
        let mut bytes = encode(&table);
        for (place, value) in changes {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        decode_all(&bytes);
    }
}

/// Decodes what can be decoded; a mask or a column never has more rows than the limit.
fn decode_all(bytes: &[u8]) {
    let Ok(file) = decode(bytes, Path::new("broken.bcif")) else { return };
    for column in file.blocks.iter().flat_map(|block| &block.categories).flat_map(|category| &category.columns) {
        if let Ok(data) = column.decode() {
            assert!(data.len() <= (bytes.len() * 16).max(1 << 20));
            for row in 0..data.len().min(50) {
                let _ = (data.int(row), data.float(row), data.text(row));
            }
        }
    }
}
