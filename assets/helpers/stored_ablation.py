"""Notebook 2's translator with parts of its attention removed, by assets/experiments/attention_ablation.py.

`curves`: for each model a list of runs, one for each seed, of nine shares: exact match for 1 to 9 digits. `aligned`:
the share of words whose largest weight is on the known word; `und`: where the largest weight of *und* is.
"""

# fmt: off
STORED_ABLATION = (
{'settings': {'units': 32,
              'epochs': 4,
              'training pairs': 18000,
              'date': '2026-11-26',
              'python': '3.11.7',
              'keras': '3.15.1',
              'numpy': '2.4.6'},
 'counts': [2, 18, 180, 200, 200, 200, 200, 200, 200],
 'weights': {'chosen': 21829, 'uniform': 21829, 'fixed': 21829, 'forward': 23365},
 'curves': {'chosen': [[0.5, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
                       [0.5, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.995],
                       [0.5, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]],
            'uniform': [[0.0, 0.833, 1.0, 0.975, 0.835, 0.6, 0.32, 0.09, 0.01],
                        [0.5, 0.944, 0.994, 0.99, 0.86, 0.62, 0.36, 0.155, 0.045],
                        [0.5, 0.944, 0.994, 0.995, 0.77, 0.6, 0.265, 0.09, 0.025]],
            'fixed': [[0.5, 1.0, 1.0, 0.96, 0.86, 0.705, 0.465, 0.16, 0.07],
                      [0.5, 1.0, 1.0, 0.99, 0.785, 0.81, 0.56, 0.165, 0.095],
                      [0.0, 1.0, 0.994, 1.0, 0.91, 0.865, 0.695, 0.2, 0.095]],
            'forward': [[0.5, 1.0, 1.0, 1.0, 1.0, 1.0, 0.895, 1.0, 0.985],
                        [0.5, 0.944, 1.0, 1.0, 1.0, 1.0, 0.895, 1.0, 0.995],
                        [0.5, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.99]]},
 'aligned': {'chosen': [0.988, 0.961, 1.0], 'forward': [0.999, 0.998, 0.998]},
 'und': [{'tens': 1889, 'unit': 10, 'else': 133}, {'tens': 2024, 'unit': 6, 'else': 2},
         {'tens': 2030, 'unit': 0, 'else': 2}]}
)
