//! A GPU that was opened.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::adapters::{self, Adapter, Choice};
use super::error::GpuError;
use super::pipelines::Pipelines;
use super::waited;

/// What is asked of a GPU if it can do it: time stamps, threads that add up at once, and, for pictures, the larger of two long words
/// kept at once with other threads.
const LIKED: wgpu::Features = wgpu::Features::TIMESTAMP_QUERY
    .union(wgpu::Features::SUBGROUP)
    .union(wgpu::Features::SHADER_INT64)
    .union(wgpu::Features::SHADER_INT64_ATOMIC_MIN_MAX);

/// A GPU, ready to work. Copies share it.
///
/// ```
/// use steric_gpu::{Choice, Gpu};
///
/// match Gpu::open(&Choice::Auto) {
///     Ok(gpu) => println!("{}", gpu.adapter().name),
///     Err(error) => println!("{error}"),
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Gpu {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    adapter: Arc<Adapter>,
    lost: Arc<Mutex<Option<String>>>,
    pub(super) pipelines: Arc<Mutex<Pipelines>>,
    pub(super) has_subgroups: bool,
}

impl Gpu {
    /// Whether kernels check every index; they do in debug builds and in tests.
    pub const CHECKED: bool = cfg!(debug_assertions);

    /// Opens the GPU that is wanted.
    pub fn open(choice: &Choice) -> Result<Self, GpuError> {
        let found = adapters::all();
        let described: Vec<Adapter> =
            found.iter().enumerate().map(|(index, adapter)| adapters::described(index, adapter)).collect();
        let index = choice.among(&described)?;
        Self::of(&found[index], described[index].clone())
    }

    /// The software GPU of this machine, for tests; none where there is none.
    pub fn software() -> Option<Self> {
        static SOFTWARE: OnceLock<Option<Gpu>> = OnceLock::new();
        SOFTWARE.get_or_init(|| {
            let index = adapters::adapters().iter().find(|adapter| adapter.is_software && adapter.is_able)?.index;
            Self::open(&Choice::Index(index)).ok()
        });
        SOFTWARE.get().cloned().flatten()
    }

    /// What a device must be asked for so that a GPU can be made [`of_parts`](Self::of_parts).
    pub fn wanted(adapter: &wgpu::Adapter) -> wgpu::DeviceDescriptor<'static> {
        wgpu::DeviceDescriptor {
            label: Some("steric"),
            required_features: adapter.features() & LIKED,
            required_limits: adapter.limits(),
            memory_hints: wgpu::MemoryHints::Performance,
            ..Default::default()
        }
    }

    /// A device that somebody else has opened, such as the window or the page. Its [`adapter`](Self::adapter) tells whether it can compute
    /// ([`Adapter::is_able`]) or only draw.
    pub fn of_parts(adapter: &wgpu::Adapter, device: wgpu::Device, queue: wgpu::Queue) -> Self {
        Self::with(adapters::described(0, adapter), device, queue)
    }

    fn of(adapter: &wgpu::Adapter, described: Adapter) -> Result<Self, GpuError> {
        let opened = waited(adapter.request_device(&Self::wanted(adapter)));
        let (device, queue) =
            opened.map_err(|error| GpuError::Open { adapter: described.name.clone(), message: error.to_string() })?;
        Ok(Self::with(described, device, queue))
    }

    fn with(adapter: Adapter, device: wgpu::Device, queue: wgpu::Queue) -> Self {
        let lost = Arc::new(Mutex::new(None));
        let note = |lost: &Arc<Mutex<Option<String>>>, message: String| {
            lost.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(message);
        };
        let noted = Arc::clone(&lost);
        device.set_device_lost_callback(move |reason, message| {
            note(&noted, format!("{reason:?} {message}").trim().to_owned());
        });
        let noted = Arc::clone(&lost);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| note(&noted, error.to_string())));
        // A browser wants a directive for it that is not known elsewhere.
        let has_subgroups = !cfg!(target_family = "wasm") && device.features().contains(wgpu::Features::SUBGROUP);
        Self { device, queue, adapter: Arc::new(adapter), lost, pipelines: Arc::default(), has_subgroups }
    }

    /// The same GPU without what not all have: threads that add up their values at once.
    pub fn without_subgroups(&self) -> Self {
        Self { pipelines: Arc::default(), has_subgroups: false, ..self.clone() }
    }

    /// The same GPU as if it could hold no longer array, to see how scenes are split that are too long for one.
    pub fn with_arrays_of(&self, bytes: u64) -> Self {
        let mut adapter = Adapter::clone(&self.adapter);
        adapter.largest_binding = adapter.largest_binding.min(bytes);
        Self { adapter: Arc::new(adapter), ..self.clone() }
    }

    /// Which one it is.
    pub fn adapter(&self) -> &Adapter {
        &self.adapter
    }

    /// The device, for those who draw with it.
    pub fn device(&self) -> &wgpu::Device {
        &self.device
    }

    /// Its queue.
    pub fn queue(&self) -> &wgpu::Queue {
        &self.queue
    }

    /// Fails if the GPU was lost, or if it was asked for something that it cannot do.
    pub fn check(&self) -> Result<(), GpuError> {
        let lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        lost.as_ref().map_or(Ok(()), |message| Err(GpuError::Lost(message.clone())))
    }

    /// Takes the GPU away, as if it were unplugged, to see what happens then.
    pub fn lose(&self) {
        self.device.destroy();
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert("it was taken away".to_owned());
    }
}
