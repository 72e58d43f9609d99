//! What does the work: the processor, or a GPU.
//!
//! How it works: a GPU that was asked for must be there, or the work does not begin. Where nobody asked, the best one
//! is taken that is no software, because software on the processor is slower than the processor itself; without one
//! the processor does everything.

use steric_gpu::{Adapter, Choice, Gpu, GpuError};

/// The fewest atoms that are worth a GPU where nobody asked for one: the processor is done with fewer before a GPU is
/// awake and its kernels are compiled.
pub const WORTH_A_GPU: u64 = 500_000;

/// What should do the work.
///
/// ```
/// use steric::backend::Backend;
/// use steric::gpu::Choice;
///
/// let chosen = Backend::Cpu.choose(&Choice::Auto)?;
/// assert!(chosen.gpu().is_none());
/// assert_eq!(chosen.name(), "cpu");
/// # Ok::<(), steric::gpu::GpuError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// The best GPU that is no software, else the processor.
    #[default]
    Auto,
    /// The processor.
    Cpu,
    /// A GPU and nothing else.
    Gpu,
}

/// What does the work.
///
/// ```
/// use steric::backend::{Backend, Chosen};
/// use steric::gpu::Choice;
///
/// // Whatever there is: this never fails.
/// let chosen = Backend::Auto.choose(&Choice::Auto)?;
/// assert_eq!(chosen.gpu().is_none(), chosen.name() == "cpu");
/// assert!(Chosen::default().note().is_none());
/// # Ok::<(), steric::gpu::GpuError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    gpu: Option<Gpu>,
    note: Option<String>,
}

impl Backend {
    /// As [`Backend::choose`], for a scene of so many atoms: a small one is not worth a GPU that nobody asked for.
    ///
    /// ```
    /// use steric::backend::Backend;
    /// use steric::gpu::Choice;
    ///
    /// assert_eq!(Backend::Auto.choose_for(1_000, &Choice::Auto)?.name(), "cpu");
    /// # Ok::<(), steric::gpu::GpuError>(())
    /// ```
    pub fn choose_for(self, atoms: u64, choice: &Choice) -> Result<Chosen, GpuError> {
        match (self, choice) {
            (Self::Auto, Choice::Auto) if atoms < WORTH_A_GPU => Ok(Chosen::default()),
            _ => self.choose(choice),
        }
    }

    /// Opens the GPU that is wanted, if one is. A GPU that is named is wanted, unless the processor is.
    pub fn choose(self, choice: &Choice) -> Result<Chosen, GpuError> {
        match (self, choice) {
            (Self::Cpu, _) => Ok(Chosen::default()),
            (Self::Auto, Choice::Auto) => Ok(Chosen::best()),
            (Self::Auto | Self::Gpu, choice) => Ok(Chosen { gpu: Some(Gpu::open(choice)?), note: None }),
        }
    }
}

impl Chosen {
    fn best() -> Self {
        match Gpu::open(&Choice::Auto) {
            Ok(gpu) => Self { gpu: Some(gpu), note: None },
            // Most machines have none, and nobody asked.
            Err(GpuError::NoAdapter { .. }) => Self::default(),
            Err(error) => Self { gpu: None, note: Some(format!("no GPU, so the processor does the work: {error}")) },
        }
    }

    /// The GPU that does the work, if one does.
    pub fn gpu(&self) -> Option<&Gpu> {
        self.gpu.as_ref()
    }

    /// What a user should know about the choice, in a sentence: that there is a GPU, and why it could not be taken.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// What a report calls it: `cpu`, or the GPU's name.
    pub fn name(&self) -> &str {
        self.gpu.as_ref().map_or("cpu", |gpu| &gpu.adapter().name)
    }
}

/// Says which of these `auto` takes, and why.
///
/// ```
/// assert_eq!(steric::backend::what_auto_takes(&[]), "auto takes the CPU: no adapter");
/// println!("{}", steric::backend::what_auto_takes(&steric::gpu::adapters()));
/// ```
pub fn what_auto_takes(adapters: &[Adapter]) -> String {
    let Ok(index) = Choice::Auto.among(adapters) else {
        return format!("auto takes the CPU: {}", why_none(adapters));
    };
    let Adapter { name, kind, .. } = &adapters[index];
    let why = if *kind == "discrete" {
        "the first card of its own"
    } else {
        "the first that is no software, and no card of its own is there"
    };
    format!("auto takes {index} {name}: {why}")
}

fn why_none(adapters: &[Adapter]) -> &'static str {
    let (software, hardware): (Vec<&Adapter>, Vec<&Adapter>) = adapters.iter().partition(|one| one.is_software);
    match (software.len(), hardware.len()) {
        (0, 0) => "no adapter",
        (1, 0) => "the only adapter is software",
        (_, 0) => "every adapter is software",
        (0, _) => "no adapter has what the kernels need",
        _ => "no adapter but software has what the kernels need",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adapter(index: usize, name: &str, kind: &'static str, is_able: bool) -> Adapter {
        Adapter { index, name: name.to_owned(), kind, is_software: kind == "software", is_able, ..Adapter::default() }
    }

    #[test]
    fn auto_says_what_it_takes_and_why() {
        let software = || adapter(0, "llvmpipe", "software", true);
        assert_eq!(what_auto_takes(&[software()]), "auto takes the CPU: the only adapter is software");
        assert_eq!(
            what_auto_takes(&[software(), adapter(1, "Old", "integrated", false)]),
            "auto takes the CPU: no adapter but software has what the kernels need"
        );
        assert_eq!(
            what_auto_takes(&[software(), adapter(1, "Iris", "integrated", true)]),
            "auto takes 1 Iris: the first that is no software, and no card of its own is there"
        );
        let cards = [software(), adapter(1, "Iris", "integrated", true), adapter(2, "H200", "discrete", true)];
        assert_eq!(what_auto_takes(&cards), "auto takes 2 H200: the first card of its own");
    }

    #[test]
    fn a_gpu_that_is_named_must_be_there_unless_the_processor_is_wanted() {
        let wish = Choice::Name("no such card".to_owned());
        for backend in [Backend::Auto, Backend::Gpu] {
            let error = backend.choose(&wish).expect_err("no GPU is called that");
            assert!(error.to_string().starts_with("expected a GPU called \"no such card\", found "), "{error}");
        }
        assert!(Backend::Cpu.choose(&wish).is_ok());
    }
}
