"""The rule of BitCast: both types have the same number of bits."""

from opmill_gen.rule_language.language import Tensor, counted, output, require_attribute


def bits_of(type: str) -> int:
    """The bits of an element of a type."""
    bits = 8
    if type == "complex128":
        bits = 128
    elif type in ("double", "int64", "uint64", "complex64"):
        bits = 64
    elif type in ("float", "int32", "uint32"):
        bits = 32
    elif type in ("float16", "bfloat16", "int16", "uint16"):
        bits = 16
    elif type in ("int4", "uint4", "float4e2m1"):
        bits = 4
    elif type in ("int2", "uint2"):
        bits = 2
    return bits


def bits_of_number(number: int) -> int:
    """The same by the number of a type in TensorProto.DataType; 0 for what no output may have."""
    bits = 0
    if number == 15:
        bits = 128
    elif number == 7 or number == 11 or number == 13 or number == 14:
        bits = 64
    elif number == 1 or number == 6 or number == 12:
        bits = 32
    elif number == 4 or number == 5 or number == 10 or number == 16:
        bits = 16
    elif number == 2 or number == 3 or number == 9 or 17 <= number <= 20 or number == 24:
        bits = 8
    elif 21 <= number <= 23:
        bits = 4
    elif number == 25 or number == 26:
        bits = 2
    return bits


def rules(input: Tensor, *, to: int) -> None:
    """The shape of the input. Numbers that name no type of the output are refused after this."""
    own = bits_of(input.type)
    given = bits_of_number(to)
    require_attribute(
        given == 0 or given == own,
        f"to has {counted(given, 'bit')}, expected {own} (the bits of an element of input)",
    )
    output(output=input.shape)
