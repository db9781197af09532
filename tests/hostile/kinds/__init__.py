"""The corpus, by what a trick aims at; importing this enters every kind."""

from . import costly, feedback, files, introspection, network, places, process, protocol, resources, scoring

__all__ = [
    "costly", "feedback", "files", "introspection", "network", "places", "process", "protocol", "resources", "scoring",
]  # fmt: skip
