//! What is wrong with a scene is said here, with its line, before anything is built.

use std::collections::BTreeSet;

use steric_model::Located;
use toml::Spanned;

use super::scene::{DiffuseScene, ObstacleTable, RuleTable, SpeciesTable, TrapTable, Words};

impl DiffuseScene {
    /// Refuses what cannot be meant.
    pub(super) fn check(&self) -> Result<(), Located> {
        let table = &self.table;
        let edges = table.edges.get_ref();
        if !(2..=3).contains(&edges.len()) || !edges.iter().all(|edge| *edge > 0.0 && edge.is_finite()) {
            let found = format!("{edges:?}");
            return Err(self.wrong(table.edges.span(), "two or three edges of a box, each above 0 Å", found));
        }
        self.above_zero(Some(&table.time_step), "a time step")?;
        self.above_zero(table.cell.as_ref(), "an edge of cells")?;
        if let Some(every) = table.frame_every.as_ref().filter(|every| *every.get_ref() == 0) {
            return Err(self.wrong(every.span(), "steps between two frames, 1 or more", 0));
        }
        if let Some(trap) = &table.trap {
            let TrapTable { center, pull } = trap.get_ref();
            if center.len() != edges.len() || !center.iter().chain([pull]).all(|number| number.is_finite()) {
                let expected = format!("a center of {} numbers and a pull", edges.len());
                return Err(self.wrong(trap.span(), expected, format!("{center:?}, {pull}")));
            }
        }
        for numbers in [&table.drift, &table.acceleration].into_iter().flatten() {
            if numbers.get_ref().len() != edges.len() || !numbers.get_ref().iter().all(|number| number.is_finite()) {
                let expected = format!("{} numbers, one for each axis", edges.len());
                return Err(self.wrong(numbers.span(), expected, format!("{:?}", numbers.get_ref())));
            }
        }
        if table.species.is_empty() {
            return Err(self.wrong(0..0, "a [[species]] at least", "none"));
        }
        let mut names = BTreeSet::new();
        for species in &table.species {
            self.check_species(species.get_ref())?;
            let name = &species.get_ref().name;
            if !names.insert(name.get_ref().as_str()) {
                return Err(self.wrong(name.span(), "a name that no other species has", name.get_ref()));
            }
        }
        table.rule.iter().try_for_each(|rule| self.check_rule(rule.get_ref()))?;
        for decay in table.decay.iter().map(Spanned::get_ref) {
            self.kind(decay.of.get_ref(), decay.of.span())?;
            self.not_below_zero(Some(&decay.rate), "a rate")?;
            for product in &decay.into {
                self.kind(product, decay.of.span())?;
            }
        }
        table.obstacle.iter().try_for_each(|obstacle| self.check_obstacle(obstacle))?;
        // Words are read here as well, so that a wrong one is told before anything is built.
        self.options(&super::Wishes::default())?;
        self.motion()?;
        self.bounds()?;
        self.time_unit()?;
        Ok(())
    }

    fn check_obstacle(&self, obstacle: &Spanned<ObstacleTable>) -> Result<(), Located> {
        let (numbers, radius, length) = match obstacle.get_ref() {
            ObstacleTable::Plane { point, normal } => (vec![*point, *normal], 1.0, normal.iter().map(|x| x * x).sum()),
            ObstacleTable::Sphere { center, radius } | ObstacleTable::Cavity { center, radius } => {
                (vec![*center], *radius, 1.0)
            }
            ObstacleTable::Cylinder { from, to, radius } => {
                (vec![*from, *to], *radius, from.iter().zip(to).map(|(a, b)| (a - b).powi(2)).sum())
            }
            ObstacleTable::Tube { point, axis, radius } => {
                (vec![*point, *axis], *radius, axis.iter().map(|x| x * x).sum::<f64>())
            }
            ObstacleTable::Box { low, high } => {
                let least = low.iter().zip(high).map(|(a, b)| b - a).fold(f64::INFINITY, f64::min);
                (vec![*low, *high], 1.0, least)
            }
            ObstacleTable::Mesh { .. } => return Ok(()),
        };
        let is_good = numbers.iter().flatten().all(|number| number.is_finite()) && radius > 0.0 && radius.is_finite();
        if is_good && length > 0.0 {
            return Ok(());
        }
        let found = format!("{:?}", obstacle.get_ref());
        Err(self.wrong(obstacle.span(), "an obstacle of some size, in finite numbers", found))
    }

    fn check_species(&self, species: &SpeciesTable) -> Result<(), Located> {
        let name = species.name.span();
        self.above_zero(species.radius.as_ref(), "a radius")?;
        self.above_zero(species.mass.as_ref(), "a mass")?;
        for number in [&species.diffusion, &species.diffusion_um2_s, &species.rotational_diffusion] {
            self.not_below_zero(number.as_ref(), "a diffusion coefficient")?;
        }
        self.not_below_zero(species.speed.as_ref(), "a speed")?;
        self.above_zero(species.fraction.as_ref(), "a fraction")?;
        if let Some(colour) = species.colour.as_ref().filter(|colour| super::scene::hex(colour.get_ref()).is_none()) {
            return Err(self.wrong(colour.span(), "a colour as in \"#56b4e9\"", colour.get_ref()));
        }
        if species.radius.is_some() == species.molecule.is_some() {
            let found = if species.radius.is_some() { "both" } else { "neither" };
            return Err(self.wrong(name, "radius or molecule", found));
        }
        if species.diffusion.is_some() && species.diffusion_um2_s.is_some() {
            return Err(self.wrong(name, "diffusion or diffusion-um2-s", "both"));
        }
        let ways = [species.count.is_some(), species.fraction.is_some(), species.places.is_some()];
        if ways.iter().filter(|&&way| way).count() > 1 {
            return Err(self.wrong(name, "one of count, fraction and places", "several"));
        }
        Ok(())
    }

    fn check_rule(&self, rule: &RuleTable) -> Result<(), Located> {
        for name in rule.between.get_ref() {
            self.kind(name, rule.between.span())?;
        }
        if let Some(probability) = &rule.probability
            && !(0.0..=1.0).contains(probability.get_ref())
        {
            return Err(self.wrong(probability.span(), "a probability from 0 to 1", probability.get_ref()));
        }
        self.not_below_zero(rule.unbinds.as_ref(), "a rate")?;
        match rule.then.get_ref() {
            Words::One(word) if word == "bind" || word == "vanish" => Ok(()),
            Words::One(word) => self.kind(word, rule.then.span()).map(drop),
            Words::Several(words) if words.len() == 2 => {
                words.iter().try_for_each(|word| self.kind(word, rule.then.span()).map(drop))
            }
            Words::Several(words) => {
                let expected = "bind, vanish, the species that they become together, or two, one for each";
                Err(self.wrong(rule.then.span(), expected, format!("{words:?}")))
            }
        }
    }

    /// The number of a species by its name.
    pub(super) fn kind(&self, name: &str, span: std::ops::Range<usize>) -> Result<u16, Located> {
        let names = || self.table.species.iter().map(|species| species.get_ref().name.get_ref().as_str());
        let found = names().position(|known| known == name).and_then(|kind| u16::try_from(kind).ok());
        found.ok_or_else(|| self.wrong(span, format!("a species: {}", names().collect::<Vec<_>>().join(", ")), name))
    }

    fn above_zero(&self, number: Option<&Spanned<f64>>, what: &str) -> Result<(), Located> {
        match number {
            Some(number) if !(*number.get_ref() > 0.0 && number.get_ref().is_finite()) => {
                Err(self.wrong(number.span(), format!("{what} above 0"), number.get_ref()))
            }
            _ => Ok(()),
        }
    }

    fn not_below_zero(&self, number: Option<&Spanned<f64>>, what: &str) -> Result<(), Located> {
        match number {
            Some(number) if !(*number.get_ref() >= 0.0 && number.get_ref().is_finite()) => {
                Err(self.wrong(number.span(), format!("{what}, 0 or more"), number.get_ref()))
            }
            _ => Ok(()),
        }
    }
}
