"""Pages of the manual in a frame, at one width after the other: what does not fit.

A frame has the same layout as a window of its width. It is loaded and resized by a script on one
page, which takes half of the processor time of a navigation and two resized windows.
"""

from __future__ import annotations

from typing import Any

from manual_browser import PATIENCE

_SCRIPT = """async ([addresses, widths, patience]) => {
  const frame = document.createElement("iframe");
  frame.style = "position: fixed; top: 0; left: 0; border: 0; height: 844px";
  document.body.replaceChildren(frame);
  const pause = () => new Promise((resolve) => setTimeout(resolve, 20));

  function isWide(width) {
    const root = frame.contentDocument.documentElement;
    return frame.contentWindow.innerWidth !== width || root.scrollWidth > width;
  }

  async function load(address) {
    const loaded = new Promise((resolve) => frame.addEventListener("load", resolve, {once: true}));
    frame.src = address;
    await loaded;
  }

  function cutTexts() {
    const blocks = "article :is(pre, p, dd, .opmill-formula)";
    const found = frame.contentDocument.querySelectorAll(blocks);
    const isBlock = (e) => frame.contentWindow.getComputedStyle(e).display !== "inline";
    return [...found]
      .filter((e) => e.scrollWidth > e.clientWidth + 1 && isBlock(e))
      .map((e) => e.textContent.trim().slice(0, 60));
  }

  const faults = {};
  for (const address of addresses) {
    frame.style.width = `${widths[0]}px`;
    await load(address);
    faults[address] = [];
    for (const width of widths) {
      frame.style.width = `${width}px`;
      const until = performance.now() + patience;
      while (isWide(width) && performance.now() < until) await pause();
      const shown = frame.contentDocument.documentElement.scrollWidth;
      if (isWide(width)) faults[address].push(`${shown} pixels in ${width}`);
    }
    faults[address].push(...cutTexts());
  }
  return faults;
}"""


def faults_of_width(
    page: Any, addresses: list[str], widths: list[int], patience: int = PATIENCE
) -> dict[str, list[str]]:
    """The faults of pages of the manual: wider than a width, or texts cut at the last one.

    ``page`` shows a page of the same server, is at least as wide, and has the frame afterwards.
    """
    assert page.viewport_size["width"] >= max(widths)
    return page.evaluate(_SCRIPT, [addresses, widths, patience])
