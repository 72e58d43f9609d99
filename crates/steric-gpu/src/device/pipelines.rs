//! Kernels made ready to run, and runs of them.
//!
//! How it works: a kernel's text is the shared helpers and its own file. Which arrays it sees is read from its text by the
//! driver's layer; the host names them by number. A stage is a kernel with its arrays and its number of workgroups; more
//! than fit along one dimension become a rectangle, and the kernel counts along its rows.

use std::collections::HashMap;
use std::sync::PoisonError;

use super::Gpu;
use crate::kernels::{ALONE, COMMON, TOGETHER};

/// The texts that a kernel is made of, and the values of its `override` constants.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kernel<'a> {
    pub(crate) name: &'static str,
    pub(crate) text: &'a [&'a str],
    pub(crate) entry: &'static str,
    pub(crate) constants: &'a [(&'static str, f64)],
}

/// Pipelines by their text, their entry point and the values of their constants.
pub(super) type Pipelines = HashMap<(String, &'static str, String), wgpu::ComputePipeline>;

/// How many workgroups a stage has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Groups(pub(crate) u64);

/// A kernel with its arrays.
#[derive(Clone, Debug)]
pub(crate) struct Stage {
    /// What a table of times calls it.
    pub(crate) name: &'static str,
    pipeline: wgpu::ComputePipeline,
    arrays: wgpu::BindGroup,
    groups: Groups,
    side: u32,
}

impl Gpu {
    /// A kernel made ready, once.
    pub(crate) fn pipeline(&self, kernel: Kernel<'_>) -> wgpu::ComputePipeline {
        let constants = kernel.constants.iter().map(|&(name, value)| format!("{name}={value} ")).collect::<String>();
        let key = (kernel.text.concat(), kernel.entry, constants);
        let ready = || self.pipelines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = ready().get(&key) {
            return pipeline.clone();
        }
        // Not under the lock: several threads make several kernels ready at once.
        let made = self.made_ready(kernel);
        ready().entry(key).or_insert(made).clone()
    }

    fn made_ready(&self, kernel: Kernel<'_>) -> wgpu::ComputePipeline {
        let module = self.module(kernel.name, kernel.text);
        self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(kernel.entry),
            layout: None,
            module: &module,
            entry_point: Some(kernel.entry),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: kernel.constants,
                zero_initialize_workgroup_memory: false,
            },
            cache: None,
        })
    }

    #[expect(unsafe_code, reason = "kernels without checks of every index are a tenth faster")]
    fn module(&self, name: &str, texts: &[&str]) -> wgpu::ShaderModule {
        let text = texts.concat();
        let wanted = wgpu::ShaderModuleDescriptor {
            label: Some(name),
            source: wgpu::ShaderSource::Wgsl(format!("{COMMON}\n{text}").into()),
        };
        if Self::CHECKED {
            return self.device.create_shader_module(wanted);
        }
        // SAFETY: the same kernels run with every index checked in the tests, on scenes of every kind; their loops end
        // because each counts up to a length that the host has written.
        unsafe { self.device.create_shader_module_trusted(wanted, wgpu::ShaderRuntimeChecks::unchecked()) }
    }

    /// How threads add up their values: at once, where the GPU can do that.
    pub(crate) fn voices(&self) -> &'static str {
        if self.has_subgroups { TOGETHER } else { ALONE }
    }

    /// A pipeline with its arrays, by the numbers that the kernel gives them.
    pub(crate) fn stage(
        &self,
        name: &'static str,
        pipeline: &wgpu::ComputePipeline,
        arrays: &[(u32, &wgpu::Buffer)],
        groups: Groups,
    ) -> Stage {
        let entries: Vec<wgpu::BindGroupEntry<'_>> = arrays
            .iter()
            .map(|&(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        let arrays = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(name),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        let side = self.adapter().most_workgroups;
        Stage { name, pipeline: pipeline.clone(), arrays, groups, side }
    }
}

impl Stage {
    /// Adds this stage to a pass.
    pub(crate) fn encode(&self, pass: &mut wgpu::ComputePass<'_>) {
        let [x, y] = rectangle(self.groups.0, self.side);
        if x == 0 {
            return;
        }
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.arrays, &[]);
        pass.dispatch_workgroups(x, y, 1);
    }
}

/// Rows and columns of at least so many workgroups, none longer than a side.
fn rectangle(groups: u64, side: u32) -> [u32; 2] {
    let x = groups.min(side.into());
    [x as u32, groups.div_ceil(x.max(1)) as u32]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_workgroups_than_a_side_become_rows() {
        assert_eq!(rectangle(7, 65_535), [7, 1]);
        assert_eq!(rectangle(65_536, 65_535), [65_535, 2]);
        assert_eq!(rectangle(15_625_000, 65_535), [65_535, 239]);
    }
}
