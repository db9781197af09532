"""Submissions and classes that are made up for the tests, the demo and the benchmarks."""
