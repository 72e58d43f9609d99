//! What a scene of soft bodies may not say.

use steric_model::Located;
use toml::Spanned;

use super::scene::{BodyTable, DeformScene};

/// Cells of a shape, and copies of a body.
const MOST: u64 = 4_000_000;

impl DeformScene {
    pub(super) fn check(&self) -> Result<(), Located> {
        let table = &self.table;
        self.within(table.step.as_ref(), "a step above 0 and of at most 1 s", |step| step > 0.0 && step <= 1.0)?;
        self.within(table.tolerance.as_ref(), "a tolerance from 1e-12 to 0.1", |part| (1e-12..=0.1).contains(&part))?;
        self.within(table.floor.as_ref(), "a finite height", f64::is_finite)?;
        self.vector(table.gravity.as_ref())?;
        if let Some(every) = table.frame_every.as_ref().filter(|every| *every.get_ref() == 0) {
            return Err(self.wrong(every.span(), "at least one step between frames", 0));
        }
        let contact = &table.contact;
        self.within(contact.friction.as_ref(), "a friction of 0 or more", |part| part >= 0.0 && part.is_finite())?;
        self.within(contact.stiffness.as_ref(), "a stiffness from 0.01 to 1e6", |part| (0.01..=1e6).contains(&part))?;
        self.within(contact.recovery.as_ref(), "a recovery above 0 and of at most 1", |part| {
            part > 0.0 && part <= 1.0
        })?;
        self.within(contact.margin.as_ref(), "a margin from 0.001 to 1", |part| (1e-3..=1.0).contains(&part))?;
        if table.body.is_empty() {
            return Err(self.wrong(0..0, "at least one [[body]]", "none"));
        }
        table.body.iter().try_for_each(|body| self.check_body(body))
    }

    fn check_body(&self, spanned: &Spanned<BodyTable>) -> Result<(), Located> {
        let body = spanned.get_ref();
        let shapes =
            [body.block.is_some(), body.ball.is_some(), body.bowl.is_some(), body.arch.is_some(), body.file.is_some()];
        let count = shapes.iter().filter(|has| **has).count();
        if count != 1 {
            return Err(self.wrong(
                spanned.span(),
                "one of block, ball, bowl, arch or file",
                format!("{count} of them"),
            ));
        }
        self.within(body.scale.as_ref(), "a scale above 0", |scale| scale > 0.0 && scale.is_finite())?;
        for vector in [&body.at, &body.turn, &body.velocity, &body.every] {
            self.vector(vector.as_ref())?;
        }
        if let Some(copies) = body.copies.as_ref().filter(|copies| !(1..=100_000).contains(copies.get_ref())) {
            return Err(self.wrong(copies.span(), "from 1 to 100000 copies", copies.get_ref()));
        }
        if let Some(hold) =
            body.hold.as_ref().filter(|hold| !hold.get_ref().iter().flatten().all(|part| part.is_finite()))
        {
            return Err(self.wrong(hold.span(), "two corners of a box", format!("{:?}", hold.get_ref())));
        }
        if let Some(lead) = &body.lead {
            let (span, lead) = (lead.span(), lead.get_ref());
            let all = lead
                .shift
                .iter()
                .chain(&lead.turn)
                .chain(lead.around.iter().flatten())
                .chain([&lead.begins, &lead.lasts]);
            if !(all.clone().all(|number| number.is_finite()) && lead.lasts > 0.0 && lead.begins >= 0.0) {
                return Err(self.wrong(
                    span,
                    "finite numbers, `begins` of 0 or more and `lasts` above 0",
                    format!("{:?}", all.collect::<Vec<_>>()),
                ));
            }
        }
        if let Some(scatter) = &body.scatter {
            let is_fine = |number: f64| number >= 0.0 && number.is_finite();
            if !(is_fine(scatter.get_ref().shift) && is_fine(scatter.get_ref().turn)) {
                return Err(self.wrong(
                    scatter.span(),
                    "a shift and a turn of 0 or more",
                    format!("{:?}", scatter.get_ref()),
                ));
            }
        }
        self.check_shape(body)
    }

    fn check_shape(&self, body: &BodyTable) -> Result<(), Located> {
        let positive = |number: f64| number > 0.0 && number.is_finite();
        let countable = |cells: &[usize]| {
            let product = cells.iter().try_fold(1u64, |product, &cells| product.checked_mul(cells as u64));
            product.is_some_and(|product| (1..=MOST).contains(&product))
        };
        let cells = |span, cells: &[usize]| {
            let expected = format!("at least one cell along each axis and at most {MOST} in all");
            if countable(cells) { Ok(()) } else { Err(self.wrong(span, expected, format!("{cells:?}"))) }
        };
        if let Some(block) = &body.block {
            let (span, block) = (block.span(), block.get_ref());
            cells(span.clone(), &block.cells)?;
            if !block.size.iter().all(|size| positive(*size)) {
                return Err(self.wrong(span, "three sizes above 0", format!("{:?}", block.size)));
            }
        }
        if let Some(ball) = &body.ball {
            let (span, ball) = (ball.span(), ball.get_ref());
            cells(span.clone(), &[ball.cells; 3])?;
            if !positive(ball.radius) {
                return Err(self.wrong(span, "a radius above 0", ball.radius));
            }
        }
        let rings = body
            .bowl
            .as_ref()
            .map(|bowl| (bowl.span(), bowl.get_ref().radii, bowl.get_ref().angle, bowl.get_ref().cells, 130.0));
        let bars = body
            .arch
            .as_ref()
            .map(|arch| (arch.span(), arch.get_ref().radii, arch.get_ref().angle, arch.get_ref().cells, 179.0));
        for (span, radii, angle, counts, most) in rings.into_iter().chain(bars) {
            cells(span.clone(), &counts)?;
            if !(positive(radii[0]) && radii[1] > radii[0] && radii[1].is_finite()) {
                return Err(self.wrong(span, "an inner radius above 0 and a larger outer one", format!("{radii:?}")));
            }
            if !(angle > 0.0 && angle <= most) {
                return Err(self.wrong(span, format!("an angle above 0 and of at most {most} degrees"), angle));
            }
        }
        match &body.arch {
            Some(arch) if !positive(arch.get_ref().height) => {
                Err(self.wrong(arch.span(), "a height above 0", arch.get_ref().height))
            }
            _ => Ok(()),
        }
    }

    fn within(
        &self,
        number: Option<&Spanned<f64>>,
        expected: &str,
        is_fine: impl Fn(f64) -> bool,
    ) -> Result<(), Located> {
        match number {
            Some(number) if !is_fine(*number.get_ref()) => Err(self.wrong(number.span(), expected, number.get_ref())),
            _ => Ok(()),
        }
    }

    fn vector(&self, vector: Option<&Spanned<[f64; 3]>>) -> Result<(), Located> {
        match vector {
            Some(vector) if !vector.get_ref().iter().all(|part| part.is_finite()) => {
                Err(self.wrong(vector.span(), "three finite numbers", format!("{:?}", vector.get_ref())))
            }
            _ => Ok(()),
        }
    }
}
