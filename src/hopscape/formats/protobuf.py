"""Protocol buffers without a library: messages of fields, framed by their length.

Only what Chakra needs: fields are numbers or bytes, and a file is a row of messages, each after its
length. The reader names the byte where a file breaks off.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from hopscape.core.errors import FileFormatError
from hopscape.core.reading import read_bytes

__all__ = [
    "bytes_field",
    "double_field",
    "framed",
    "number_field",
    "numbers",
    "read_fields",
    "read_framed",
    "text_field",
    "varint",
]

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
Field = tuple[int, int | bytes]


def varint(value: int) -> bytes:
    """A number, seven bits in a byte; negative ones as 64 bits.

    Examples:
        >>> varint(300).hex(), len(varint(-1))
        ('ac02', 10)
    """
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _key(field: int, wire: int) -> bytes:
    return varint(field << 3 | wire)


def number_field(field: int, value: int, *, always: bool = False) -> bytes:
    """A whole number; 0 goes without saying unless `always`."""
    return _key(field, VARINT) + varint(value) if value or always else b""


def double_field(field: int, value: float) -> bytes:
    """A real number."""
    return _key(field, FIXED64) + struct.pack("<d", value)


def bytes_field(field: int, content: bytes) -> bytes:
    """Bytes: a message, a text, or numbers in a row."""
    return _key(field, BYTES) + varint(len(content)) + content


def text_field(field: int, content: str) -> bytes:
    """A text."""
    return bytes_field(field, content.encode())


def framed(message: bytes) -> bytes:
    """A message after its length."""
    return varint(len(message)) + message


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise ValueError(at)
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def numbers(value: int | bytes) -> list[int]:
    """A repeated number, packed or one by one."""
    if isinstance(value, int):
        return [value]
    out, at = [], 0
    while at < len(value):
        one, at = _read_varint(value, at)
        out.append(one)
    return out


def read_fields(message: bytes) -> Iterator[Field]:
    """The fields of a message: number and value.

    Raises:
        ValueError: Where it breaks off.
    """
    at = 0
    while at < len(message):
        key, at = _read_varint(message, at)
        wire = key & 7
        if wire == VARINT:
            value: int | bytes
            value, at = _read_varint(message, at)
        else:
            if wire == BYTES:
                size, at = _read_varint(message, at)
            elif wire in (FIXED32, FIXED64):
                size = 8 if wire == FIXED64 else 4
            else:
                raise ValueError(at)
            if at + size > len(message):
                raise ValueError(at)
            value = message[at : at + size]
            at += size
        yield key >> 3, value


def read_framed(path: str | Path) -> Iterator[bytes]:
    """The messages of a file.

    Raises:
        FileFormatError: With the byte where it breaks off.
    """
    data = read_bytes(path)
    at = 0
    while at < len(data):
        try:
            size, start = _read_varint(data, at)
        except ValueError:
            size, start = len(data), at
        if start + size > len(data):
            raise FileFormatError(f"{path}, byte {at}: a message breaks off; it is no whole trace")
        yield data[start : start + size]
        at = start + size
