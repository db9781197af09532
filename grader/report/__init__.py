"""The class report: one page about how a class did, what it misunderstood and what marking met."""
