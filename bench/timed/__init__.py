"""Figures with pytest-benchmark: `./build.sh bench pytest [OPTION...]`. Options go to pytest, such as `-k snapshot`,
`--benchmark-autosave` and `--benchmark-compare`."""
