//! Recipes: which molecules a model of a cell, a virus or a drop of blood is packed from, and where each of them goes.
//!
//! How it works: a recipe is a tree of compartments and a list of ingredients. An ingredient belongs to the inside or the
//! surface of one compartment, or to the space around all of them, and says how many copies there are to be, which spheres
//! stand for one of them, which file holds its atoms, and by which rules it is placed. Nothing here is placed yet; poses only come from
//! files of what somebody else has packed. Readers for every flavour of file stand in
//! [`formats::cellpack`](crate::formats::cellpack).

mod compartment;
mod gradient;
mod ingredient;

use glam::DVec3;

pub use compartment::{Compartment, CompartmentId, CompartmentShape};
pub use gradient::{Gradient, GradientShape, GradientWeight};
pub use ingredient::{Ingredient, PackingMode, Partner, Site, StructureSource};

/// Molecules to be packed, in angstroms.
///
/// ```
/// use steric_model::formats::cellpack::read_recipe;
///
/// let text = br#"{"name": "box", "format_version": "2.1", "bounding_box": [[0, 0, 0], [100, 100, 100]],
///     "objects": {"ball": {"type": "single_sphere", "radius": 5}},
///     "composition": {"space": {"regions": {"interior": [{"object": "ball", "count": 30}]}}}}"#;
/// let recipe = read_recipe(text, "box.json".as_ref())?.value;
/// assert_eq!((recipe.ingredients.len(), recipe.ingredients[0].count), (1, 30));
/// # Ok::<(), steric_model::ReadError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recipe {
    /// What it is called; may be empty.
    pub name: String,
    /// What its author says about it; may be empty.
    pub description: String,
    /// Two corners of the box that everything is packed in, the least one first.
    pub bounds: Option<[DVec3; 2]>,
    /// Whether the box repeats.
    pub is_periodic: bool,
    /// Compartments; each stands behind the one that it lies in.
    pub compartments: Vec<Compartment>,
    /// What is packed, in the order of the file where that means something, else by name.
    pub ingredients: Vec<Ingredient>,
    /// Gradients by which ingredients may be placed.
    pub gradients: Vec<Gradient>,
}

impl Recipe {
    /// The names of a compartment and of all that it lies in, from the outermost: `cell/nucleus`.
    ///
    /// ```
    /// use steric_model::recipe::{Compartment, CompartmentId, Recipe};
    ///
    /// let cell = Compartment { name: "cell".into(), ..Compartment::default() };
    /// let nucleus = Compartment { name: "nucleus".into(), parent: Some(CompartmentId(0)), ..Compartment::default() };
    /// let recipe = Recipe { compartments: vec![cell, nucleus], ..Recipe::default() };
    /// assert_eq!(recipe.path(CompartmentId(1)), "cell/nucleus");
    /// ```
    pub fn path(&self, compartment: CompartmentId) -> String {
        let mut names = Vec::new();
        let mut next = Some(compartment);
        while let Some(compartment) = next.and_then(|CompartmentId(at)| self.compartments.get(at as usize)) {
            names.push(compartment.name.as_str());
            // A parent stands before its child, so that this ends even in a recipe that was put together by hand.
            next = compartment.parent.filter(|parent| Some(*parent) < next);
        }
        names.reverse();
        names.join("/")
    }

    /// Where an ingredient goes and what it is called: `HIV_capsid/interior/HIV1_RT`, or `space/albumin` outside of all
    /// compartments.
    ///
    /// ```
    /// use steric_model::recipe::{Ingredient, Recipe};
    ///
    /// let albumin = Ingredient { name: "albumin".into(), ..Ingredient::default() };
    /// assert_eq!(Recipe::default().path_of(&albumin), "space/albumin");
    /// ```
    pub fn path_of(&self, ingredient: &Ingredient) -> String {
        match ingredient.compartment {
            Some(compartment) => format!("{}/{}/{}", self.path(compartment), ingredient.site, ingredient.name),
            None => format!("space/{}", ingredient.name),
        }
    }

    /// The compartments that lie directly in one, or in none.
    ///
    /// ```
    /// use steric_model::recipe::{Compartment, CompartmentId, Recipe};
    ///
    /// let recipe = Recipe { compartments: vec![Compartment::default()], ..Recipe::default() };
    /// assert!(recipe.children(None).eq([CompartmentId(0)]));
    /// ```
    pub fn children(&self, parent: Option<CompartmentId>) -> impl Iterator<Item = CompartmentId> + '_ {
        let of_parent = move |(_, compartment): &(u32, &Compartment)| compartment.parent == parent;
        (0..).zip(&self.compartments).filter(of_parent).map(|(at, _)| CompartmentId(at))
    }
}
