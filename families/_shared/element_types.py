"""Element types by the numbers of TensorProto.DataType."""


def type_number(word: str) -> int:
    """The number of a type that is quantized; 0 for other types."""
    number = 0
    if word == "uint8":
        number = 2
    elif word == "int8":
        number = 3
    elif word == "uint16":
        number = 4
    elif word == "int16":
        number = 5
    elif word == "float8e4m3fn":
        number = 17
    elif word == "float8e4m3fnuz":
        number = 18
    elif word == "float8e5m2":
        number = 19
    elif word == "float8e5m2fnuz":
        number = 20
    elif word == "uint4":
        number = 21
    elif word == "int4":
        number = 22
    elif word == "float4e2m1":
        number = 23
    elif word == "uint2":
        number = 25
    elif word == "int2":
        number = 26
    elif word == "float6e2m3":
        number = 27
    elif word == "float6e3m2":
        number = 28
    return number
