"""test.py FOLDER BROWSER: tries the page in a real browser, once with WebGPU and once with WebGL.

It opens a small vesicle from a file, plays until nothing overlaps, takes a picture, and saves the model. The picture is read from the
application itself, because the browser's own of a page with WebGPU is white where there is no graphics card.
"""

import functools
import http.server
import json
import pathlib
import shutil
import struct
import sys
import tempfile
import threading
import time
import zlib

from playwright.sync_api import sync_playwright

FLAGS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
WEBGPU = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader", "--enable-features=Vulkan"]
SIZE = {"width": 1000, "height": 700}
PATIENCE = 300  # seconds, for each thing that is waited for

VESICLE = """
name = "small vesicle"
seed = 7
tolerance = 2.0
hydrogens = false

[[membrane]]
shape = "sphere"
count = 400
area-per-lipid = 68.0

[[membrane.lipid]]
molecule = "POPC"
"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def pixels_of(png):
    """The rows of an RGBA picture, as bytes."""
    width, height = struct.unpack(">II", png[16:24])
    data, at = b"", 8
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at : at + 8])
        if kind == b"IDAT":
            data += png[at + 8 : at + 8 + length]
        at += 12 + length
    raw, rows, before = zlib.decompress(data), [], bytes(4 * width)
    for y in range(height):
        start = y * (4 * width + 1)
        kind, row = raw[start], bytearray(raw[start + 1 : start + 1 + 4 * width])
        for x in range(len(row)):
            left = row[x - 4] if x >= 4 else 0
            up, corner = before[x], before[x - 4] if x >= 4 else 0
            if kind == 1:
                row[x] = (row[x] + left) & 255
            elif kind == 2:
                row[x] = (row[x] + up) & 255
            elif kind == 3:
                row[x] = (row[x] + (left + up) // 2) & 255
            elif kind == 4:
                guess = left + up - corner
                nearest = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))
                row[x] = (row[x] + nearest[2]) & 255
        rows.append(bytes(row))
        before = row
    return width, height, rows


def look_at(png):
    """What part of a picture is not its background, and what part of that is green, the colour of those who are free."""
    width, height, rows = pixels_of(png)
    background, seen, green = rows[0][:3], 0, 0
    for row in rows:
        for x in range(0, 4 * width, 4):
            red, own, blue = row[x : x + 3]
            if row[x : x + 3] != background:
                seen += 1
                green += own > 1.2 * red
    return seen / (width * height), green / max(seen, 1)


def wait(page, what, is_so):
    begin = time.monotonic()
    while True:
        failure = page.evaluate("window.steric?.failure()")
        assert not failure, failure
        state = json.loads(page.evaluate("window.steric?.state()") or "null")
        wrong = [line for line in state["log"] if line.startswith("error")] if state else []
        assert not wrong, wrong
        if state and is_so(state):
            return state
        assert time.monotonic() - begin < PATIENCE, f"waited for {what}, found {state}"
        time.sleep(0.2)


def attempt(playwright, browser, address, folder, name):
    flags = FLAGS + (WEBGPU if name == "webgpu" else [])
    running = playwright.chromium.launch(executable_path=browser, args=flags)
    page = running.new_page(viewport=SIZE)
    said = []
    page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: said.append(f"error: {error}"))
    asked_elsewhere = []
    page.on("request", lambda request: request.url.startswith((address, "blob:", "data:")) or asked_elsewhere.append(request.url))
    begin = time.monotonic()
    page.goto(address + ("?webgl" if name == "webgl" else ""))
    state = wait(page, "a page that has started", lambda state: True)
    started = time.monotonic() - begin
    assert ("BrowserWebGpu" in state["device"]) == (name == "webgpu"), state["device"]
    page.screenshot(path=folder / f"{name}-start.png")
    # A tour greets those who come for the first time.
    page.keyboard.press("Escape")

    scene = folder / "small-vesicle.toml"
    scene.write_text(VESICLE)
    with page.expect_file_chooser(timeout=PATIENCE * 1e3) as chooser:
        page.keyboard.press("Control+O")
    chooser.value.set_files(scene)
    state = wait(page, "an open vesicle", lambda state: state["name"] == scene.name and state["molecules"] == 400)
    before = wait(page, "who overlaps", lambda state: state["milliseconds_a_picture"])
    page.keyboard.press("Period")
    before = wait(page, "one iteration", lambda state: state["iteration"] == 1)
    assert before["overlaps"] > 100, before

    begin = time.monotonic()
    page.keyboard.press("Space")
    after = wait(page, "no overlap", lambda state: state["rests"] and state["overlaps"] == 0)
    took = time.monotonic() - begin
    assert (after["worker"] == "cpu") == (name == "webgl"), after["worker"]

    # The last picture may be a coarse one, and a fine one follows.
    wait(page, "a fine picture", lambda state: state["is_shown"])
    png = bytes(page.evaluate("Array.from(window.steric.picture())"))
    (folder / f"{name}.png").write_bytes(png)
    seen, green = look_at(png)
    assert 0.1 < seen < 0.9 and green > 0.7, f"{seen} of the picture is not background, {green} of that is green"
    page.screenshot(path=folder / f"{name}-page.png")

    page.keyboard.press("Control+S")
    time.sleep(1.0)
    with page.expect_download(timeout=PATIENCE * 1e3) as download:
        page.keyboard.press("Enter")
    model = download.value.path().read_text()
    atoms = sum(line.startswith(("ATOM", "HETATM")) for line in model.splitlines())
    assert atoms > 50, f"{atoms} atoms in {download.value.suggested_filename}"

    errors = [line for line in said if line.startswith("error")]
    assert not errors, errors
    assert not asked_elsewhere, f"the page asked for {asked_elsewhere}"
    running.close()
    print(
        f"{name}: {state['device']}, started in {started:.1f} s; {state['atoms']} atoms, {before['overlaps']} overlaps, none after"
        f" {after['iteration']} iterations on {after['worker']} in {took:.1f} s, {after['milliseconds_a_picture']:.0f} ms a picture"
    )


def main():
    site, browser = pathlib.Path(sys.argv[1]).resolve(), shutil.which(sys.argv[2])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    folder = pathlib.Path(sys.argv[3] if len(sys.argv) > 3 else tempfile.mkdtemp())
    folder.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        for name in ["webgl", "webgpu"]:
            attempt(playwright, browser, f"http://127.0.0.1:{server.server_port}/", folder, name)
    print(f"pictures in {folder}")


main()
