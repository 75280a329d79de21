"""Print the bytes in flash of the network: its code and constants, and its weights.

``report.py program.map`` reads the map that the linker writes.
"""

import re
import sys
from pathlib import Path

SECTION = re.compile(
    r"^ (\.(?:text|rodata|data)\S*)\s+0x([0-9a-f]+)\s+0x([0-9a-f]+) (\S+)$", re.MULTILINE
)


def main() -> None:
    """Print the sums."""
    text = Path(sys.argv[1]).read_text(encoding="utf-8")
    text = text.partition("Linker script and memory map")[2]
    sums = {"code": 0, "weights": 0}
    for _, _, size, path in SECTION.findall(text):
        if "spotter_weights" in path:
            sums["weights"] += int(size, 16)
        elif "build/opmill/" in path or "build/spotter.o" in path:
            sums["code"] += int(size, 16)
    for name, size in sums.items():
        print(f"flash, {name}: {size} bytes")


main()
