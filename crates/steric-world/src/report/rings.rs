//! The rings of a molecule: the smallest set of smallest ones, of three to eight atoms.
//!
//! How it works: atoms at loose ends are stripped off until only rings and what joins them is left; most molecules are
//! done here. From every atom left, a breadth-first walk of four bonds finds each ring of at most eight atoms that two
//! shortest paths and one bond close (Horton 1987). Taken by size, a ring is kept unless it is the sum of rings that
//! were kept before: of the three rings of naphthalene the two hexagons stay and the rim of ten does not. Sums are over
//! bonds, modulo two, by Gaussian elimination with sparse rows.

use std::collections::BTreeMap;

/// Rings of more atoms are open enough for a chain to pass through.
const LARGEST: usize = 8;
/// No atom of a ring has more neighbours, and one with thousands would make every walk a long one.
const MOST_NEIGHBOURS: usize = 8;

/// The rings of a molecule of so many atoms, each as the way around it from its smallest atom towards the smaller
/// neighbour, sorted by size and atoms. Bonds are pairs of different atoms, each pair once.
pub(super) fn rings(atoms: usize, bonds: &[[u32; 2]]) -> Vec<Vec<u32>> {
    let core = Core::new(atoms, bonds);
    let mut rows = Elimination::default();
    let independent = core.candidates().into_iter().filter(|(edges, _)| rows.is_new(edges));
    let mut rings: Vec<Vec<u32>> = independent.map(|(_, ring)| core.named(&ring)).collect();
    rings.sort_unstable_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    rings
}

/// The atoms that have two ways to go, renumbered, with their neighbours in ascending order.
struct Core {
    names: Vec<u32>,
    // Neighbour and number of the bond.
    neighbours: Vec<Vec<(u32, u32)>>,
}

impl Core {
    fn new(atoms: usize, bonds: &[[u32; 2]]) -> Self {
        let inside = in_rings(atoms, bonds);
        let mut numbers = vec![u32::MAX; atoms];
        let names: Vec<u32> = (0..atoms as u32).filter(|&atom| inside[atom as usize]).collect();
        (0..).zip(&names).for_each(|(number, &atom)| numbers[atom as usize] = number);
        let mut neighbours = vec![Vec::new(); names.len()];
        let kept = bonds.iter().filter(|bond| bond.iter().all(|&atom| inside[atom as usize]));
        for (edge, bond) in (0..).zip(kept) {
            let [a, b] = bond.map(|atom| numbers[atom as usize]);
            neighbours[a as usize].push((b, edge));
            neighbours[b as usize].push((a, edge));
        }
        neighbours.iter_mut().for_each(|list| list.sort_unstable());
        Self { names, neighbours }
    }

    /// Every ring that two shortest paths from an atom and one bond close, by its bonds, smallest first.
    fn candidates(&self) -> Vec<(Vec<u32>, Vec<u32>)> {
        let mut found: BTreeMap<(usize, Vec<u32>), Vec<u32>> = BTreeMap::new();
        let mut walk = Walk::new(self.names.len());
        for start in 0..self.names.len() as u32 {
            walk.from(self, start);
            for &atom in &walk.reached {
                for &(next, edge) in &self.neighbours[atom as usize] {
                    if let Some((edges, ring)) = walk.ring(atom, next, edge) {
                        found.entry((edges.len(), edges)).or_insert(ring);
                    }
                }
            }
        }
        found.into_iter().map(|((_, edges), ring)| (edges, ring)).collect()
    }

    /// The ring in the molecule's own numbers, from its smallest atom towards the smaller neighbour.
    fn named(&self, ring: &[u32]) -> Vec<u32> {
        let mut ring: Vec<u32> = ring.iter().map(|&atom| self.names[atom as usize]).collect();
        let smallest = (0..ring.len()).min_by_key(|&place| ring[place]).unwrap_or(0);
        ring.rotate_left(smallest);
        if ring[1] > ring[ring.len() - 1] {
            ring[1..].reverse();
        }
        ring
    }
}

/// Which atoms are left when those with fewer than two neighbours are taken away, again and again.
fn in_rings(atoms: usize, bonds: &[[u32; 2]]) -> Vec<bool> {
    let mut neighbours = vec![Vec::new(); atoms];
    for &[a, b] in bonds {
        neighbours[a as usize].push(b);
        neighbours[b as usize].push(a);
    }
    let mut degrees: Vec<usize> = neighbours.iter().map(Vec::len).collect();
    let goes = |degree: usize| !(2..=MOST_NEIGHBOURS).contains(&degree);
    let mut inside: Vec<bool> = degrees.iter().map(|&degree| !goes(degree)).collect();
    let mut gone: Vec<u32> = (0..atoms as u32).filter(|&atom| !inside[atom as usize]).collect();
    while let Some(atom) = gone.pop() {
        for &next in &neighbours[atom as usize] {
            degrees[next as usize] -= 1;
            if inside[next as usize] && degrees[next as usize] < 2 {
                inside[next as usize] = false;
                gone.push(next);
            }
        }
    }
    inside
}

/// A breadth-first walk from one atom; its memory is used again for the next.
struct Walk {
    reached: Vec<u32>,
    // Bonds from the start, the atom before and the bond to it; `u32::MAX` bonds where the walk did not come.
    steps: Vec<(u32, u32, u32)>,
}

impl Walk {
    const NOWHERE: (u32, u32, u32) = (u32::MAX, u32::MAX, u32::MAX);

    fn new(atoms: usize) -> Self {
        Self { reached: Vec::new(), steps: vec![Self::NOWHERE; atoms] }
    }

    fn from(&mut self, core: &Core, start: u32) {
        for atom in self.reached.drain(..) {
            self.steps[atom as usize] = Self::NOWHERE;
        }
        self.steps[start as usize].0 = 0;
        self.reached.push(start);
        let mut place = 0;
        while let Some(&atom) = self.reached.get(place) {
            let bonds = self.steps[atom as usize].0 + 1;
            for &(next, edge) in &core.neighbours[atom as usize] {
                if bonds as usize <= LARGEST / 2 && self.steps[next as usize].0 == u32::MAX {
                    self.steps[next as usize] = (bonds, atom, edge);
                    self.reached.push(next);
                }
            }
            place += 1;
        }
    }

    /// The ring that the ways to both ends of a bond make with it: its bonds in ascending order, and the way around.
    fn ring(&self, a: u32, b: u32, edge: u32) -> Option<(Vec<u32>, Vec<u32>)> {
        let (up, down) = (self.steps[a as usize], self.steps[b as usize]);
        let is_ring = a < b && down.0 != u32::MAX && up.2 != edge && down.2 != edge;
        if !is_ring || (up.0 + down.0) as usize + 1 > LARGEST {
            return None;
        }
        let (mut edges, mut ring) = (vec![edge], Vec::new());
        self.follow(a, &mut edges, &mut ring);
        ring.reverse();
        let way_to_a = ring.len();
        self.follow(b, &mut edges, &mut ring);
        // Both ways contain the start; any other atom in common makes this a ring with a handle.
        ring.pop();
        let apart = ring[way_to_a..].iter().all(|atom| !ring[..way_to_a].contains(atom));
        edges.sort_unstable();
        apart.then_some((edges, ring))
    }

    fn follow(&self, mut atom: u32, edges: &mut Vec<u32>, way: &mut Vec<u32>) {
        way.push(atom);
        while self.steps[atom as usize].0 > 0 {
            let (_, before, edge) = self.steps[atom as usize];
            edges.push(edge);
            way.push(before);
            atom = before;
        }
    }
}

/// Rows of bonds in ascending order, by their last bond.
#[derive(Default)]
struct Elimination(BTreeMap<u32, Vec<u32>>);

impl Elimination {
    /// Whether a ring is no sum of the earlier ones; it is one of them from now on.
    fn is_new(&mut self, edges: &[u32]) -> bool {
        let mut row = edges.to_vec();
        while let Some(&last) = row.last() {
            match self.0.get(&last) {
                Some(pivot) => row = sum(&row, pivot),
                None => {
                    self.0.insert(last, row);
                    return true;
                }
            }
        }
        false
    }
}

/// What stands in one of two ascending lists and not in both.
fn sum(a: &[u32], b: &[u32]) -> Vec<u32> {
    let (mut a, mut b) = (a.iter().copied().peekable(), b.iter().copied().peekable());
    let mut result = Vec::new();
    loop {
        match (a.peek(), b.peek()) {
            (Some(x), Some(y)) if x == y => {
                a.next();
                b.next();
            }
            (Some(x), Some(y)) => result.extend(if x < y { a.next() } else { b.next() }),
            _ => break,
        }
    }
    result.extend(a);
    result.extend(b);
    result
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cycle(atoms: &[u32]) -> Vec<[u32; 2]> {
        (0..atoms.len()).map(|i| [atoms[i], atoms[(i + 1) % atoms.len()]]).collect()
    }

    #[test]
    fn rings_of_three_to_eight_atoms_are_found_and_larger_ones_are_not() {
        for size in 3..=12 {
            let atoms: Vec<u32> = (0..size).collect();
            let expected: Vec<Vec<u32>> = if size <= 8 { vec![atoms.clone()] } else { Vec::new() };
            assert_eq!(rings(size as usize, &cycle(&atoms)), expected, "{size}");
        }
    }

    #[test]
    fn naphthalene_has_two_rings_and_cholesterol_four() {
        let mut naphthalene = cycle(&[0, 1, 2, 3, 4, 9]);
        naphthalene.extend([[4, 5], [5, 6], [6, 7], [7, 8], [8, 9]]);
        assert_eq!(rings(10, &naphthalene), [vec![0, 1, 2, 3, 4, 9], vec![4, 5, 6, 7, 8, 9]]);

        // The four rings of a steroid, fused in a row: A and B share 5-10, B and C 8-9, C and D 13-14; 18 to 20 hang on.
        let mut steroid = cycle(&[1, 2, 3, 4, 5, 10]);
        steroid.extend([[5, 6], [6, 7], [7, 8], [8, 9], [9, 10], [9, 11], [11, 12], [12, 13], [13, 14], [14, 8]]);
        steroid.extend([[14, 15], [15, 16], [16, 17], [17, 13], [13, 18], [10, 19], [17, 20]]);
        let sizes: Vec<usize> = rings(21, &steroid).iter().map(Vec::len).collect();
        assert_eq!(sizes, [5, 6, 6, 6]);
    }

    #[test]
    fn cubane_has_five_rings_because_the_sixth_face_is_the_sum_of_the_others() {
        let corner = |a: u32, b: u32| (a ^ b).count_ones() == 1;
        let bonds: Vec<[u32; 2]> =
            (0..8).flat_map(|a| (a + 1..8).filter(move |&b| corner(a, b)).map(move |b| [a, b])).collect();
        let faces = rings(8, &bonds);
        assert_eq!(faces.iter().map(Vec::len).collect::<Vec<_>>(), [4; 5]);
    }

    #[test]
    fn an_atom_with_a_thousand_neighbours_is_passed_over() {
        let mut star: Vec<[u32; 2]> = (1..1_000).map(|atom| [0, atom]).collect();
        star.extend((1..999).map(|atom| [atom, atom + 1]));
        assert_eq!(rings(1_000, &star), Vec::<Vec<u32>>::new());
    }

    proptest! {
        #[test]
        fn every_ring_goes_around_along_bonds_and_there_are_never_more_than_bonds_close(
            picked in prop::collection::btree_set((0u32..14, 0u32..14), 0..22),
        ) {
            let mut bonds: Vec<[u32; 2]> =
                picked.into_iter().filter(|(a, b)| a != b).map(|(a, b)| [a.min(b), a.max(b)]).collect();
            bonds.sort_unstable();
            bonds.dedup();
            let found = rings(14, &bonds);
            for ring in &found {
                prop_assert!((3..=8).contains(&ring.len()));
                for [a, b] in cycle(ring) {
                    prop_assert!(bonds.contains(&[a.min(b), a.max(b)]));
                }
                let mut atoms = ring.clone();
                atoms.sort_unstable();
                atoms.dedup();
                prop_assert_eq!(atoms.len(), ring.len(), "no atom twice");
            }
            // Bonds - atoms + parts is how many rings a graph has, large ones included.
            let mut labels: Vec<u32> = (0..14).collect();
            for _ in 0..14 {
                for &[a, b] in &bonds {
                    let least = labels[a as usize].min(labels[b as usize]);
                    labels[a as usize] = least;
                    labels[b as usize] = least;
                }
            }
            let parts = (0..14).filter(|&atom| labels[atom as usize] == atom).count();
            prop_assert!(found.len() + 14 <= bonds.len() + parts);
        }
    }
}
