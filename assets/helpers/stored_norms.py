"""Loss per word of post-norm and pre-norm Transformers, measured by assets/experiments/norm_and_warmup.py.

`losses`: for each depth (layers on each side) and recipe a list for each learning rate, with a number for each seed,
the mean over the last 20 of `settings["steps"]` updates. `by frequency`: the loss of a model that knows how frequent
each word is and nothing else.
"""

# fmt: off
STORED_NORMS = {'settings': {'steps': 200,
              'seeds': 3,
              'digits': '1 to 4',
              'warm-up': 100,
              'width': 32,
              'heads': 4,
              'd_ff': 64,
              'batch': 64,
              'date': '2026-11-23',
              'python': '3.11.7',
              'keras': '3.15.1',
              'numpy': '2.4.6'},
 'depths': [2, 6],
 'rates': [0.001, 0.003, 0.01],
 'by frequency': 2.775,
 'losses': {2: {'post-norm, without warm-up': [[0.065, 0.054, 0.092], [0.006, 0.031, 0.007],
                                               [0.031, 0.178, 0.158]],
                'post-norm, with warm-up': [[0.15, 0.124, 0.193], [0.014, 0.011, 0.017],
                                            [0.031, 0.028, 0.058]],
                'pre-norm, without warm-up': [[0.083, 0.078, 0.1], [0.008, 0.005, 0.009],
                                              [0.009, 0.026, 0.021]],
                'pre-norm, with warm-up': [[0.214, 0.195, 0.217], [0.016, 0.013, 0.017],
                                           [0.003, 0.013, 0.035]]},
            6: {'post-norm, without warm-up': [[0.477, 0.507, 0.484], [1.154, 2.014, 1.015],
                                               [2.781, 2.786, 2.654]],
                'post-norm, with warm-up': [[0.565, 0.557, 0.588], [0.428, 0.447, 0.459],
                                            [1.171, 2.705, 1.394]],
                'pre-norm, without warm-up': [[0.18, 0.177, 0.26], [0.024, 0.015, 0.027],
                                              [0.038, 0.084, 0.084]],
                'pre-norm, with warm-up': [[0.289, 0.31, 0.338], [0.063, 0.068, 0.093],
                                           [0.036, 0.038, 0.024]]}}}
