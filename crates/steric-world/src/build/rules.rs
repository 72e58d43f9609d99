//! The rules that join several keys of a scene file: of two ways to say a thing only one, names that something else has to
//! define, keys that go with one shape only.

use steric_model::Located;
use steric_model::suggest::expected_one_of;

use super::scene_file::{
    FibreTable, KeepTable, LeafletChoice, LipidTable, MembraneTable, Placement, ProteinTable, RegionTable, SceneFile,
    Shape, SoluteTable,
};
use crate::shape::Sampling;

impl SceneFile {
    pub(super) fn check(&self) -> Result<(), Located> {
        if self.model.is_none() && self.membrane.is_empty() && self.solute.is_empty() && self.fibre.is_empty() {
            return self.wrong("", "a [model], a [[membrane]] or a [[solute]], or a [[fibre]]", "none of them");
        }
        if self.radii.is_some() && self.tolerance.is_some() {
            return self.wrong("radii", "tolerance or radii", "both");
        }
        if self.allow.is_some() && self.radii.is_none() {
            return self.wrong("allow", "radii beside allow", "none");
        }
        if self.model.as_ref().is_some_and(|model| model.file.is_empty()) {
            return self.wrong("model", "file, the model's file", "none");
        }
        for (number, membrane) in self.membrane.iter().enumerate() {
            let path = format!("membrane.{number}");
            let others = &self.membrane[..number];
            if !membrane.name.is_empty() && others.iter().any(|other| other.name == membrane.name) {
                return self.wrong(&format!("{path}.name"), "a name that no other membrane has", &membrane.name);
            }
            self.check_membrane(membrane, &path)?;
        }
        for (number, region) in self.region.iter().enumerate() {
            self.check_region(region, number)?;
        }
        for (number, fibre) in self.fibre.iter().enumerate() {
            self.check_fibre(fibre, &format!("fibre.{number}"))?;
        }
        for (number, solute) in self.solute.iter().enumerate() {
            self.check_solute(solute, &format!("solute.{number}"))?;
        }
        Ok(())
    }

    fn wrong<T>(&self, path: &str, expected: impl Into<String>, found: &str) -> Result<T, Located> {
        Err(self.origins.wrong(path, expected, found))
    }

    fn check_membrane(&self, membrane: &MembraneTable, path: &str) -> Result<(), Located> {
        let only = |given: bool, key: &str, shape: Shape| {
            let found = membrane.shape.name();
            if given && membrane.shape != shape {
                return self.wrong(&format!("{path}.{key}"), format!("shape = {:?} beside {key}", shape.name()), found);
            }
            Ok(())
        };
        only(membrane.radius.is_some(), "radius", Shape::Sphere)?;
        only(membrane.size.is_some(), "size", Shape::Plane)?;
        only(!membrane.periodic, "periodic", Shape::Plane)?;
        only(membrane.mesh.is_some(), "mesh", Shape::Mesh)?;
        only(membrane.sampling == Sampling::Clustered, "sampling", Shape::Sphere)?;
        for (key, is_given) in [("semi-axes", membrane.semi_axes.is_some()), ("rounding", membrane.rounding.is_some())]
        {
            only(is_given, key, Shape::RoundedBox)?;
        }
        let of_cone =
            [("start", membrane.start.is_some()), ("end", membrane.end.is_some()), ("radii", membrane.radii.is_some())];
        for (key, is_given) in of_cone {
            only(is_given, key, Shape::Cone)?;
            if membrane.shape == Shape::Cone && !is_given {
                return self.wrong(path, format!("{key} of the cone"), "none");
            }
        }
        if membrane.shape == Shape::Mesh && membrane.mesh.is_none() {
            return self.wrong(path, "mesh, the file of the surface", "none");
        }
        self.check_tiles(membrane, path)?;
        if membrane.shape == Shape::RoundedBox {
            let Some(semi_axes) = membrane.semi_axes else {
                return self.wrong(path, "semi-axes of the rounded box", "none");
            };
            let most = semi_axes.into_iter().fold(f64::INFINITY, f64::min);
            if let Some(rounding) = membrane.rounding.filter(|&rounding| rounding > most) {
                let expected = format!("at most {most} Å, the least of the semi-axes");
                return self.wrong(&format!("{path}.rounding"), expected, &rounding.to_string());
            }
        }
        if membrane.lipid.is_empty() && membrane.protein.is_empty() && membrane.patch.is_none() {
            return self.wrong(path, "a [[membrane.lipid]]", "none");
        }
        for (number, protein) in membrane.protein.iter().enumerate() {
            let path = format!("{path}.protein.{number}");
            self.check_source(protein.molecule.as_deref(), protein.file.as_deref(), &path)?;
            self.check_amount(protein, &path)?;
        }
        self.check_mixture(membrane, path)
    }

    fn check_tiles(&self, membrane: &MembraneTable, path: &str) -> Result<(), Located> {
        if membrane.placement == Placement::Relaxed {
            return match membrane.patch {
                Some(_) => self.wrong(&format!("{path}.patch"), "placement = \"tiles\" beside patch", "relaxed"),
                None => Ok(()),
            };
        }
        if membrane.patch.is_some() && !membrane.lipid.is_empty() {
            let expected = "the lipids of the patch, or [[membrane.lipid]] without a patch";
            return self.wrong(&format!("{path}.lipid.0"), expected, "both");
        }
        if membrane.patch.is_none() && membrane.lipid.is_empty() {
            return self.wrong(path, "patch, or a [[membrane.lipid]], for the tiles", "neither");
        }
        if membrane.patch.is_some() && membrane.area_per_lipid.is_some() {
            let expected = "the area per lipid that the patch has";
            return self.wrong(&format!("{path}.area-per-lipid"), expected, "another one");
        }
        let sized = [
            ("radius", membrane.radius.is_some()),
            ("size", membrane.size.is_some()),
            ("mesh", membrane.mesh.is_some()),
            ("semi-axes", membrane.semi_axes.is_some()),
            ("start", membrane.start.is_some()),
        ];
        if let Some((key, _)) = sized.into_iter().find(|size| size.1)
            && membrane.count.is_some()
        {
            let expected = format!("{key} or count: tiles have the area per lipid of their patch");
            return self.wrong(&format!("{path}.count"), expected, "both");
        }
        if membrane.sampling != Sampling::default() {
            return self.wrong(&format!("{path}.sampling"), "no sampling beside tiles", "one");
        }
        Ok(())
    }

    fn check_amount(&self, protein: &ProteinTable, path: &str) -> Result<(), Located> {
        let ways = [
            ("count", protein.count != 1),
            ("per-um2", protein.per_um2.is_some()),
            ("positions", !protein.positions.is_empty()),
        ];
        let given: Vec<&str> = ways.iter().filter(|way| way.1).map(|way| way.0).collect();
        if let [_, .., last] = given[..] {
            let found = given.join(" and ");
            return self.wrong(&format!("{path}.{last}"), "one of count, per-um2 and positions", &found);
        }
        if protein.facing == Some([0.0; 3]) {
            return self.wrong(&format!("{path}.facing"), "a direction", "[0, 0, 0]");
        }
        Ok(())
    }

    fn check_fibre(&self, fibre: &FibreTable, path: &str) -> Result<(), Located> {
        if fibre.molecule.is_some() || fibre.file.is_some() {
            self.check_source(fibre.molecule.as_deref(), fibre.file.as_deref(), path)?;
        } else if fibre.usual_molecule().is_none() {
            return self.wrong(path, format!("molecule or file, a unit of {}", fibre.kind), "neither");
        }
        match (fibre.units, fibre.volume_fraction) {
            (None, None) => return self.wrong(path, "units or volume-fraction", "neither"),
            (Some(_), Some(_)) => {
                return self.wrong(&format!("{path}.volume-fraction"), "units or volume-fraction", "both");
            }
            _ => {}
        }
        if fibre.region.is_empty() {
            return self.wrong(path, "region, the name of the [[region]] that it fills", "none");
        }
        self.check_region_name(&fibre.region, &format!("{path}.region"))?;
        fibre.outside.iter().try_for_each(|name| self.check_region_name(name, &format!("{path}.outside")))
    }

    fn check_mixture(&self, membrane: &MembraneTable, path: &str) -> Result<(), Located> {
        for (number, lipid) in membrane.lipid.iter().enumerate() {
            let path = format!("{path}.lipid.{number}");
            self.check_source(lipid.molecule.as_deref(), lipid.file.as_deref(), &path)?;
            self.check_keeps(&lipid.keep, &path)?;
            for (at, keep) in lipid.keep.iter().enumerate() {
                let is_inside = |region: &&RegionTable| region.name == keep.region && region.membrane.is_some();
                if self.region.iter().any(|region| is_inside(&region)) {
                    let expected = "a region that is there before the membrane is";
                    return self.wrong(&format!("{path}.keep.{at}.region"), expected, &keep.region);
                }
            }
            if lipid.count.is_some() && lipid.fraction.is_some() {
                return self.wrong(&format!("{path}.count"), "count or fraction", "both");
            }
        }
        for leaflet in [LeafletChoice::Outer, LeafletChoice::Inner] {
            let shared = membrane.lipid.iter().filter(|lipid| lipid.is_in(leaflet) && lipid.count.is_none());
            let fractions: Vec<f64> = shared.map(LipidTable::share).collect();
            if !fractions.is_empty() && fractions.iter().sum::<f64>() <= 0.0 {
                let expected = format!("fractions of the {} leaflet with a sum above 0", leaflet.name());
                return self.wrong(&format!("{path}.lipid.0.fraction"), expected, "0");
            }
        }
        Ok(())
    }

    fn check_source(&self, molecule: Option<&str>, file: Option<&str>, path: &str) -> Result<(), Located> {
        match (molecule, file) {
            (None, None) => self.wrong(path, "molecule or file", "neither"),
            (Some(_), Some(_)) => self.wrong(&format!("{path}.file"), "molecule or file", "both"),
            (Some(name), None) if scenes::molecule(name).is_none() => {
                let known: Vec<&str> = scenes::molecules().iter().map(|molecule| molecule.name).collect();
                let expected = expected_one_of("an embedded molecule", name, &known);
                self.wrong(&format!("{path}.molecule"), expected, name)
            }
            _ => Ok(()),
        }
    }

    fn check_solute(&self, solute: &SoluteTable, path: &str) -> Result<(), Located> {
        self.check_source(solute.molecule.as_deref(), solute.file.as_deref(), path)?;
        let ways = [
            ("count", solute.count.is_some()),
            ("concentration-mM", solute.concentration_mm.is_some()),
            ("volume-fraction", solute.volume_fraction.is_some()),
            ("density-g-cm3", solute.density_g_cm3.is_some()),
        ];
        let given: Vec<&str> = ways.iter().filter(|way| way.1).map(|way| way.0).collect();
        let is_single = solute.position.is_some();
        if given.len() > 1 || (given.is_empty() && !is_single) {
            let found = if given.is_empty() { "none".to_owned() } else { given.join(" and ") };
            let expected = "one of count, concentration-mM, volume-fraction and density-g-cm3";
            let at = given.last().map_or_else(|| path.to_owned(), |key| format!("{path}.{key}"));
            return self.wrong(&at, expected, &found);
        }
        if is_single && given.first().is_some_and(|_| solute.count != Some(1)) {
            return self.wrong(&format!("{path}.position"), "a single copy at a position", "more");
        }
        match &solute.region {
            Some(region) => self.check_region_name(region, &format!("{path}.region"))?,
            None if is_single || self.has_box() => {}
            None => return self.wrong(path, "region, or a periodic-box of the scene", "neither"),
        }
        solute.outside.iter().try_for_each(|name| self.check_region_name(name, &format!("{path}.outside")))?;
        if solute.sphere.is_some() && is_single {
            return self.wrong(&format!("{path}.sphere"), "copies at random beside sphere", "one at a position");
        }
        self.check_keeps(&solute.keep, path)
    }

    fn check_keeps(&self, keeps: &[KeepTable], path: &str) -> Result<(), Located> {
        for (number, keep) in keeps.iter().enumerate() {
            self.check_region_name(&keep.region, &format!("{path}.keep.{number}.region"))?;
        }
        Ok(())
    }

    // A flat periodic membrane brings a box with it.
    fn has_box(&self) -> bool {
        let flat = |membrane: &MembraneTable| membrane.shape == Shape::Plane && membrane.periodic;
        self.periodic_box.is_some() || self.membrane.iter().any(flat)
    }

    fn check_region_name(&self, name: &str, path: &str) -> Result<(), Located> {
        let known: Vec<&str> = self.region.iter().map(|region| region.name.as_str()).collect();
        if known.contains(&name) {
            return Ok(());
        }
        let expected = match known.is_empty() {
            true => "the name of a [[region]] (there are none)".to_owned(),
            false => expected_one_of("the name of a [[region]]", name, &known),
        };
        self.wrong(path, expected, name)
    }

    fn check_region(&self, region: &RegionTable, number: usize) -> Result<(), Located> {
        let path = format!("region.{number}");
        if region.name.is_empty() {
            return self.wrong(&path, "name, what rules call the region", "none");
        }
        if self.region[..number].iter().any(|other| other.name == region.name) {
            return self.wrong(&format!("{path}.name"), "a name that no other region has", &region.name);
        }
        let Some(shape) = region.shape else {
            return self.wrong(&path, "shape", "none");
        };
        for (key, is_given) in region.given() {
            let (needs, takes) = (shape.needs().contains(&key), shape.takes().contains(&key));
            if needs && !is_given {
                return self.wrong(&path, format!("{key} of the {}", shape.name()), "none");
            }
            if is_given && !needs && !takes {
                let keys = [shape.needs(), shape.takes()].concat().join(", ");
                return self.wrong(&format!("{path}.{key}"), format!("keys of a {} ({keys})", shape.name()), key);
            }
        }
        if let Some(name) = &region.membrane {
            self.check_membrane_name(name, &format!("{path}.membrane"))?;
        }
        self.check_extent(region, &path)
    }

    fn check_membrane_name(&self, name: &str, path: &str) -> Result<(), Located> {
        let named = self.membrane.iter().filter(|membrane| !membrane.name.is_empty());
        let known: Vec<&str> = named.map(|membrane| membrane.name.as_str()).collect();
        match self.membrane.iter().find(|membrane| !membrane.name.is_empty() && membrane.name == name) {
            Some(membrane) if membrane.shape == Shape::Plane => self.wrong(path, "a closed membrane", "a plane"),
            Some(_) => Ok(()),
            None if known.is_empty() => self.wrong(path, "the name of a [[membrane]] (none has one)", name),
            None => self.wrong(path, expected_one_of("the name of a [[membrane]]", name, &known), name),
        }
    }

    fn check_extent(&self, region: &RegionTable, path: &str) -> Result<(), Located> {
        if let (Some(low), Some(high)) = (region.low, region.high)
            && (0..3).any(|axis| low[axis] >= high[axis])
        {
            return self.wrong(&format!("{path}.high"), format!("three numbers above {low:?}"), &format!("{high:?}"));
        }
        if region.normal.is_some_and(|normal| normal == [0.0; 3]) {
            return self.wrong(&format!("{path}.normal"), "a direction", "[0, 0, 0]");
        }
        if region.start.is_some() && region.start == region.end {
            return self.wrong(&format!("{path}.end"), "another point than start", "the same");
        }
        Ok(())
    }
}
