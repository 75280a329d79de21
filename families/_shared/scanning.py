"""Checks of scans: how many inputs are scanned, and in which directions."""

from opmill_gen.rule_language.language import Ints, counted, require_attribute


def check_scanned(scanned: int, inputs: int) -> None:
    """The number of the inputs that are scanned."""
    require_attribute(
        1 <= scanned <= inputs, f"num_scan_inputs is {scanned}, expected 1 to {inputs}"
    )


def check_listed(name: str, values: Ints, scanned: int) -> None:
    """A list with a value for each input that is scanned."""
    require_attribute(
        len(values) == scanned,
        f"{name} has {counted(len(values), 'value')}, expected {scanned} (num_scan_inputs)",
    )


def check_directions(name: str, values: Ints) -> None:
    """A list of directions."""
    for k in range(len(values)):
        require_attribute(
            values[k] == 0 or values[k] == 1, f"{name}[{k}] is {values[k]}, expected 0 or 1"
        )
