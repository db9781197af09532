"""Made submissions and classes, for tests, the demo and the benchmarks."""
