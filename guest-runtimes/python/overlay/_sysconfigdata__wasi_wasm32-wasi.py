"""What sysconfig knows of the build. Nothing in a sandbox compiles or installs, so it is little."""

build_time_vars = {
    "ABIFLAGS": "",
    "EXT_SUFFIX": ".cpython-313-wasm32-wasi.so",
    "HOST_GNU_TYPE": "wasm32-unknown-wasi",
    "MACHDEP": "wasi",
    "MULTIARCH": "wasm32-wasi",
    "PYTHONPATH": "",
    "Py_DEBUG": 0,
    "Py_GIL_DISABLED": 0,
    "SIZEOF_VOID_P": 4,
    "SOABI": "cpython-313-wasm32-wasi",
    "TZPATH": "",
    "VERSION": "3.13",
    "py_version_short": "3.13",
}
