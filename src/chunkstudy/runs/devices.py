"""Devices an estimate can be made for, and what they are assumed to sustain."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Device:
    """A device.

    Attributes:
        name: as ``--device`` takes it.
        description: in words.
        rate: floating-point operations a second that encoding is assumed to sustain. Two cores:
            what MiniLM's runs came to, in float32. GPUs: half of the maker's dense 16-bit rate.
    """

    name: str
    description: str
    rate: float


TWO_CORES = "two-cores"
DEVICES = {
    device.name: device
    for device in (
        Device(TWO_CORES, "two CPU cores", 100e9),
        Device("t4", "an NVIDIA T4", 65e12 / 2),
        Device("a100", "an NVIDIA A100", 312e12 / 2),
        Device("h100", "an NVIDIA H100", 989e12 / 2),
        Device("h200", "an NVIDIA H200", 989e12 / 2),
    )
}


def device(name: str) -> Device:
    """The device of that name.

    Raises:
        ValueError: if there is none, with the names there are.
    """
    if name not in DEVICES:
        raise ValueError(f"unknown device {name!r}; use one of {', '.join(DEVICES)}")
    return DEVICES[name]
