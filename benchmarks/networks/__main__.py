"""``python -m benchmarks.networks``; see the package."""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path


def main() -> None:
    """Export the networks, or compare what runs them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.networks")
    parser.add_argument("action", choices=("export", "compare"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    chosen = parser.parse_args()
    if chosen.action == "export":
        from benchmarks.networks.export import export

        for path in export(chosen.folder):
            print(path)
        return
    from benchmarks.networks.compare import compare

    paths = sorted(chosen.folder.glob("*.onnx"))
    if not paths:
        parser.error(f"{chosen.folder} has no .onnx files; 'export' writes them")
    results = [compare(path, chosen.threads) for path in paths]
    if chosen.json:
        print(json.dumps([result._asdict() for result in results], indent=2))
        return
    for result in results:
        slowest = ", ".join(f"{name} {100 * part:.0f}%" for name, part in result.slowest)
        elsewhere = f"; by onnxruntime: {', '.join(result.elsewhere)}" if result.elsewhere else ""
        print(
            f"{result.name}: opmill {1e3 * result.opmill:.2f} ms, onnxruntime "
            f"{1e3 * result.plain:.2f} ms, optimised {1e3 * result.optimised:.2f} ms, "
            f"difference {result.error:.1e}; {slowest}{elsewhere}"
        )
    for name in ("plain", "optimised"):
        ratios = [getattr(result, name) / result.opmill for result in results]
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"speed over onnxruntime, {name}: {mean:.2f} (geometric mean)")


if __name__ == "__main__":
    main()
