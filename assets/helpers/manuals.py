"""Real English on every machine: the documentation inside the installed libraries, cut into paragraphs.

Other versions of the libraries hold other texts here and there, so numbers move a little from machine to machine.
"""

import importlib
import inspect
import re
import warnings
import zlib

#: Where each library is documented. Python's own modules are those that import quickly and do nothing.
LIBRARIES = {
    "NumPy": "numpy numpy.linalg numpy.fft numpy.random numpy.ma numpy.polynomial.polynomial "
    "numpy.polynomial.chebyshev numpy.char numpy.testing",
    "Keras": "keras keras.layers keras.ops keras.losses keras.metrics keras.optimizers keras.callbacks keras.utils "
    "keras.initializers keras.activations keras.random keras.regularizers keras.saving",
    "Matplotlib": "matplotlib matplotlib.pyplot matplotlib.axes matplotlib.figure matplotlib.artist matplotlib.patches "
    "matplotlib.lines matplotlib.text matplotlib.ticker matplotlib.colors matplotlib.collections matplotlib.transforms "
    "matplotlib.axis matplotlib.legend matplotlib.path matplotlib.image matplotlib.gridspec matplotlib.scale",
    "Python": "argparse ast bisect calendar codecs collections configparser contextlib copy csv datetime decimal "
    "difflib email functools gettext gzip heapq http.client inspect io ipaddress itertools json locale logging math "
    "mimetypes operator os pathlib pickle platform pprint queue random re shlex shutil smtplib socket ssl "
    "statistics string struct subprocess tarfile tempfile textwrap threading time tokenize traceback types unittest "
    "urllib.parse uuid weakref xml.dom.minidom xml.etree.ElementTree zipfile",
}  # fmt: skip
#: Words that would name the answer when a text's library is asked for.
_LIBRARY_NAMES = re.compile(r"\b(numpy|np|keras|tensorflow|tf|matplotlib|mpl|pyplot|plt|python)\b")


def _documented(modules):
    """Yield the docstrings of modules, of their public functions and classes, and of the methods of these."""
    for name in modules.split():
        try:
            module = importlib.import_module(name)
        except ImportError:  # a version without this module has less text
            continue
        yield module.__doc__
        for attribute in sorted(n for n in dir(module) if not n.startswith("_")):
            thing = getattr(module, attribute, None)
            if callable(thing):
                yield thing.__doc__
            if inspect.isclass(thing):
                yield from (vars(thing)[n].__doc__ for n in sorted(vars(thing)) if not n.startswith("_"))


def _clean(paragraph):
    """Return a paragraph in lower case, without marks of typesetting; empty if it is no prose."""
    if re.search(r"^\s*(>>>|\.\. |[-=|:#~]|\w+ : )|^ {4}|Args:|Returns:|Example|!\[|http", paragraph, re.M):
        return ""
    text = " ".join(paragraph.split())
    if not re.fullmatch(r"[A-Z`*].*[.:]", text):
        return ""
    text = re.sub(r"[^a-z0-9 .,:;()'-]|(?<=\w)[.](?=\w)", " ", text.lower())
    text = re.sub(r"\s+([.,:;)])", r"\1", _LIBRARY_NAMES.sub(" ", text))
    return re.sub(r"\( *\)", "", " ".join(text.split()))


def read_manuals(shortest=6, longest=60):
    """Read the documentation of four libraries.

    Args:
        shortest: Least number of words of a paragraph.
        longest: Longer paragraphs are cut after so many words.

    Returns:
        Dict from each library to a list of texts: each a list of paragraphs in lower case, the summary first. Every
        paragraph occurs once. The order is a fixed shuffle.
    """
    seen, found = set(), {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for library, modules in LIBRARIES.items():
            texts = []
            for doc in _documented(modules):
                if not isinstance(doc, str):
                    continue
                paragraphs = [_clean(p) for p in re.split(r"\n\s*\n", inspect.cleandoc(doc))]
                paragraphs = [" ".join(p.split()[:longest]) for p in paragraphs if len(p.split()) >= shortest]
                paragraphs = [p for p in dict.fromkeys(paragraphs) if p not in seen]
                seen.update(paragraphs)
                if paragraphs:
                    texts.append(paragraphs)
            found[library] = sorted(texts, key=lambda text: zlib.crc32(text[0].encode()))
    return found


def cut_words(text):
    """Cut a text into words, as GPT-2 does: a blank belongs to the word that follows it."""
    return re.findall(r" ?[a-z]+| ?[0-9]| ?[^a-z0-9 ]", " " + text)
