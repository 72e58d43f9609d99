//! The GPUs of this machine, and which one is taken.

use super::{Gpu, GpuError, waited};

/// A GPU, or a program that acts as one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Adapter {
    /// Its place in the list.
    pub index: usize,
    /// What its maker calls it.
    pub name: String,
    /// How it is reached: Vulkan, Metal, Dx12 or WebGPU.
    pub api: String,
    /// Its driver.
    pub driver: String,
    /// A card of its own, part of the processor, or other.
    pub kind: &'static str,
    /// Whether it is a program on the processor, such as lavapipe.
    pub is_software: bool,
    /// The largest array a kernel can see, in bytes.
    pub largest_binding: u64,
    /// The largest buffer, in bytes.
    pub largest_buffer: u64,
    /// How many workgroups fit along one dimension of a dispatch.
    pub most_workgroups: u32,
    /// How many arrays a kernel can see.
    pub most_bindings: u32,
    /// Whether stages can be timed on the device.
    pub has_timestamps: bool,
    /// Whether it has all that the kernels need.
    pub is_able: bool,
}

/// Which GPU is wanted.
///
/// ```
/// use steric_gpu::Choice;
///
/// assert_eq!("1".parse(), Ok(Choice::Index(1)));
/// assert_eq!("llvmpipe".parse(), Ok(Choice::Name("llvmpipe".to_owned())));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// The best one that is no software.
    #[default]
    Auto,
    /// The first whose name contains this, whatever the case of its letters.
    Name(String),
    /// The one with this place in the list.
    Index(usize),
}

impl std::str::FromStr for Choice {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(text.parse().map_or_else(|_| Self::Name(text.to_owned()), Self::Index))
    }
}

/// Every GPU of this machine, in the order of the drivers.
///
/// ```
/// for adapter in steric_gpu::adapters() {
///     println!("{} {} ({})", adapter.index, adapter.name, adapter.api);
/// }
/// ```
pub fn adapters() -> Vec<Adapter> {
    all().iter().enumerate().map(|(index, adapter)| described(index, adapter)).collect()
}

impl Choice {
    /// The place of the GPU that this takes, or why there is none.
    pub fn among(&self, adapters: &[Adapter]) -> Result<usize, GpuError> {
        let none = |wish: String| GpuError::NoAdapter { wish, found: listed(adapters) };
        let found = match self {
            Self::Auto => {
                adapters.iter().filter(|adapter| is_worth_having(adapter)).max_by_key(|adapter| rank(adapter))
            }
            Self::Index(index) => adapters.get(*index),
            Self::Name(name) => {
                let name = name.to_lowercase();
                adapters.iter().find(|adapter| adapter.name.to_lowercase().contains(&name))
            }
        };
        let found = found.ok_or_else(|| {
            none(match self {
                Self::Auto => String::new(),
                Self::Index(index) => format!(" with number {index}"),
                Self::Name(name) => format!(" called {name:?}"),
            })
        })?;
        if found.is_able {
            Ok(found.index)
        } else {
            Err(none(format!(" with compute shaders and {MOST_BINDINGS} arrays")))
        }
    }
}

/// How many arrays a kernel of ours sees at most.
pub(super) const MOST_BINDINGS: u32 = 10;

fn is_worth_having(adapter: &Adapter) -> bool {
    !adapter.is_software && adapter.is_able
}

/// A card of its own first, the later of equals last.
fn rank(adapter: &Adapter) -> (bool, std::cmp::Reverse<usize>) {
    (adapter.kind == "discrete", std::cmp::Reverse(adapter.index))
}

fn listed(adapters: &[Adapter]) -> String {
    if adapters.is_empty() {
        return "none".to_owned();
    }
    let one = |adapter: &Adapter| {
        let software = if adapter.is_software { ", software" } else { "" };
        format!("{} {} ({}{software})", adapter.index, adapter.name, adapter.api)
    };
    adapters.iter().map(one).collect::<Vec<_>>().join("; ")
}

pub(super) fn instance() -> wgpu::Instance {
    let mut wanted = wgpu::InstanceDescriptor::new_without_display_handle();
    wanted.backends = wgpu::Backends::PRIMARY;
    // What the kernels ask for is checked by their own tests; the driver's layers are for those.
    wanted.flags = if Gpu::CHECKED { wgpu::InstanceFlags::debugging() } else { wgpu::InstanceFlags::empty() };
    wgpu::Instance::new(wanted)
}

pub(super) fn all() -> Vec<wgpu::Adapter> {
    waited(instance().enumerate_adapters(wgpu::Backends::PRIMARY))
}

pub(super) fn described(index: usize, adapter: &wgpu::Adapter) -> Adapter {
    let (info, limits, features) = (adapter.get_info(), adapter.limits(), adapter.features());
    let kind = match info.device_type {
        wgpu::DeviceType::DiscreteGpu => "discrete",
        wgpu::DeviceType::IntegratedGpu => "integrated",
        wgpu::DeviceType::VirtualGpu => "virtual",
        wgpu::DeviceType::Cpu => "software",
        wgpu::DeviceType::Other => "other",
    };
    let compute = adapter.get_downlevel_capabilities().flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS);
    Adapter {
        index,
        // A browser does not tell.
        name: if info.name.is_empty() { "WebGPU".to_owned() } else { info.name },
        api: format!("{:?}", info.backend),
        driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
        kind,
        is_software: info.device_type == wgpu::DeviceType::Cpu,
        largest_binding: limits.max_storage_buffer_binding_size,
        largest_buffer: limits.max_buffer_size,
        most_workgroups: limits.max_compute_workgroups_per_dimension,
        most_bindings: limits.max_storage_buffers_per_shader_stage,
        has_timestamps: features.contains(wgpu::Features::TIMESTAMP_QUERY),
        is_able: compute && limits.max_storage_buffers_per_shader_stage >= MOST_BINDINGS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adapter(index: usize, name: &str, kind: &'static str) -> Adapter {
        Adapter {
            index,
            name: name.to_owned(),
            api: "Vulkan".to_owned(),
            kind,
            is_software: kind == "software",
            is_able: true,
            ..Adapter::default()
        }
    }

    #[test]
    fn auto_takes_the_first_card_of_its_own_and_no_software() {
        let software = adapter(0, "llvmpipe", "software");
        assert!(Choice::Auto.among(std::slice::from_ref(&software)).is_err());
        let several =
            [software, adapter(1, "UHD", "integrated"), adapter(2, "A", "discrete"), adapter(3, "B", "discrete")];
        assert_eq!(Choice::Auto.among(&several), Ok(2));
        assert_eq!(Choice::Auto.among(&several[..2]), Ok(1));
    }

    #[test]
    fn software_is_taken_when_it_is_asked_for() {
        let list = [adapter(0, "A", "discrete"), adapter(1, "llvmpipe (LLVM)", "software")];
        assert_eq!(Choice::Name("LLVMpipe".to_owned()).among(&list), Ok(1));
        assert_eq!(Choice::Index(1).among(&list), Ok(1));
    }

    #[test]
    fn a_wish_that_cannot_be_met_names_what_there_is() {
        let list = [adapter(0, "llvmpipe", "software")];
        let error = Choice::Name("radeon".to_owned()).among(&list).expect_err("there is none");
        assert_eq!(error.to_string(), "expected a GPU called \"radeon\", found 0 llvmpipe (Vulkan, software)");
        let error = Choice::Auto.among(&[]).expect_err("there is none");
        assert_eq!(error.to_string(), "expected a GPU, found none");
    }
}
