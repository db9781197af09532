"""Runs of the small language models of notebook 8, by assets/experiments/language_models.py.

Losses are nats per subword on held-out documentation. `scaling`: (width, share of the text, updates) to parameters,
loss and processor seconds. `transfer`: for each way and each number of labels per class the accuracies of the seeds.
"""

# fmt: off
STORED_LANGUAGE = (
{'settings': {'merges': 200,
              'date': '2026-11-30',
              'python': '3.11.2',
              'keras': '3.15.1',
              'numpy': '2.3.5',
              'matplotlib': '3.11.2'},
 'merges': ' +t| +a| t+h| th+e| +i| +o|r+e| +s| +f|e+r| +c|e+n|i+n|a+t|o+n|o+r| +b| +w| o+f| i+n|e+s| '
           'a+n|a+l| i+s| +n| +d| t+o| +re| +m|l+e|i+s|e+d|t+h| +p|in+g|i+on|a+n|u+r| +e| an+d| '
           '+l|u+t|c+t|r+a| f+or|en+t| w+i| re+t| ret+ur| retur+n| +u| b+e|a+s|o+m| +v| a+r| +(|a+r|u+m| '
           'i+f|l+l|e+t| u+s| th+is|u+l| w+h| wi+th|o+d| o+r| o+n|i+c| a+re| i+t| a+s| b+y| f+i|al+u| s+t| '
           '+g| th+at|o+t|p+ut|i+t|s+t|p+e| +h| v+alu|ra+y|a+m|u+n|i+v| ar+ray|c+e|a+y| '
           'c+on|ct+ion|r+o|i+m|r+i| n+ot|l+y|p+le| +x|ul+t|c+h|m+ent|e+ct| d+e|at+ion| f+r| fr+om| '
           'c+an|is+t|as+s|e+l| c+om| p+o| a+l| in+t|i+g| +1| f+un|q+u| m+e| a+x| wi+ll|th+er| fun+ction| '
           "+y|s+e| e+x| s+et|i+f| c+o| t+r| s+e|o+w| d+at| o+b| ob+j| obj+ect|um+ent| +'| c+al|e+re|or+m| "
           'n+um| e+le| ele+ment|a+b| ar+g| o+p|er+s| st+r| valu+es| valu+e|o+c| a+t|en+s| dat+a| s+h| a+ll| '
           'in+put|v+er| us+ed| de+f| arg+ument|l+ass|at+e| num+b|k+e|am+e| str+ing|an+d| g+iv| giv+en| '
           'n+e|u+e|a+d|re+s| con+t| s+pe| spe+c| l+ay| +0| c+h| s+u| m+od| return+s| p+ro| us+e| wh+en| '
           'fi+le| tr+ue|a+g|i+l| spec+if|ic+h| +r| numb+er',
 'text': {'paragraphs': 7621, 'subwords': 389581, 'held out': 41275},
 'counting': {'unigram': 4.981, 'bigram': 3.429, 'trigram': 2.498},
 'wrong_mask': {'updates': 600, 'training': 0.348, 'all seen': 0.351, 'nothing later': 10.565},
 'scaling': {(64, 1, 900): {'parameters': 120064, 'loss': 3.062, 'seconds': 21},
             (32, 1, 900): {'parameters': 35456, 'loss': 3.554, 'seconds': 15},
             (64, 0.25, 900): {'parameters': 120064, 'loss': 3.227, 'seconds': 20},
             (64, 1, 2700): {'parameters': 120064, 'loss': 2.627, 'seconds': 53},
             (128, 1, 900): {'parameters': 436736, 'loss': 2.762, 'seconds': 39},
             (64, 0.0625, 900): {'parameters': 120064, 'loss': 6.995, 'seconds': 20}},
 'transfer': {'test texts of each class': 73,
              'accuracy': {'pre-trained': {10: [0.295, 0.445, 0.377],
                                           30: [0.397, 0.503, 0.469],
                                           100: [0.51, 0.476, 0.445]},
                           'from scratch': {10: [0.342, 0.438, 0.349],
                                            30: [0.38, 0.51, 0.425],
                                            100: [0.548, 0.531, 0.538]},
                           'words counted': {10: [0.411, 0.5, 0.363],
                                             30: [0.524, 0.534, 0.517],
                                             100: [0.658, 0.664, 0.62]},
                           'words placed': {10: [0.527, 0.558, 0.507],
                                            30: [0.64, 0.61, 0.582],
                                            100: [0.678, 0.651, 0.651]}}}}
)
