"""Runs of the small language models of notebook 8, by assets/experiments/language_models.py.

Losses are nats per subword on held-out documentation. `scaling`: (width, share of the text, updates) to parameters,
loss and processor seconds. `transfer`: for each way and each number of labels per class the accuracies of the seeds.
"""

# fmt: off
STORED_LANGUAGE = (
{'settings': {'merges': 200,
              'date': '2026-11-23',
              'python': '3.11.7',
              'keras': '3.15.1',
              'numpy': '2.4.6',
              'matplotlib': '3.11.2'},
 'merges': ' +t| +a| t+h| th+e| +i| +o|r+e| +s| +f|e+r| +c|e+n|i+n|a+t|o+n| +b|o+r| +w| o+f| i+n|e+s|a+l| '
           'a+n| i+s| +n| t+o| +d| +m| +re|l+e|i+s|e+d|t+h| +p|in+g|i+on|a+n|u+r| +e| an+d| '
           '+l|u+t|c+t|r+a|en+t| f+or| w+i| re+t| ret+ur| retur+n| +u| b+e|a+s|o+m| +v| a+r|a+r| +(|u+m|l+l| '
           'i+f|e+t| u+s| th+is|u+l| w+h| wi+th|o+d|i+c| o+r| o+n| a+re| i+t| a+s| f+i| b+y| s+t|al+u| '
           '+g|o+t| th+at|p+ut|s+t|ra+y|p+e| +h|i+t| v+alu|a+m|u+n|i+v| ar+ray|c+e|a+y| c+on|ct+ion|i+m|r+o| '
           'n+ot|r+i|l+y|p+le| +x|ul+t|c+h|m+ent|e+ct| d+e|e+l|at+ion| f+r| fr+om| c+an|is+t|as+s| c+om| '
           'm+e| p+o| a+l|i+g| +1| in+t| +y| f+un|q+u| a+x| wi+ll|th+er| e+x| fun+ction|s+e| s+et| c+o|i+f| '
           "s+e|o+w| t+r| o+b| ob+j| obj+ect|um+ent| d+at| c+al| +'|e+re|or+m| n+um| e+le| ele+ment|a+b| "
           'o+p| ar+g|er+s| valu+es| st+r|o+c| valu+e| a+t|en+s| dat+a| s+h| in+put| a+ll|v+er| us+ed| '
           'arg+ument| de+f| num+b|l+ass|k+e|am+e|at+e| str+ing| g+iv| giv+en|an+d| n+e|a+d|u+e|re+s| con+t| '
           's+pe| spe+c| me+th| meth+od| l+ay| c+h| +0|i+l| m+od| p+ro| s+u| return+s| us+e| fi+le| '
           'wh+en|a+g|ic+h| spec+if| tr+ue',
 'text': {'paragraphs': 7667, 'subwords': 390728, 'held out': 41436},
 'counting': {'unigram': 4.975, 'bigram': 3.428, 'trigram': 2.496},
 'wrong_mask': {'updates': 600, 'training': 0.341, 'all seen': 0.349, 'nothing later': 10.686},
 'scaling': {(64, 1, 900): {'parameters': 120064, 'loss': 3.051, 'seconds': 31},
             (32, 1, 900): {'parameters': 35456, 'loss': 3.57, 'seconds': 26},
             (64, 0.25, 900): {'parameters': 120064, 'loss': 3.207, 'seconds': 35},
             (64, 1, 2700): {'parameters': 120064, 'loss': 2.631, 'seconds': 81},
             (128, 1, 900): {'parameters': 436736, 'loss': 2.783, 'seconds': 60},
             (64, 0.0625, 900): {'parameters': 120064, 'loss': 7.265, 'seconds': 31}},
 'transfer': {'test texts of each class': 73,
              'accuracy': {'pre-trained': {10: [0.288, 0.349, 0.373],
                                           30: [0.37, 0.387, 0.459],
                                           100: [0.572, 0.435, 0.579]},
                           'from scratch': {10: [0.312, 0.346, 0.366],
                                            30: [0.408, 0.404, 0.445],
                                            100: [0.575, 0.49, 0.555]},
                           'words counted': {10: [0.404, 0.428, 0.349],
                                             30: [0.551, 0.558, 0.527],
                                             100: [0.688, 0.712, 0.682]},
                           'words placed': {10: [0.462, 0.493, 0.425],
                                            30: [0.572, 0.606, 0.589],
                                            100: [0.682, 0.668, 0.692]}}}}
)
