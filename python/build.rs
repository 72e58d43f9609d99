//! What a module that Python loads needs from the linker on macOS.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
