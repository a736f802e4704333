"""What a wasm file imports, exports and starts with. Reads the sections itself: compiling a guest takes seconds."""

from collections.abc import Callable

_KINDS = {0: "function", 1: "table", 2: "memory", 3: "global"}
_TYPES = {0x7F: "i32", 0x7E: "i64", 0x7D: "f32", 0x7C: "f64", 0x7B: "v128", 0x70: "funcref", 0x6F: "externref"}


class WasmFile:
    """``imports``: (module, name) to (parameters, results); ``exports``: name to kind."""

    def __init__(self, data: bytes) -> None:
        assert data[:8] == b"\0asm\x01\0\0\0"
        self.data = data
        self.imports: dict[tuple[str, str], tuple[str, str]] = {}
        self.exports: dict[str, str] = {}
        self.memory_pages = 0
        self.has_start = False
        self._types: list[tuple[str, str]] = []
        self._at = 8
        readers: dict[int, Callable[[], None]] = {1: self._read_types, 2: self._read_imports, 5: self._read_memories}
        readers |= {7: self._read_exports, 8: self._read_start}
        while self._at < len(data):
            section = self._byte()
            size = self._number()
            end = self._at + size
            if section in readers:
                readers[section]()
            self._at = end

    def _byte(self) -> int:
        self._at += 1
        return self.data[self._at - 1]

    def _number(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def _name(self) -> str:
        size = self._number()
        self._at += size
        return self.data[self._at - size : self._at].decode()

    def _value_types(self) -> str:
        return " ".join(_TYPES[self._byte()] for _ in range(self._number()))

    def _read_types(self) -> None:
        for _ in range(self._number()):
            assert self._byte() == 0x60
            self._types.append((self._value_types(), self._value_types()))

    def _read_imports(self) -> None:
        for _ in range(self._number()):
            key = (self._name(), self._name())
            assert self._byte() == 0, f"{key} is no function"
            assert key not in self.imports
            self.imports[key] = self._types[self._number()]

    def _read_memories(self) -> None:
        assert self._number() == 1
        flags = self._byte()
        self.memory_pages = self._number()
        if flags & 1:
            self._number()

    def _read_exports(self) -> None:
        for _ in range(self._number()):
            name = self._name()
            self.exports[name] = _KINDS[self._byte()]
            self._number()

    def _read_start(self) -> None:
        self.has_start = True
