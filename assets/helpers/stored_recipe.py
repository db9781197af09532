"""The small Transformer of notebook 7 with the paper's recipe and without parts of it.

Measured by assets/experiments/recipe_runs.py, one number a seed: `exact match` of held-out numbers, decoded greedily,
and `loss`, the cross entropy per word in nats, of right words as they are (not smoothed).
"""

# fmt: off
STORED_RECIPE = (
{'settings': {'width': 32,
              'layers': 1,
              'epochs': 3,
              'training pairs': 9000,
              'warmup_steps': 60,
              'factor': 0.35,
              'epsilon': 0.1,
              'dropout': 0.1,
              'batch_size': 64,
              'date': '2026-11-23',
              'python': '3.11.7',
              'keras': '3.15.1',
              'numpy': '2.4.6'},
 'runs': {'all three': {'exact match': [0.9321, 0.915, 0.8729], 'loss': [0.0882, 0.0916, 0.1173]},
          'without warm-up': {'exact match': [0.9379, 0.9293, 0.8879], 'loss': [0.0868, 0.0885, 0.1065]},
          'without smoothing': {'exact match': [0.9493, 0.9179, 0.87], 'loss': [0.0188, 0.0276, 0.0582]},
          'without dropout': {'exact match': [0.9836, 0.9771, 0.9671], 'loss': [0.1048, 0.106, 0.1106]},
          'none of them': {'exact match': [0.9929, 0.9857, 0.98], 'loss': [0.003, 0.0077, 0.0091]}}}
)
