"""Studies of sounds, videos and pictures for tests in a browser."""

from support.clips import wav

NAMES = ("one", "two", "three", "four")
RECORD = """async hue => {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: 320, height: 180 });
  const pen = canvas.getContext("2d");
  const recorder = new MediaRecorder(canvas.captureStream(10), { mimeType: "video/webm;codecs=vp8" });
  const parts = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  const done = new Promise((end) => { recorder.onstop = end; });
  recorder.start();
  for (let n = 0; n < 12; n += 1) {
    pen.fillStyle = `hsl(${hue} 60% ${30 + 3 * n}%)`;
    pen.fillRect(0, 0, 320, 180);
    await new Promise((next) => setTimeout(next, 60));
  }
  recorder.stop();
  await done;
  return [...new Uint8Array(await new Blob(parts).arrayBuffer())];
}"""


def record_video(browser, hue):
    """A WebM video of about a second, recorded by the browser."""
    page = browser.new_page()
    try:
        page.goto("about:blank")
        return bytes(page.evaluate(RECORD, hue))
    finally:
        page.close()


def catalogue(suffix):
    columns = [
        {"name": "name", "values": list(NAMES)},
        {"name": "gain", "values": [1.0, 2.0, 4.0, 8.0]},
        {"name": "file", "values": [f"{name}.{suffix}" for name in NAMES]},
    ]
    return {"kind": "catalogue", "columns": columns, "features": ["gain"], "key": "name"}


def study_of_clips(site, contents, suffix="wav", **display):
    """Create a study with a clip per item; without contents, all are missing."""
    request = {"name": "Clips", "space": catalogue(suffix), "display": {"clip": "file", "title": "name", **display}}
    study = site.post("/api/studies", request)["id"]
    for name, content in zip(NAMES, contents, strict=False):
        site.put(f"/api/studies/{study}/clips/{name}.{suffix}", content)
    return study


def study_of_sounds(site, seconds=2.0, **display):
    return study_of_clips(site, [wav(seconds, 220.0 * n) for n in range(1, 5)], **display)
