"""One head with parts left out, and readers with heads, by assets/experiments/heads_and_projections.py.

`parts`: for each model the share of right colours in new sentences, one number a seed. `roles`: for each reader the
share of sentences with giver and receiver right, one number a seed, for new pairs of names and for those of training.
"""

# fmt: off
STORED_HEADS = (
{'settings': {'seeds': 3, 'date': '2026-11-23', 'python': '3.11.7', 'keras': '3.15.1', 'numpy': '2.4.6'},
 'parts': {'nothing left out': [1.0, 1.0, 1.0],
           'without W_Q': [1.0, 1.0, 1.0],
           'without W_K': [1.0, 1.0, 1.0],
           'one matrix for W_Q and W_K': [0.702, 0.717, 0.738],
           'without W_V': [0.596, 0.596, 0.592]},
 'roles': {'one head': {'new pairs': [0.14, 0.234, 0.101], 'training pairs': [0.9, 0.971, 0.841]},
           'two heads': {'new pairs': [0.963, 0.983, 0.952], 'training pairs': [1.0, 1.0, 1.0]},
           'one head, keys without names': {'new pairs': [0.036, 0.001, 0.018],
                                            'training pairs': [0.454, 0.5, 0.502]},
           'one head, then 96 hidden units': {'new pairs': [0.092, 0.004, 0.035],
                                              'training pairs': [1.0, 0.169, 1.0]},
           'two heads, then 96 hidden units': {'new pairs': [0.826, 0.646, 0.407],
                                               'training pairs': [1.0, 1.0, 1.0]}},
 'parameters': {'one head': 3768,
                'two heads': 3768,
                'one head, keys without names': 3768,
                'one head, then 96 hidden units': 7896,
                'two heads, then 96 hidden units': 7896}}
)
