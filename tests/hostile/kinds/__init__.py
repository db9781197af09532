"""The corpus, by what a trick aims at; importing this enters every kind."""

from . import feedback, files, introspection, network, places, process, protocol, resources, scoring

__all__ = ["feedback", "files", "introspection", "network", "places", "process", "protocol", "resources", "scoring"]
