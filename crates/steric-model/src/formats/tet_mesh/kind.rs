//! The types of numbers in binary meshes.
//!
//! How it works: up to eight bytes are put in order into 64 bits, and the type says what those bits mean. Whole numbers become
//! `i64`: the few that do not fit are beyond the number of anything that a file holds.

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

/// A number as it was written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    Integer(i64),
    Float(f64),
}

impl Value {
    /// The whole number, also where it was written as a float.
    pub(super) fn integer(self) -> Option<i64> {
        // Above 2^53 a float does not tell neighbours apart.
        let is_whole = |value: f64| value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0;
        match self {
            Self::Integer(value) => Some(value),
            Self::Float(value) => is_whole(value).then_some(value as i64),
        }
    }

    pub(super) fn float(self) -> f64 {
        match self {
            Self::Integer(value) => value as f64,
            Self::Float(value) => value,
        }
    }
}

impl Kind {
    /// In bytes.
    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    pub(super) fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// The number in the first bytes; those that are missing count as 0.
    pub(super) fn read(self, bytes: &[u8], is_big: bool) -> Value {
        let (mut little, size) = ([0; 8], self.size());
        for (at, &byte) in bytes.iter().take(size).enumerate() {
            little[if is_big { size - 1 - at } else { at }] = byte;
        }
        let bits = u64::from_le_bytes(little);
        match self {
            Self::I8 => Value::Integer(i64::from(bits as i8)),
            Self::I16 => Value::Integer(i64::from(bits as i16)),
            Self::I32 => Value::Integer(i64::from(bits as i32)),
            Self::I64 => Value::Integer(bits as i64),
            Self::U8 | Self::U16 | Self::U32 | Self::U64 => Value::Integer(i64::try_from(bits).unwrap_or(i64::MAX)),
            Self::F32 => Value::Float(f64::from(f32::from_bits(bits as u32))),
            Self::F64 => Value::Float(f64::from_bits(bits)),
        }
    }

    /// The type that a VTU file names.
    pub(super) fn of_vtu(name: &str) -> Option<Self> {
        Some(match name {
            "Int8" => Self::I8,
            "UInt8" => Self::U8,
            "Int16" => Self::I16,
            "UInt16" => Self::U16,
            "Int32" => Self::I32,
            "UInt32" => Self::U32,
            "Int64" => Self::I64,
            "UInt64" => Self::U64,
            "Float32" => Self::F32,
            "Float64" => Self::F64,
            _ => return None,
        })
    }

    /// The type that a legacy VTK file names. Ids are written there with 32 bits, `long` with 64.
    pub(super) fn of_vtk(name: &[u8]) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_slice() {
            b"char" | b"signed_char" | b"vtktypeint8" => Self::I8,
            b"unsigned_char" | b"vtktypeuint8" => Self::U8,
            b"short" | b"vtktypeint16" => Self::I16,
            b"unsigned_short" | b"vtktypeuint16" => Self::U16,
            b"int" | b"vtkidtype" | b"vtktypeint32" => Self::I32,
            b"unsigned_int" | b"vtktypeuint32" => Self::U32,
            b"long" | b"long_long" | b"vtktypeint64" => Self::I64,
            b"unsigned_long" | b"unsigned_long_long" | b"vtktypeuint64" => Self::U64,
            b"float" | b"vtktypefloat32" => Self::F32,
            b"double" | b"vtktypefloat64" => Self::F64,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_type_keep_their_value_in_both_orders_of_bytes() {
        let both = |kind: Kind, little: &[u8], value| {
            let big: Vec<u8> = little.iter().rev().copied().collect();
            assert_eq!((kind.read(little, false), kind.read(&big, true)), (value, value), "{kind:?}");
        };
        both(Kind::I8, &[0xfe], Value::Integer(-2));
        both(Kind::U8, &[0xfe], Value::Integer(254));
        both(Kind::I16, &(-300_i16).to_le_bytes(), Value::Integer(-300));
        both(Kind::U32, &4_000_000_000_u32.to_le_bytes(), Value::Integer(4_000_000_000));
        both(Kind::I64, &(-5_i64).to_le_bytes(), Value::Integer(-5));
        both(Kind::U64, &u64::MAX.to_le_bytes(), Value::Integer(i64::MAX));
        both(Kind::F32, &0.5_f32.to_le_bytes(), Value::Float(0.5));
        both(Kind::F64, &(-1e300_f64).to_le_bytes(), Value::Float(-1e300));
    }

    #[test]
    fn a_float_is_a_whole_number_only_where_it_is_one() {
        assert_eq!(Value::Float(3.0).integer(), Some(3));
        assert_eq!(
            [Value::Float(3.5).integer(), Value::Float(f64::NAN).integer(), Value::Float(1e300).integer()],
            [None; 3]
        );
    }
}
