"""Two versions whose rules have other inputs, before one kernel; values are worked out by hand."""

from opmill.com_example.step_up import v1, v2


def test_the_kernel_receives_the_inputs_that_the_family_names():
    assert v1.step_up([4, -1], steps=3).tolist() == [7, 2]
    assert v2.step_up([3], [4, -1]).tolist() == [7, 2]
    assert v2.step_up([3], [4, -1], [10]).tolist() == [17, 12]
