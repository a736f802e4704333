"""What the bytes between host and guest mean. No wasm, no threads, no clock: tested with bytes alone."""
