//! Copies written out for programs that count residues: each lipid or water a residue of a shared chain.
//!
//! How it works: a body of one residue becomes the next residue of its kind's chain, numbered on; after 9,999 residues the
//! next chain begins, so that chain and number name a residue even in a PDB file's columns. A body of several residues
//! gets chains of its own.

use smol_str::{SmolStr, format_smolstr};

use crate::{Assembly, AtomRecord, Copies, ExpandError, Structure, StructureBuilder};

/// A PDB file has four columns for the number of a residue.
const MOST_RESIDUES: i32 = 9_999;

impl Structure {
    /// Every copy of an assembly as plain atoms, in the order of the copies; at most `limit` atoms.
    ///
    /// ```
    /// use steric_model::{Assembly, AtomRecord, Copies, Name, Pose, StructureBuilder};
    ///
    /// let mut builder = StructureBuilder::new("water", 1);
    /// builder.push(AtomRecord { residue_name: Name::new("HOH"), ..AtomRecord::default() });
    /// let poses = (0..3).map(|i| Pose::from_translation(glam::DVec3::X * f64::from(i))).collect();
    /// let copies = vec![Copies { chains: vec![0], poses, ..Copies::default() }];
    /// let flat = builder.finish().flat(&Assembly { copies, ..Assembly::default() }, 1000)?;
    /// assert_eq!((flat.chains.len(), flat.residues.len(), flat.residues[2].number), (1, 3, 3));
    /// # Ok::<(), steric_model::ExpandError>(())
    /// ```
    pub fn flat(&self, assembly: &Assembly, limit: usize) -> Result<Self, ExpandError> {
        let mut atoms_of_chain = vec![Vec::new(); self.chains.len()];
        for atom in 0..self.atoms.len() {
            atoms_of_chain[self.residues[self.atoms.residues[atom] as usize].chain as usize].push(atom);
        }
        let chains = self.chains.len();
        let named = assembly.copies.iter().flat_map(|copies| &copies.chains);
        if let Some(&chain) = named.into_iter().find(|&&chain| chain as usize >= chains) {
            return Err(ExpandError::NoSuchChain { chain, chains });
        }
        let of_copies =
            |copies: &Copies| copies.chains.iter().map(|&chain| atoms_of_chain[chain as usize].len()).sum::<usize>();
        let atoms: u128 =
            assembly.copies.iter().map(|copies| of_copies(copies) as u128 * copies.poses.len() as u128).sum();
        if atoms > limit.min(u32::MAX as usize) as u128 {
            return Err(ExpandError::TooManyAtoms { atoms, limit });
        }
        let mut flat = Flat {
            source: self,
            builder: StructureBuilder::new(&self.name, atoms as usize),
            chains: 0,
            chain: SmolStr::default(),
            number: MOST_RESIDUES,
            kind: None,
        };
        for copies in &assembly.copies {
            let atoms: Vec<usize> =
                copies.chains.iter().flat_map(|&chain| atoms_of_chain[chain as usize].iter().copied()).collect();
            flat.add(copies, &atoms);
        }
        let mut structure = flat.builder.finish();
        structure.periodic_box = self.periodic_box;
        structure.space_group.clone_from(&self.space_group);
        Ok(structure)
    }
}

struct Flat<'a> {
    source: &'a Structure,
    builder: StructureBuilder,
    // How many chain names were given out.
    chains: usize,
    // The chain of single residues that is being filled, its last number, and what it holds.
    chain: SmolStr,
    number: i32,
    kind: Option<crate::Name>,
}

impl Flat<'_> {
    fn add(&mut self, copies: &Copies, atoms: &[usize]) {
        let residue = |atom: usize| self.source.atoms.residues[atom];
        let Some(&first) = atoms.first() else { return };
        let is_single = atoms.iter().all(|&atom| residue(atom) == residue(first));
        let kind = self.source.residues[residue(first) as usize].name;
        for pose in &copies.poses {
            if is_single {
                if self.number == MOST_RESIDUES || self.kind != Some(kind) {
                    (self.chain, self.number, self.kind) = (self.next_chain(), 0, Some(kind));
                }
                self.number += 1;
            }
            let mut last_chain = None;
            let mut own = SmolStr::default();
            for &atom in atoms {
                let from = self.source.residues[residue(atom) as usize];
                if !is_single && last_chain != Some(from.chain) {
                    last_chain = Some(from.chain);
                    own = self.next_chain();
                }
                let (chain, number) = if is_single { (&self.chain, self.number) } else { (&own, from.number) };
                let source = &self.source.atoms;
                self.builder.push(AtomRecord {
                    position: (*pose * source.positions[atom].as_dvec3()).as_vec3(),
                    element: source.elements[atom],
                    name: source.names[atom],
                    serial: (self.builder.len() as i32).wrapping_add(1),
                    alternate: source.alternates[atom],
                    occupancy: source.occupancies[atom],
                    b_factor: source.b_factors[atom],
                    formal_charge: source.formal_charges[atom],
                    residue_name: from.name,
                    residue_number: number,
                    insertion: if is_single { 0 } else { from.insertion },
                    hetero: from.hetero,
                    chain,
                    label: "",
                });
            }
        }
    }

    /// A to Z, a to z, 0 to 9, then two of them, then three.
    fn next_chain(&mut self) -> SmolStr {
        const LETTERS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
        let mut left = self.chains;
        self.chains += 1;
        let mut name = SmolStr::default();
        loop {
            name = format_smolstr!("{}{name}", char::from(LETTERS[left % LETTERS.len()]));
            left /= LETTERS.len();
            if left == 0 {
                return name;
            }
            left -= 1;
        }
    }
}
