"""Python values as JSON-ready data, and back. The twin of src/values/wire.ts, which documents the format.

Encoding runs inside the untrusted program's own process: whatever the program does to it, the worst it can produce
is some other value. Instances of subclasses are read through the built-in type's own methods, so that an overridden
``__iter__`` or ``__eq__`` has no say.
"""

MAXIMUM_DEPTH = 100  # the same number stands in src/values/python-value.ts
SAFE_INTEGER = 2**53 - 1
SMALLEST_COST = 8  # of any value, however small; the same number stands in src/values/wire.ts
LONG_INTEGER_BITS = 12000  # beyond this, digits go as hexadecimal: decimal text is slow and capped by Python


class ValueTooLarge(Exception):
    """The value does not fit into the size allowed for one answer."""


class Encoder:
    """Encodes one value; ``budget`` is roughly the number of bytes it may take, here and where it is read."""

    def __init__(self, budget):
        self.budget = budget
        self.open_containers = set()

    def encode(self, value, depth=0):
        self.budget -= SMALLEST_COST
        if self.budget < 0:
            raise ValueTooLarge
        kind = type(value)
        if value is None or kind is bool:
            return value
        if kind is int:
            return self.encode_int(value)
        if kind is str:
            return self.encode_str(value)
        if kind is float:
            return {"f": encode_float(value)}
        if kind is list or kind is tuple or kind is dict or kind is set or kind is frozenset:
            return self.encode_container(value, kind, depth)
        return self.encode_rare(value, depth)

    def encode_rare(self, value, depth):
        if isinstance(value, int):
            return self.encode_int(int.__int__(value))
        if isinstance(value, str):
            return self.encode_str(str.__str__(value))
        if isinstance(value, float):
            return {"f": encode_float(float.__float__(value))}
        if isinstance(value, complex):
            return {"c": [encode_float(value.real), encode_float(value.imag)]}
        if isinstance(value, (bytes, bytearray)):
            data = bytes(memoryview(value))
            self.spend(2 * len(data))
            return {"b": data.hex()}
        for base in (list, tuple, dict, set, frozenset):
            if isinstance(value, base):
                return self.encode_container(value, base, depth)
        return opaque(value, "object")

    def encode_int(self, value):
        if -SAFE_INTEGER <= value <= SAFE_INTEGER:
            return value
        bits = value.bit_length()
        self.spend(bits // 4)
        return {"i": hex(value) if bits > LONG_INTEGER_BITS else str(value)}

    def encode_str(self, value):
        self.spend(len(value))
        return value

    def encode_container(self, value, base, depth):
        if depth >= MAXIMUM_DEPTH:
            return opaque(value, "too-deep")
        identity = id(value)
        if identity in self.open_containers:
            return opaque(value, "cyclic")
        self.open_containers.add(identity)
        depth += 1
        if base is dict:
            body = {"d": [[self.encode(k, depth), self.encode(v, depth)] for k, v in dict.items(value)]}
        else:
            items = [self.encode(item, depth) for item in base.__iter__(value)]
            if base is list:
                body = items
            elif base is tuple:
                body = {"t": items}
            else:
                body = {"s" if base is set else "z": items}
        self.open_containers.discard(identity)
        return body

    def spend(self, amount):
        self.budget -= amount
        if self.budget < 0:
            raise ValueTooLarge


def opaque(value, reason):
    name = type.__dict__["__name__"].__get__(type(value))
    return {"o": [str.__str__(name)[:100], reason]}


def encode_float(value):
    if value != value:
        return "nan"
    if value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
    # JavaScript's JSON.stringify drops the sign of zero, so both directions spell it out.
    return "-0" if value == 0 and str(value)[0] == "-" else value


def decode(wire):
    kind = type(wire)
    if kind is list:
        return [decode(item) for item in wire]
    if kind is not dict:
        return wire
    ((tag, body),) = wire.items()
    if tag == "t":
        return tuple([decode(item) for item in body])
    if tag == "d":
        return {decode(key): decode(value) for key, value in body}
    if tag == "f":
        return float(body)
    if tag == "i":
        return int(body, 16) if "x" in body else int(body)
    if tag == "s":
        return {decode(item) for item in body}
    if tag == "z":
        return frozenset([decode(item) for item in body])
    if tag == "b":
        return bytes.fromhex(body)
    if tag == "c":
        return complex(float(body[0]), float(body[1]))
    raise ValueError("unknown tag " + repr(tag))
