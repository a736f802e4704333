"""Fixtures that every test may use: both guests, every driver, the hostile guest."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from wasmhost.sandbox import image as image_module
from wasmhost.sandbox.engine import engine
from wasmhost.session.session import Session

from .support.drivers import DRIVERS, Driver
from .support.guests import GUESTS, Guest
from .support.hostile import HostileRuntime, Probe, hostile_image
from .support.images import ImagesFolder

# How long an example takes says nothing on a machine that does other things as well.
settings.register_profile("wasmhost", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.load_profile("wasmhost")


# A shell starts what runs in its background with SIGINT ignored, and children would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(params=sorted(DRIVERS))
def driver(request: pytest.FixtureRequest) -> Driver:
    """Runs cells: blocking ``run``, or ``execute`` on asyncio or trio."""
    return DRIVERS[request.param]


@pytest.fixture(params=sorted(GUESTS))
def guest(request: pytest.FixtureRequest) -> Guest:
    """One of the two guests."""
    return GUESTS[request.param]


@pytest.fixture
def session(guest: Guest) -> Iterator[Session]:
    with guest.runtime() as made:
        yield made


@pytest.fixture
def python() -> Iterator[Session]:
    with GUESTS["python"].runtime() as made:
        yield made


@pytest.fixture
def javascript() -> Iterator[Session]:
    with GUESTS["javascript"].runtime() as made:
        yield made


@pytest.fixture
def hostile_images(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hostile guest is among the images of this process."""
    monkeypatch.setitem(image_module._images, (HostileRuntime.image_name, engine().ptr), hostile_image())


@pytest.fixture
def hostile(hostile_images: None) -> Iterator[HostileRuntime]:
    with HostileRuntime() as made:
        yield made


@pytest.fixture
def probe() -> Iterator[Probe]:
    made = Probe()
    yield made
    made.close()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ImagesFolder:
    """The images that this process loads next come from a folder of the test."""
    return ImagesFolder(tmp_path, monkeypatch)
