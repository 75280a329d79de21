"""The native module: the C library's kernels, as the runtime calls them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

sources_sha256: str
"""A digest of the C library's headers and sources that this module was built of."""

class Kernel:
    """One operator version of the C library."""

    def result(
        self, inputs: Sequence[Any], attributes: Mapping[str, Any], out: Any, /
    ) -> NDArray[Any]:
        """Compute the only output of an operator that has one."""

    def limited(
        self, inputs: Sequence[Any], attributes: Mapping[str, Any], low: float, high: float, /
    ) -> NDArray[Any] | None:
        """As ``result``, with limits for the elements; None for calls that it does not take."""

    def results(
        self, inputs: Sequence[Any], attributes: Mapping[str, Any], out: Any, outputs: int | None, /
    ) -> tuple[NDArray[Any], ...]:
        """Compute all requested outputs."""

    def run(
        self,
        inputs: Sequence[NDArray[Any] | None],
        attributes: Mapping[str, Any],
        outputs: list[NDArray[Any]],
        /,
    ) -> bool:
        """Compute into arrays that fit; false where the C library has no such type."""

    def explain(
        self,
        inputs: Sequence[NDArray[Any] | None],
        attributes: Mapping[str, Any],
        outputs: int,
        /,
    ) -> tuple[str | None, str | None, int] | None:
        """The kernel, instruction set and threads of a call; None where ``run`` says false."""

    def workspace(
        self,
        inputs: Sequence[NDArray[Any] | None],
        attributes: Mapping[str, Any],
        outputs: int,
        /,
    ) -> int | None:
        """The bytes of scratch memory of a call with one thread; None where ``run`` says false."""

    def prepare(
        self,
        inputs: Sequence[NDArray[Any] | None],
        attributes: Mapping[str, Any],
        position: int,
        /,
    ) -> Packed | None:
        """Pack the input at a position; None where nothing is gained by that."""

class Packed:
    """An input that is packed for one operator version and instruction set.

    Calls take it in the place of the array.
    """

    array: NDArray[Any]
    """The array."""
    shape: tuple[int, ...]
    """The shape of the array."""
    block: bytes
    """The packed form, as the C library reads it."""
    nbytes: int
    """The bytes of the packed form."""

class Arranged:
    """The attributes of a planned step, and what the C library arranges of them."""

    nbytes: int
    """The bytes of what is arranged."""

PlannedStep = tuple[
    Kernel,
    dict[str, Any],
    tuple[int, ...],
    tuple[int, ...],
    int | None,
    int,
    tuple[float, float] | None,
    list[Arranged],
]
"""A step of a graph: what computes it, its attributes, the numbers of its inputs and outputs, how
many outputs to ask for, and bits: 1 where the result has the elements of the first input as they
are, 2 where no data are read. Then the limits of its elements, if there are any. At the end a list
that is empty first, for the attributes as the segments of the step read them."""

class Segment:
    """Consecutive steps of a graph that one call computes."""

    def run(self, values: list[Any], /) -> bool | None:
        """Compute the steps.

        Args:
            values: by number; results are put in, and taken out where nothing reads them any more.

        Returns:
            Whether the segment is for values of these types and shapes; ``None`` where another
            backend is chosen, and where a step refuses. The values are unchanged where it is not
            true.
        """

    def enter(
        self,
        names: tuple[str, ...],
        numbers: tuple[int, ...],
        arrays: tuple[Any, ...],
        results: tuple[int, ...],
        /,
    ) -> None:
        """Let ``call`` compute runs with inputs such as these, if it computes all of the run.

        Only the first such call has an effect.

        Args:
            names: the names of all inputs of a run, in order.
            numbers: their numbers.
            arrays: the inputs of a run that has been checked, its results too.
            results: the numbers of the results, each of which differs.
        """

    def call(self, inputs: Any, /) -> tuple[NDArray[Any], ...] | None:
        """Compute a run.

        Args:
            inputs: of the run, a dict by name or a list.

        Returns:
            The results; ``None`` where the inputs are not like those of ``enter``, where another
            backend is chosen, and where a step refuses.
        """

    def repeat(
        self,
        values: list[Any],
        start: int,
        stop: int,
        counter: int,
        condition: int,
        states: tuple[tuple[int, int], ...],
        elements: tuple[tuple[int, NDArray[Any]], ...],
        stacks: tuple[tuple[int, NDArray[Any]], ...],
        /,
    ) -> tuple[int, bool]:
        """Compute iterations of a loop.

        Args:
            values: by number, as for the iteration ``start``; in the end, as for the next one.
            start: the number of the first iteration.
            stop: the number after that of the last one.
            counter: the input that is the number of the iteration; 0 for none.
            condition: the result that says whether to go on; 0 for none.
            states: the inputs that are results of the iteration before, and these results.
            elements: inputs, and arrays with an element for each iteration.
            stacks: results, and arrays that receive one from each iteration.

        Returns:
            The number of the next iteration, and whether to go on to it. Where it is less than
            ``stop`` nevertheless, the segment cannot compute it.
        """

def setup(
    chosen: Callable[[], list[Any]],
    errors: tuple[type[Exception], ...],
    dtypes: dict[int, Any],
    sparse: type[Any],
    sequence: type[Any],
    /,
) -> None:
    """Say who knows the choice in force, what to raise by code, dtypes by ONNX's number, and the
    classes of sparse tensors and of sequences."""

def find(
    domain: str,
    name: str,
    since_version: int,
    fallback: Callable[[Sequence[Any], Mapping[str, Any], Any, int | None], Sequence[Any]],
    /,
) -> Kernel | None:
    """The kernel of an operator version, if there is one.

    ``fallback`` computes the calls that the kernel does not take as they are.
    """

def set_threads(count: int, /) -> None:
    """Use at most so many threads for a call."""

def instruction_sets() -> dict[str, int]:
    """The numbers of the instruction sets that are there, by name, the best first."""

def set_instruction_set(number: int, /) -> None:
    """Use this one where the context selects none; 0 means the best."""

def free_workspace() -> int:
    """Free what the calling thread keeps; tells how many bytes that were."""

def plan_segment(
    steps: tuple[PlannedStep, ...],
    values: list[Any],
    constants: frozenset[int],
    needed: frozenset[int],
    released: tuple[int, ...],
    /,
) -> Segment | int:
    """Plan steps for values of given types and shapes.

    Args:
        steps: in order.
        values: by number, as they are before the steps.
        constants: the numbers of the values that are the same objects in every run.
        needed: the numbers of the results that are needed after the steps.
        released: the numbers of the values that nothing needs after the steps.

    Returns:
        The segment; or the position of the first step that cannot be planned, -1 where another
        backend is chosen, -2 where the steps need more memory than a thread keeps.
    """
