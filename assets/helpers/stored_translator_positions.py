"""A Transformer with other positions, beyond the trained length: assets/experiments/translator_positions.py.

`curves`: for each kind of position a list of runs (one for each seed), each with the exact match on held-out numbers
for every number of source words in `words`; `counts` says how many numbers there are. Trained on sources of up to
`trained_to` words.
"""

# fmt: off
STORED_TRANSLATOR_POSITIONS = {'settings': {'epochs': 8,
              'training pairs': 9000,
              'date': '2026-11-24',
              'python': '3.11.7',
              'keras': '3.15.1',
              'numpy': '2.4.6'},
 'words': [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14],
 'counts': [50, 158, 83, 177, 150, 102, 147, 109, 171, 108, 74, 50],
 'trained_to': 9,
 'curves': {'sines': [[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.853, 0.041, 0.0, 0.0, 0.0],
                      [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.807, 0.018, 0.0, 0.0, 0.0],
                      [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.826, 0.094, 0.0, 0.0, 0.0]],
            'relative': [[1.0, 1.0, 0.988, 0.989, 0.947, 0.941, 0.946, 0.743, 0.55, 0.111, 0.0, 0.0],
                         [1.0, 1.0, 0.988, 1.0, 0.987, 0.98, 0.966, 0.872, 0.661, 0.25, 0.122, 0.06],
                         [1.0, 1.0, 0.988, 1.0, 0.993, 0.971, 0.986, 0.853, 0.573, 0.185, 0.162, 0.08]],
            'rotary': [[1.0, 1.0, 1.0, 1.0, 1.0, 0.99, 1.0, 0.963, 0.848, 0.648, 0.176, 0.26],
                       [1.0, 1.0, 0.988, 1.0, 1.0, 1.0, 1.0, 1.0, 0.947, 0.861, 0.514, 0.1],
                       [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.991, 0.86, 0.759, 0.149, 0.2]]}}
