//! Arrays of the renderer.

use steric_gpu::Gpu;

use super::DrawError;

/// An array of zeros.
pub(super) fn zeros(gpu: &Gpu, name: &str, bytes: u64) -> wgpu::Buffer {
    use wgpu::BufferUsages as Usage;
    gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: Some(name),
        size: bytes.max(64).next_multiple_of(16),
        usage: Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST | Usage::INDIRECT,
        mapped_at_creation: false,
    })
}

/// An array that holds this.
pub(super) fn array<T: bytemuck::NoUninit>(gpu: &Gpu, name: &str, data: &[T]) -> Result<wgpu::Buffer, DrawError> {
    let bytes: &[u8] = bytemuck::cast_slice(data);
    let most = gpu.adapter().largest_binding;
    if bytes.len() as u64 > most {
        return Err(DrawError::TooLarge { found: data.len() as u64, most: most / size_of::<T>() as u64 });
    }
    let buffer = zeros(gpu, name, bytes.len() as u64);
    gpu.write(&buffer, data);
    Ok(buffer)
}

/// A few numbers that every thread reads.
pub(super) fn uniform<T: bytemuck::NoUninit>(gpu: &Gpu, data: &T) -> wgpu::Buffer {
    let own = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
    let buffer = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: size_of::<T>().next_multiple_of(16) as u64,
        usage: if gpu.adapter().is_able { own | wgpu::BufferUsages::STORAGE } else { own },
        mapped_at_creation: false,
    });
    gpu.queue().write_buffer(&buffer, 0, bytemuck::bytes_of(data));
    buffer
}

/// Two words of an array, when all that was asked for is done.
pub(super) async fn word_at(gpu: &Gpu, buffer: &wgpu::Buffer, offset: u64) -> Result<[u32; 2], DrawError> {
    let copy = zeros(gpu, "words", 8);
    let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    encoder.copy_buffer_to_buffer(buffer, offset, &copy, 0, 8.min(buffer.size() - offset));
    gpu.queue().submit([encoder.finish()]);
    let words: Vec<u32> = gpu.read_async(&copy, 2).await?;
    Ok([words[0], words[1]])
}
