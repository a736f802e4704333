from collections.abc import Callable
from typing import Any

import pytest

import wasmhost
from wasmhost.session.session import Session

RUNTIMES: dict[str, Callable[..., Session]] = {
    "javascript": wasmhost.JavaScriptRuntime,
    "python": wasmhost.PythonRuntime,
}


@pytest.fixture(params=sorted(RUNTIMES))
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def runtime(language: str) -> Callable[..., Session]:
    return RUNTIMES[language]


@pytest.fixture
def pick(language: str) -> Callable[..., Any]:
    """The one of two that is for the language."""
    return lambda javascript, python: python if language == "python" else javascript
