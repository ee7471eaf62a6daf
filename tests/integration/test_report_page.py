"""The page of a report in a real browser: renders, quietly, on wide and narrow screens, from nothing but itself."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import CHROMIUM, Chromium
from made_cells import DATA
from made_study import odd_study

from analysis.report.document import report_document
from analysis.report.folder import report_files, write_folder
from analysis.report.study import StageInfo, Study
from analysis.table import EventTable

pytest.importorskip("matplotlib")
pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"needs {CHROMIUM} (Debian: chromium)")


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    with Chromium() as found:
        yield found


@pytest.fixture(scope="module", params=["golden", "odd"])
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "odd":
        study = odd_study(folder)
    else:
        table = EventTable.read([DATA / "timing_attempts.csv"])
        study = Study(table, [StageInfo(stage) for stage in ("pilot30", "highid30", "stress30", "horizon60")])
    write_folder(folder / "report", report_files(report_document(study), study.table))
    return folder / "report" / "report.html"


def test_page_renders_quietly_and_asks_the_network_for_nothing(browser: Chromium, page: Path) -> None:
    browser.resize(1280, 1000)
    browser.events.clear()
    browser.open(page)
    browser.evaluate("Promise.all([...document.images].map(image => image.decode()))")
    methods = [event["method"] for event in browser.events]
    said = [event for event in browser.events if event["method"] in ("Log.entryAdded", "Runtime.consoleAPICalled")]
    assert (said, methods.count("Runtime.exceptionThrown")) == ([], 0)
    asked = [
        event["params"]["request"]["url"] for event in browser.events if event["method"] == "Network.requestWillBeSent"
    ]
    assert [url for url in asked if not url.startswith("data:")] == [page.as_uri()]
    images = browser.evaluate(
        "[...document.images].map(i => [i.alt.length, i.naturalWidth, i.getBoundingClientRect().width])"
    )
    assert len(images) >= 6
    assert all(alt > 80 and natural > 0 and width > 300 for alt, natural, width in images)
    assert browser.evaluate("document.scripts.length") == 0


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, False), (390, True)])
def test_page_fits_the_screen(browser: Chromium, page: Path, width: int, dark: bool) -> None:
    browser.resize(width, 900, dark=dark)
    browser.open(page)
    browser.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    # Wide tables and figures scroll inside their own boxes.
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    too_wide = "[...document.querySelectorAll('p, h1, h2, nav, figcaption, .scroll')]" + (
        f".filter(one => one.getBoundingClientRect().right > {width}).length"
    )
    assert browser.evaluate(too_wide) == 0
    size, colours = picture(browser.screenshot())
    assert size == (width, 900)
    assert len(colours) > 20
    assert (sum(max(colours, key=colours.__getitem__)) < 200) is dark


def picture(png: bytes) -> tuple[tuple[int, int], dict[tuple[int, int, int], int]]:
    """Size of a PNG, and how often each colour occurs on every tenth line (8-bit RGB or RGBA, as browsers write)."""
    width, height, _depth, kind = struct.unpack(">IIBB", png[16:26])
    step = {2: 3, 6: 4}[kind]
    data, place = b"", 8
    while place < len(png):
        length, name = struct.unpack(">I4s", png[place : place + 8])
        data += png[place + 8 : place + 8 + length] if name == b"IDAT" else b""
        place += 12 + length
    raw, stride = zlib.decompress(data), width * step
    colours: dict[tuple[int, int, int], int] = {}
    before = bytes(stride)
    for y in range(height):
        line = _unfiltered(
            raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1 : (y + 1) * (stride + 1)]), before, step
        )
        if y % 10 == 0:
            for x in range(0, stride, step):
                colour = (line[x], line[x + 1], line[x + 2])
                colours[colour] = colours.get(colour, 0) + 1
        before = line
    return (width, height), colours


def _unfiltered(kind: int, line: bytearray, above: bytes, step: int) -> bytes:
    for i in range(len(line)):
        left, up = line[i - step] if i >= step else 0, above[i]
        corner = above[i - step] if i >= step else 0
        if kind == 1:
            line[i] = (line[i] + left) & 255
        elif kind == 2:
            line[i] = (line[i] + up) & 255
        elif kind == 3:
            line[i] = (line[i] + (left + up) // 2) & 255
        elif kind == 4:
            guess = left + up - corner
            nearest = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))
            line[i] = (line[i] + nearest[2]) & 255
    return bytes(line)
