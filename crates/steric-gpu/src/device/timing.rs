//! How long each stage takes, by the GPU's own clock.
//!
//! How it works: every stage gets a pass of its own with a time stamp at both ends. That costs a few microseconds a stage, so
//! the whole is timed again with all stages in one pass.

use steric_model::Instant;

use crate::kernels::copy_stage;

use super::{Gpu, GpuError, Memory, Stage};

/// Milliseconds of each stage of one run, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StageTimes {
    /// What the stages are called, and how long each took.
    pub stages: Vec<(&'static str, f64)>,
}

impl Gpu {
    /// Whether stages can be timed.
    pub fn has_timestamps(&self) -> bool {
        self.device.features().contains(wgpu::Features::TIMESTAMP_QUERY)
    }

    /// How fast the GPU copies from array to array, in gigabytes a second, what is read and what is written both counted. No kernel
    /// that has to touch its data once can be faster than this.
    ///
    /// ```
    /// if let Some(gpu) = steric_gpu::Gpu::software() {
    ///     assert!(gpu.copy_bandwidth()? > 0.0);
    /// }
    /// # Ok::<(), steric_gpu::GpuError>(())
    /// ```
    pub fn copy_bandwidth(&self) -> Result<f64, GpuError> {
        // Large enough that no cache holds it; on a processor a little has to do.
        let (most, rounds) = if self.adapter().is_software { (16 << 20, 2) } else { (1 << 30, 20) };
        let bytes = u64::min(most, self.adapter().largest_binding) / 16 * 16;
        let mut memory = Memory::new(self);
        let (source, copied) = (memory.zeros("copied from", bytes)?, memory.zeros("copied to", bytes)?);
        let copy = copy_stage(self, &source, &copied, bytes);
        let mut fastest = f64::INFINITY;
        for _ in 0..3 {
            fastest = fastest.min(self.round_of(&[&copy], rounds)?);
        }
        Ok(2.0 * bytes as f64 / (fastest * 1e-3).max(1e-9) / 1e9)
    }

    /// Keeps the GPU busy for a third of a second: one that was idle takes that long to run at its full clock.
    ///
    /// ```
    /// if let Some(gpu) = steric_gpu::Gpu::software() {
    ///     gpu.warm_up()?;
    /// }
    /// # Ok::<(), steric_gpu::GpuError>(())
    /// ```
    pub fn warm_up(&self) -> Result<(), GpuError> {
        if self.adapter().is_software {
            return Ok(());
        }
        let bytes = u64::min(256 << 20, self.adapter().largest_binding) / 16 * 16;
        let mut memory = Memory::new(self);
        let (source, copied) = (memory.zeros("copied from", bytes)?, memory.zeros("copied to", bytes)?);
        let copy = copy_stage(self, &source, &copied, bytes);
        let start = Instant::now();
        while start.elapsed().as_millis() < 333 {
            self.run((0..100).map(|_| &copy));
            self.wait()?;
        }
        self.check()
    }

    /// Waits until the GPU has done all that it was asked for.
    pub fn wait(&self) -> Result<(), GpuError> {
        let done = self.device.poll(wgpu::PollType::wait_indefinitely());
        done.map(drop).map_err(|error| GpuError::Lost(error.to_string()))
    }

    /// Milliseconds of a round of stages among so many of its own, by the GPU's clock or, where it has none, by the host's.
    pub(crate) fn round_of(&self, stages: &[&Stage], rounds: usize) -> Result<f64, GpuError> {
        if self.has_timestamps() {
            return self.back_to_back(stages, rounds);
        }
        let start = Instant::now();
        self.run((0..rounds).flat_map(|_| stages.iter().copied()));
        self.wait()?;
        self.check()?;
        Ok(1e3 * start.elapsed().as_secs_f64() / rounds.max(1) as f64)
    }

    /// Runs stages in order, all in one pass.
    pub(crate) fn run<'a>(&self, stages: impl IntoIterator<Item = &'a Stage>) {
        let mut encoder = self.encoder();
        encode(&mut encoder, stages);
        self.queue.submit([encoder.finish()]);
    }

    pub(crate) fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    /// Runs stages in order, each timed by the GPU; stages of the same name that follow each other count as one.
    pub(crate) fn timed(&self, stages: &[&Stage]) -> Result<StageTimes, GpuError> {
        let count = 2 * stages.len() as u32;
        let queries = self.device.create_query_set(&wgpu::QuerySetDescriptor {
            label: Some("stage times"),
            ty: wgpu::QueryType::Timestamp,
            count,
        });
        let mut encoder = self.encoder();
        for (stage, first) in stages.iter().zip((0..).step_by(2)) {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: None,
                timestamp_writes: Some(wgpu::ComputePassTimestampWrites {
                    query_set: &queries,
                    beginning_of_pass_write_index: Some(first),
                    end_of_pass_write_index: Some(first + 1),
                }),
            });
            stage.encode(&mut pass);
        }
        let stamps = self.resolved(encoder, &queries, count)?;
        let mut times = StageTimes::default();
        for (stage, ends) in stages.iter().zip(stamps.chunks_exact(2)) {
            let milliseconds = self.milliseconds(ends[0], ends[1]);
            match times.stages.last_mut() {
                Some((name, sum)) if *name == stage.name => *sum += milliseconds,
                _ => times.stages.push((stage.name, milliseconds)),
            }
        }
        Ok(times)
    }

    /// Milliseconds, by the GPU's clock, of rounds of stages back to back in one pass.
    pub(crate) fn back_to_back(&self, stages: &[&Stage], rounds: usize) -> Result<f64, GpuError> {
        let queries = self.device.create_query_set(&wgpu::QuerySetDescriptor {
            label: Some("whole time"),
            ty: wgpu::QueryType::Timestamp,
            count: 2,
        });
        let mut encoder = self.encoder();
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: None,
                timestamp_writes: Some(wgpu::ComputePassTimestampWrites {
                    query_set: &queries,
                    beginning_of_pass_write_index: Some(0),
                    end_of_pass_write_index: Some(1),
                }),
            });
            for _ in 0..rounds {
                stages.iter().for_each(|stage| stage.encode(&mut pass));
            }
        }
        let stamps = self.resolved(encoder, &queries, 2)?;
        Ok(self.milliseconds(stamps[0], stamps[1]) / rounds.max(1) as f64)
    }

    fn resolved(
        &self,
        mut encoder: wgpu::CommandEncoder,
        queries: &wgpu::QuerySet,
        count: u32,
    ) -> Result<Vec<u64>, GpuError> {
        use wgpu::BufferUsages as Usage;
        let bytes = u64::from(count) * 8;
        let resolved = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("time stamps"),
            size: bytes,
            usage: Usage::QUERY_RESOLVE | Usage::COPY_SRC,
            mapped_at_creation: false,
        });
        encoder.resolve_query_set(queries, 0..count, &resolved, 0);
        self.queue.submit([encoder.finish()]);
        self.read(&resolved, count as usize)
    }

    fn milliseconds(&self, start: u64, end: u64) -> f64 {
        end.wrapping_sub(start) as f64 * f64::from(self.queue.get_timestamp_period()) * 1e-6
    }
}

/// Adds stages in order, all in one pass.
pub(crate) fn encode<'a>(encoder: &mut wgpu::CommandEncoder, stages: impl IntoIterator<Item = &'a Stage>) {
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    stages.into_iter().for_each(|stage| stage.encode(&mut pass));
}
