"""The class report: one page about how a class did, what it misunderstood and what was noticed in marking."""
