"""Addresses of people and devices on networks: e-mail, web, IP, MAC, UUID."""

from __future__ import annotations

import ipaddress
import re

from microveil.detect.column import Look
from microveil.detect.detector import Detector, of_texts

_EMAIL = re.compile(r"[^\s@<>,;]+@[^\s@<>,;]+\.[^\W\d_]{2,}")
_WEB = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_MAC = re.compile(r"(?:[0-9A-F]{2}[:-]){5}[0-9A-F]{2}|(?:[0-9A-F]{4}\.){2}[0-9A-F]{4}", re.IGNORECASE)
_UUID = re.compile(r"\{?[0-9A-F]{8}-(?:[0-9A-F]{4}-){3}[0-9A-F]{12}\}?", re.IGNORECASE)


def _emails(look: Look) -> float:
    """Of all different values, not of a sample: one address among a thousand comments is one person's."""
    found = sum(1 for text in look.holding("@") if _EMAIL.search(text))
    return found / look.distinct if found else 0.0


def _is_ip(text: str) -> bool:
    if text.count(".") != 3 and text.count(":") < 2:
        return False
    try:
        ipaddress.ip_interface(text)
    except ValueError:
        return False
    return True


DETECTORS = (
    Detector("e-mail addresses", _emails, enough=0.0),
    Detector("web addresses", of_texts(lambda text: _WEB.search(text) is not None, ("text",)), enough=0.05),
    Detector("IP addresses", of_texts(_is_ip, ("text",)), enough=0.2),
    Detector("addresses of devices", of_texts(lambda text: _MAC.fullmatch(text) is not None, ("text",)), enough=0.2),
    Detector("UUIDs", of_texts(lambda text: _UUID.fullmatch(text) is not None, ("text",)), enough=0.2),
)
