"""Runs of the small language models of notebook 8, by assets/experiments/language_models.py."""

# fmt: off
STORED_LANGUAGE = {"merges": " +t", "counting": {"unigram": 4.975, "bigram": 3.428, "trigram": 2.496},
 "scaling": {(32, 1, 600): {"parameters": 30000, "loss": 3.4, "seconds": 10}, (64, 1, 600): {"parameters": 120000, "loss": 3.2, "seconds": 20}, (64, 0.25, 600): {"parameters": 120000, "loss": 3.3, "seconds": 20}, (64, 1, 1800): {"parameters": 120000, "loss": 2.8, "seconds": 60}},
 "wrong_mask": {"updates": 300, "training": 0.1, "all seen": 0.1, "nothing later": 7.0},
 "transfer": {"test texts of each class": 80, "accuracy": {w: {10: [.3, .4], 30: [.4, .5], 100: [.5, .6]} for w in ("pre-trained to fill gaps", "from scratch", "words counted")}}}
