"""Everything that knows wasmtime: engine, image, instance, limits of a running guest. Imports nothing above it."""
