"""Stored runs of notebook 9, by assets/experiments/image_runs.py; one entry for each seed.

`captioners`: share of captions entirely right, pointing accuracy of the naming words, and the penalty that is reached.
`drawn`: captioners trained on drawn cells. Share of captions right if the decoder, while it writes, sees a drawn cell,
the cell with the largest weight, or the mixture; and pointing.
`sizes`: share right after training on so many pictures, on new ones and (`known`) on those of the training. `shuffles`:
share right with patches out of place. `maps`: pointing accuracy of three maps, for true and for shuffled labels.
"""

# fmt: off
STORED_IMAGES = (
{'settings': {'updates': 400,
              'rates': [0.002, 0.005],
              'date': '2026-11-24',
              'python': '3.11.7',
              'keras': '3.15.1',
              'numpy': '2.4.6'},
 'captioners': {'chosen': {'captions': [0.898, 0.901, 0.714],
                           'pointing': [0.807, 0.902, 0.63],
                           'reached': [29.338, 27.963, 27.416]},
                'penalty': {'captions': [0.943, 0.923, 0.899],
                            'pointing': [0.538, 0.597, 0.727],
                            'reached': [25.101, 25.104, 25.107]},
                'uniform': {'captions': [0.746, 0.75, 0.77],
                            'pointing': [0.163, 0.163, 0.163],
                            'reached': [25.0, 25.0, 25.0]}},
 'sizes': {'pictures': [250, 1000, 4000],
           'vit': [[0.598, 0.751, 0.822],
                   [0.594, 0.783, 0.779],
                   [0.559, 0.681, 0.752],
                   [0.593, 0.669, 0.725],
                   [0.638, 0.816, 0.834]],
           'conv': [[0.537, 0.649, 0.77],
                    [0.513, 0.575, 0.668],
                    [0.525, 0.662, 0.739],
                    [0.519, 0.615, 0.667],
                    [0.515, 0.55, 0.615]],
           'vit known': [[1.0, 0.969, 0.858],
                         [1.0, 0.943, 0.81],
                         [1.0, 0.962, 0.804],
                         [1.0, 0.916, 0.767],
                         [1.0, 0.944, 0.86]],
           'conv known': [[1.0, 0.972, 0.825],
                          [1.0, 0.952, 0.727],
                          [1.0, 0.991, 0.8],
                          [1.0, 0.951, 0.734],
                          [1.0, 0.913, 0.688]]},
 'shuffles': {'no positions': [0.725, 0.773, 0.794],
              'no positions, shuffled': [0.725, 0.773, 0.794],
              'fixed shuffle': [0.832, 0.787, 0.747],
              'convnet, fixed shuffle': [0.566, 0.569, 0.558]},
 'maps': {'shuffled labels': {'last layer': [0.38, 0.356, 0.332],
                              'rollout': [0.352, 0.327, 0.383],
                              'gradient': [0.372, 0.368, 0.357]},
          'true labels': {'last layer': [0.4, 0.344, 0.31, 0.365, 0.515],
                          'rollout': [0.578, 0.557, 0.434, 0.475, 0.597],
                          'gradient': [0.546, 0.595, 0.527, 0.533, 0.585]}},
 'drawn': {'one cell drawn': [0.83, 0.69, 0.942],
           'largest cell': [0.865, 0.77, 0.954],
           'mixture': [0.864, 0.764, 0.96],
           'pointing': [0.99, 0.795, 0.655]}}
)
