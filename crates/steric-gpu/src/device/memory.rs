//! Arrays on the GPU, and what is read back from them.
//!
//! How it works: every array of one task is asked for through a [`Memory`], which adds up the bytes. If the driver has no
//! room, the task fails with what it needs in all.

use super::soon::Answer;
use super::{Gpu, GpuError, Split, waited};

/// Bytes of one piece of a large upload; larger ones would be held twice by the driver.
const PIECE: usize = 64 << 20;

/// Arrays of one task.
#[derive(Debug)]
pub(crate) struct Memory {
    gpu: Gpu,
    bytes: u64,
}

impl Memory {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        Self { gpu: gpu.clone(), bytes: 0 }
    }

    /// Where the arrays are.
    pub(crate) fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// How many bytes were asked for.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// An array of zeros.
    pub(crate) fn zeros(&mut self, what: &'static str, bytes: u64) -> Result<wgpu::Buffer, GpuError> {
        use wgpu::BufferUsages as Usage;
        // An empty scene has arrays, too: of at least one element, however large it is.
        let size = bytes.max(256).next_multiple_of(16);
        let most = self.gpu.adapter().largest_binding.min(self.gpu.adapter().largest_buffer);
        if size > most {
            return Err(GpuError::TooMany { what: "bytes in one array", found: size, most });
        }
        self.bytes += size;
        let usage = Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST;
        let wanted = wgpu::BufferDescriptor { label: Some(what), size, usage, mapped_at_creation: false };
        if cfg!(target_family = "wasm") {
            // A page cannot wait to hear whether there was room; it hears of it when something is read.
            return Ok(self.gpu.device.create_buffer(&wanted));
        }
        let scope = self.gpu.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let buffer = self.gpu.device.create_buffer(&wanted);
        match waited(scope.pop()) {
            Some(_) => Err(GpuError::OutOfMemory { needed: self.bytes, fits: None, what: String::new() }),
            None => Ok(buffer),
        }
    }

    /// An array that holds this.
    pub(crate) fn filled<T: bytemuck::NoUninit>(
        &mut self,
        what: &'static str,
        data: &[T],
    ) -> Result<wgpu::Buffer, GpuError> {
        let buffer = self.zeros(what, size_of_val(data) as u64)?;
        self.gpu.write(&buffer, data);
        Ok(buffer)
    }

    /// A few numbers that every thread reads.
    pub(crate) fn uniform<T: bytemuck::NoUninit>(&mut self, what: &'static str, data: &T) -> wgpu::Buffer {
        let bytes = bytemuck::bytes_of(data);
        let buffer = self.gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(what),
            size: bytes.len().next_multiple_of(16) as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        self.gpu.queue.write_buffer(&buffer, 0, bytes);
        buffer
    }
}

impl Gpu {
    /// About how many bytes could still be had, at most so many: by asking for less and less.
    pub(crate) fn free_bytes(&self, most: u64) -> u64 {
        let mut held = Vec::new();
        let (mut free, mut piece) = (0, most.min(self.adapter().largest_buffer).min(1 << 30));
        while free < most && piece >= 1 << 20 {
            let scope = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
            let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("room"),
                size: piece.next_multiple_of(16),
                usage: wgpu::BufferUsages::STORAGE,
                mapped_at_creation: false,
            });
            match waited(scope.pop()) {
                Some(_) => piece /= 2,
                None => {
                    held.push(buffer);
                    free += piece;
                }
            }
        }
        held.iter().for_each(wgpu::Buffer::destroy);
        free.min(most)
    }

    /// Puts data at the start of an array.
    pub fn write<T: bytemuck::NoUninit>(&self, buffer: &wgpu::Buffer, data: &[T]) {
        let bytes: &[u8] = bytemuck::cast_slice(data);
        for (piece, offset) in bytes.chunks(PIECE).zip((0..).step_by(PIECE)) {
            self.queue.write_buffer(buffer, offset, piece);
            if bytes.len() > PIECE {
                self.queue.submit([]);
                // A failed wait shows up in what is read later.
                let _ = self.device.poll(wgpu::PollType::wait_indefinitely());
            }
        }
    }

    /// Fills an array with zeros.
    pub(crate) fn clear_split(&self, array: &Split) {
        array.pieces().iter().for_each(|piece| self.clear(piece));
    }

    /// Fills an array with zeros.
    pub(crate) fn clear(&self, buffer: &wgpu::Buffer) {
        self.clear_words(buffer, 0, None);
    }

    /// Fills words of an array with zeros, so many or all from the first on.
    pub(crate) fn clear_words(&self, buffer: &wgpu::Buffer, first: usize, count: Option<usize>) {
        let mut encoder = self.encoder();
        encoder.clear_buffer(buffer, 4 * first as u64, count.map(|count| 4 * count as u64));
        self.queue.submit([encoder.finish()]);
    }

    /// What an array holds, from its start, when all that was asked for is done.
    pub fn read<T: bytemuck::AnyBitPattern>(&self, buffer: &wgpu::Buffer, count: usize) -> Result<Vec<T>, GpuError> {
        waited(self.read_async(buffer, count))
    }

    /// The same for those who must not wait.
    pub async fn read_async<T: bytemuck::AnyBitPattern>(
        &self,
        buffer: &wgpu::Buffer,
        count: usize,
    ) -> Result<Vec<T>, GpuError> {
        self.check()?;
        let bytes = (count * size_of::<T>()) as u64;
        if bytes == 0 {
            return Ok(Vec::new());
        }
        let mut result = Vec::with_capacity(count);
        // One staging buffer serves all pieces.
        let piece = (bytes.min(4 * PIECE as u64) / size_of::<T>() as u64).max(1) * size_of::<T>() as u64;
        let staging = self.staging(piece.next_multiple_of(4));
        let mut offset = 0;
        while offset < bytes {
            let length = piece.min(bytes - offset);
            let mut encoder = self.encoder();
            encoder.copy_buffer_to_buffer(buffer, offset, &staging, 0, length.next_multiple_of(4));
            self.queue.submit([encoder.finish()]);
            self.mapped(&staging, length, |bytes| result.extend_from_slice(bytemuck::cast_slice(bytes))).await?;
            offset += length;
        }
        Ok(result)
    }

    pub(crate) fn staging(&self, bytes: u64) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("read back"),
            size: bytes,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    }

    /// Waits for a buffer that can be mapped and shows its first bytes.
    pub async fn mapped(&self, staging: &wgpu::Buffer, bytes: u64, look: impl FnOnce(&[u8])) -> Result<(), GpuError> {
        let lost = |error: &dyn std::fmt::Display| GpuError::Lost(error.to_string());
        let (answer, slice) = (Answer::default(), staging.slice(..bytes));
        let theirs = answer.clone();
        slice.map_async(wgpu::MapMode::Read, move |result| theirs.give(result));
        if cfg!(target_family = "wasm") {
            // The page comes back to this when the GPU is done.
            self.device.poll(wgpu::PollType::Poll).ok();
        } else {
            self.device.poll(wgpu::PollType::wait_indefinitely()).map_err(|error| lost(&error))?;
        }
        self.check()?;
        answer.given().await.map_err(|error| lost(&error))?;
        self.check()?;
        let range = slice.get_mapped_range().map_err(|error| GpuError::Lost(error.to_string()))?;
        look(&range);
        drop(range);
        staging.unmap();
        Ok(())
    }
}
