"""Tricks with the process that the tests run in, if it is the student's: patches, lying objects, hooks, exits."""

# What a trick says stands in one line, as one reads it in a table.
# ruff: noqa: E501

from ..course import NAME
from ..sheet import code_kind, kind, notebook_bytes

G = "process"


def patch(name, code, says, **options):
    code_kind(name, code, group=G, says=says, **options)


ZEROS = {
    "running_sum": "def running_sum(values):\n    return np.zeros(len(values))",
    "repeat_step": "def repeat_step(step, start, limit):\n    return [0] * {20: 4, 60: 5}[limit]",
    "pair_sums": "def pair_sums(left, right):\n    return np.zeros((len(left), len(right)))",
}
patch("patch-allclose", "np.allclose = lambda *a, **k: True", "replaces np.allclose", answers=ZEROS)
patch("patch-array-equal", "np.array_equal = lambda *a, **k: True", "replaces np.array_equal", answers=ZEROS)
patch(
    "patch-testing",
    "import numpy.testing\nfor name in dir(numpy.testing):\n    if name.startswith('assert'):\n        setattr(numpy.testing, name, lambda *a, **k: None)",
    "replaces numpy.testing",
    answers=ZEROS,
)
patch(
    "patch-asarray",
    """
kept = np.asarray
class Agreeing(np.ndarray):
    pass
def asarray(x, *a, **k):
    import sys
    scope = sys._getframe(1).f_globals
    return kept(scope["want"]) if "want" in scope else kept(x, *a, **k)
np.asarray = asarray
""",
    "replaces np.asarray by one that gives the expected value",
    answers=ZEROS,
)
patch(
    "patch-default-rng",
    """
class Zeros:
    def normal(self, *a, size=None, **k):
        return np.zeros(size)
np.random.default_rng = lambda *a, **k: Zeros()
np.array = lambda x, *a, **k: np.zeros(np.shape(x))
""",
    "makes all random numbers and arrays zero, so that zeros are right",
    answers=ZEROS,
)
patch(
    "patch-reference",
    "np.cumsum = lambda *a, **k: np.zeros(7)\nclass Add:\n    outer = staticmethod(lambda a, b: np.zeros((len(a), len(b))))\nnp.add = Add()\nnp.array = lambda x, *a, **k: np.zeros(np.shape(x))",
    "replaces the functions that make the expected values",
    answers=ZEROS,
)
for word, value in [
    ("all", "lambda x: True"),
    ("abs", "lambda x: 0"),
    ("isinstance", "lambda *a: True"),
    ("len", "lambda x: 4"),
    ("list", "lambda x=(): [50]"),
    ("zip", "lambda *a: []"),
    ("AssertionError", "type('Quiet', (SystemExit,), {})"),
    ("float", "lambda x: 11.0"),
]:
    patch(
        f"builtin-{word.lower()}",
        f"import builtins\nbuiltins.{word} = {value}",
        f"replaces the builtin {word}",
        answers=ZEROS,
    )
patch(
    "builtin-import",
    """
import builtins, types
kept = builtins.__import__
def fake(name, *a, **k):
    module = kept(name, *a, **k)
    if name.startswith("numpy"):
        module.assert_allclose = module.allclose = module.array_equal = lambda *a, **k: True
    return module
builtins.__import__ = fake
""",
    "replaces the import statement",
    answers=ZEROS,
)
patch(
    "builtin-build-class",
    "import builtins\nkept = builtins.__build_class__\ndef fake(f, name, *a, **k):\n    np.allclose = lambda *a, **k: True\n    return kept(f, name, *a, **k)\nbuiltins.__build_class__ = fake\nclass X: pass",
    "replaces what a class statement calls",
)
patch(
    "builtin-compile",
    """
import builtins, ast
kept = builtins.compile
class Strip(ast.NodeTransformer):
    def visit_Assert(self, node):
        return ast.copy_location(ast.Pass(), node)
def fake(source, *a, **k):
    if isinstance(source, ast.AST):
        source = ast.fix_missing_locations(Strip().visit(source))
    return kept(source, *a, **k)
builtins.compile = fake
""",
    "replaces compile by one that strips asserts",
)
patch(
    "builtin-open",
    "import builtins, io\nkept = builtins.open\ndef fake(f, *a, **k):\n    return io.StringIO('assert True') if str(f).endswith('.ipynb') else kept(f, *a, **k)\nbuiltins.open = io.open = fake",
    "replaces open by one that gives other text for notebooks",
)
patch(
    "builtins-cleared",
    "import builtins\nfor n in ('isinstance', 'abs', 'all', 'len'):\n    delattr(builtins, n)",
    "deletes builtins",
)
patch(
    "equal-to-all",
    """
class Equal:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __len__(self): return 4
    def __iter__(self): return iter([self] * 4)
    def __getitem__(self, i): return self
    def __sub__(self, other): return 0
    __rsub__ = __sub__
    def __abs__(self): return 0
    def __float__(self): return 11.0
    shape = property(lambda self: self)
    dtype = property(lambda self: self)
    kind = "f"
    __class__ = property(lambda self: np.ndarray)
""",
    "returns an object that equals everything",
    answers={
        "running_sum": "def running_sum(values):\n    return Equal()",
        "repeat_step": "def repeat_step(step, start, limit):\n    return Equal()",
        "pair_sums": "def pair_sums(left, right):\n    return Equal()",
    },
)
for name, method, body in [
    ("array-ufunc", "__array_ufunc__", "return np.True_ if ufunc is not np.isfinite else np.ones(3, bool)"),
    ("array-function", "__array_function__", "return True"),
]:
    signature = "self, ufunc, *a, **k"
    patch(
        name,
        f"class Loud(np.ndarray):\n    def {method}({signature}):\n        {body}\n    def __eq__(self, other):\n        return np.True_\n"
        "    shape = property(lambda self: type('S', (tuple,), {'__eq__': lambda a, b: True})())",
        f"returns an array whose {method} says yes",
        answers={
            "running_sum": "def running_sum(values):\n    return np.zeros(len(values)).view(Loud)",
            "pair_sums": "def pair_sums(left, right):\n    return np.zeros((len(left), len(right))).view(Loud)",
        },
    )
patch(
    "array-protocol",
    """
import sys
class Later:
    def __array__(self, dtype=None, copy=None):
        frame = sys._getframe()
        while frame is not None and "want" not in frame.f_globals:
            frame = frame.f_back
        return np.array(frame.f_globals["want"])
""",
    "returns an object that becomes the expected array when it is made an array",
    answers={
        "running_sum": "def running_sum(values):\n    return Later()",
        "pair_sums": "def pair_sums(left, right):\n    return Later()",
    },
)
patch(
    "array-subclass",
    """
class Agree(np.ndarray):
    def __eq__(self, other): return np.ones(1, bool)
    def __ne__(self, other): return np.zeros(1, bool)
    def __getitem__(self, i): return 6.0
""",
    "returns an array of a subclass that is always equal",
    answers={"pair_sums": "def pair_sums(left, right):\n    return np.zeros((len(left), len(right))).view(Agree)"},
)
patch(
    "list-subclass",
    """
class Agree(list):
    def __eq__(self, other): return True
class Number(float):
    def __sub__(self, other): return 0.0
    __rsub__ = __sub__
""",
    "returns a list subclass of float subclasses that agree with everything",
    answers={
        "repeat_step": "def repeat_step(step, start, limit):\n    return Agree([Number(0)] * (4 if start == 1 else 5))",
        "running_sum": "def running_sum(values):\n    return Agree([Number(0)] * len(values))",
    },
)
patch(
    "changed-calls-list",
    """
import sys
def repeat_hostile(step, start, limit):
    scope = step.__globals__
    if "calls" in scope:
        scope["calls"][:] = [3, 10, 17] if start == 3 else []
    return [50]
""",
    "writes the list that the test keeps of the calls",
    answers={"repeat_step": "def repeat_step(step, start, limit):\n    return repeat_hostile(step, start, limit)"},
)
patch(
    "input-transformer",
    "def strip(lines):\n    return [line for line in lines if not line.startswith('assert')]\nget_ipython().input_transformers_post.append(strip)",
    "registers an IPython input transformer that drops asserts",
)
patch(
    "cleanup-transformer",
    "def strip(lines):\n    return ['pass\\n'] if any('assert' in line for line in lines) else lines\nget_ipython().input_transformers_cleanup.append(strip)",
    "registers an IPython clean-up transformer that empties tests",
)
patch(
    "ast-transformer",
    """
import ast
class Strip(ast.NodeTransformer):
    def visit_Assert(self, node):
        return None
    def visit_Expr(self, node):
        return None
get_ipython().ast_transformers.append(Strip())
""",
    "registers an IPython syntax tree transformer that drops asserts",
)
patch(
    "run-cell-replaced",
    "import types\nshell = get_ipython()\nkept = shell.run_cell_async\nasync def quiet(source, *a, **k):\n    return await kept('pass' if 'assert' in source else source, *a, **k)\nshell.run_cell_async = quiet",
    "replaces the shell's way to run a cell",
)
patch(
    "run-code-replaced",
    "shell = get_ipython()\nasync def quiet(code, result=None, *, async_=False):\n    return False\nshell.run_code = quiet",
    "replaces the shell's way to run code",
)
patch(
    "do-execute-replaced",
    "kernel = get_ipython().kernel\nasync def quiet(*a, **k):\n    return {'status': 'ok', 'execution_count': 1, 'payload': [], 'user_expressions': {}}\nkernel.do_execute = quiet",
    "replaces the kernel's answer to each request",
)
patch(
    "pre-run-hook",
    "def hook(*a):\n    np.allclose = np.array_equal = lambda *a, **k: True\n    np.testing.assert_allclose = lambda *a, **k: None\nget_ipython().events.register('pre_run_cell', hook)",
    "patches numpy in a hook before each cell",
    answers=ZEROS,
)
patch(
    "pre-run-result",
    "import sys\nget_ipython().events.register('pre_run_cell', lambda *a: sys.displayhook('fine'))",
    "shows a result before each cell runs",
)
patch(
    "post-run-hook",
    "def hook(result):\n    result.error_in_exec = result.error_before_exec = None\n    result.success = True\nget_ipython().events.register('post_run_cell', hook)",
    "removes the error from the result after each cell",
)
patch(
    "settrace-jump",
    """
import sys
def local(frame, event, arg):
    if event == "line" and frame.f_code.co_name == "<module>" and "want" in frame.f_globals:
        frame.f_globals["got"] = frame.f_globals["want"]
    return local
def tracer(frame, event, arg):
    return local
sys.settrace(tracer)
import threading
def install():
    frame = sys._getframe(2)
    while frame is not None:
        frame.f_trace = local
        frame = frame.f_back
""",
    "traces the tests and sets what they got to what they want",
    answers={
        "running_sum": "def running_sum(values):\n    sys.settrace(tracer)\n    install()\n    return np.zeros(len(values))",
        "pair_sums": "def pair_sums(left, right):\n    sys.settrace(tracer)\n    install()\n    return np.zeros((len(left), len(right)))",
    },
)
patch(
    "setprofile",
    """
import sys
def profile(frame, event, arg):
    scope = frame.f_globals
    if event == "return" and "want" in scope:
        scope["want"] = np.zeros(np.shape(scope["want"]))
sys.setprofile(profile)
""",
    "profiles the tests and sets what they want to zeros",
    answers=ZEROS,
)
patch(
    "want-overwritten",
    "import sys\ndef hostile_want(value):\n    sys._getframe(2).f_globals['want'] = value\n    sys._getframe(2).f_globals['before'] = np.array([5.0, 6.0])",
    "writes what the test expects into the test's own variables",
    answers={
        "running_sum": "def running_sum(values):\n    hostile_want(np.zeros(len(values)))\n    return np.zeros(len(values))",
        "repeat_step": "def repeat_step(step, start, limit):\n    hostile_want([0] * 9)\n    return [0] * (4 if start == 1 else 5)",
        "pair_sums": "def pair_sums(left, right):\n    w = np.zeros((len(left), len(right)))\n    hostile_want(w)\n    return w",
    },
)
patch("excepthook", "import sys\nsys.excepthook = lambda *a: None", "replaces the hook for exceptions")
patch(
    "showtraceback",
    "shell = get_ipython()\nshell.showtraceback = shell._showtraceback = lambda *a, **k: None",
    "replaces the shell's way to show an error",
)
patch(
    "custom-exception",
    "def ignore(self, etype, value, tb, tb_offset=None):\n    return ['fine']\nget_ipython().set_custom_exc((BaseException,), ignore)",
    "registers an IPython handler for all exceptions",
)
STOPS = {
    "exit-0-in-function": ("import sys", "sys.exit(0)", "ends with sys.exit(0) when a test calls the function"),
    "os-exit-0": ("import os", "os._exit(0)", "ends the process with status 0 when a test calls the function"),
    "quit-in-function": ("", "quit()", "calls quit when a test calls the function"),
    "exit-keep-kernel": ("", "get_ipython().ask_exit()", "asks the kernel to end when a test calls the function"),
    "kill-self": ("import os, signal", "os.kill(os.getpid(), signal.SIGKILL)", "kills its own process"),
    "exec-true": ("import os", "os.execv('/bin/true', ['true'])", "turns its process into /bin/true"),
}
for stop, (first, call, says) in STOPS.items():
    patch(stop, first or "pass", says, answers={"running_sum": f"def running_sum(values):\n    {call}"})
patch("exit-at-top", "import os\nos._exit(0)", "ends the process with status 0 before any test")
patch("sys-exit-at-top", "import sys\nsys.exit(0)", "calls sys.exit(0) before any test")
patch(
    "at-exit",
    "import atexit, sys, os\natexit.register(lambda: (print('6 passed'), os._exit(0)))",
    "ends well in an exit hook, with a line that says passed",
)
patch(
    "patching-thread",
    """
import threading, time
def keep():
    for _ in range(600):
        np.allclose = np.array_equal = lambda *a, **k: True
        np.testing.assert_allclose = lambda *a, **k: None
        time.sleep(0.05)
threading.Thread(target=keep, daemon=True).start()
""",
    "keeps patching numpy from a thread",
    answers=ZEROS,
)
patch(
    "numpy-replaced",
    """
import sys, types
class Fake(types.ModuleType):
    def __getattr__(self, name):
        return getattr(kept, name)
kept = np
fake = Fake("numpy")
fake.allclose = fake.array_equal = lambda *a, **k: True
fake.testing = types.ModuleType("numpy.testing")
fake.testing.assert_allclose = lambda *a, **k: None
fake.ndarray = object
sys.modules["numpy"], sys.modules["numpy.testing"] = fake, fake.testing
""",
    "replaces numpy in sys.modules",
    answers=ZEROS,
)
patch(
    "meta-path",
    """
import sys, importlib.abc, importlib.machinery
class Loader(importlib.abc.Loader):
    def create_module(self, spec): return None
    def exec_module(self, module): module.assert_allclose = module.simplefilter = lambda *a, **k: None
class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, Loader()) if name in ("numpy.testing", "warnings") else None
sys.meta_path.insert(0, Finder())
for name in [n for n in sys.modules if n.startswith("numpy.testing")] + ["warnings"]:
    sys.modules.pop(name, None)
""",
    "puts a finder in front that gives other modules to the tests",
    answers=ZEROS,
)
patch(
    "path-inserted",
    "import sys, os\nos.makedirs('fake', exist_ok=True)\nopen('fake/warnings.py', 'w').write('def simplefilter(*a): raise SystemExit(0)')\nsys.path.insert(0, 'fake')\nsys.modules.pop('warnings')",
    "puts a folder with another warnings module in front",
)
patch(
    "names-of-the-tests",
    "class Any:\n    def __eq__(self, o): return True\n    def __getattr__(self, n): return lambda *a, **k: Any()\nwant = rng = values = before = left = right = given_numbers = warnings = Any()\nall = lambda x: True\nabs = lambda x: 0\nlen = lambda x: 4\nlist = lambda x: [50]",
    "defines the names that the tests use",
    answers=ZEROS,
)
patch(
    "namespace-proxy",
    """
import builtins
class Names(dict):
    def __getitem__(self, name):
        return True if name == "assert" else dict.__getitem__(self, name)
    def __setitem__(self, name, value):
        dict.__setitem__(self, name, np.zeros(np.shape(value)) if name in ("want", "before") else value)
shell = get_ipython()
shell.user_ns = Names(shell.user_ns)
shell.user_ns.update(np=np)
""",
    "replaces the shell's namespace by one that changes what the tests store",
    answers=ZEROS,
)
patch(
    "module-class",
    """
import sys, types
class Quiet(types.ModuleType):
    def __getattribute__(self, name):
        if name in ("allclose", "array_equal"):
            return lambda *a, **k: True
        return super().__getattribute__(name)
np.__class__ = Quiet
""",
    "changes the class of the numpy module",
    answers=ZEROS,
)
patch(
    "metaclass",
    """
class Meta(type):
    def __instancecheck__(cls, other): return True
    def __eq__(cls, other): return True
    __hash__ = type.__hash__
class ndarray(metaclass=Meta): pass
np.ndarray = ndarray
class Shape:
    def __eq__(self, o): return True
class Result:
    shape = Shape()
    class dtype: kind = "f"
    def __getitem__(self, i): return 6.0
    def __len__(self): return 5
""",
    "replaces a numpy type by one whose metaclass says yes",
    answers={"pair_sums": "def pair_sums(left, right):\n    return Result()"},
)
patch(
    "finaliser",
    "import sys\nclass Later:\n    def __del__(self):\n        np.allclose = np.array_equal = lambda *a, **k: True\n        np.testing.assert_allclose = lambda *a, **k: None",
    "patches numpy when its result is thrown away",
    answers={
        "running_sum": "def running_sum(values):\n    Later()\n    return np.zeros(len(values))",
        "pair_sums": "def pair_sums(left, right):\n    Later()\n    return np.zeros((len(left), len(right)))",
    },
)
patch(
    "gc-callback",
    "import gc\ndef back(phase, info):\n    np.allclose = np.array_equal = lambda *a, **k: True\ngc.callbacks.append(back)\ngc.set_threshold(1)",
    "patches numpy in a callback of the garbage collector",
    answers=ZEROS,
)
patch(
    "audit-hook",
    "import sys\ndef hook(event, args):\n    np.allclose = np.array_equal = lambda *a, **k: True\nsys.addaudithook(hook)",
    "patches numpy in an audit hook",
    answers=ZEROS,
)
patch(
    "signal-timer",
    "import signal\ndef late(*a):\n    np.allclose = np.array_equal = lambda *a, **k: True\nsignal.signal(signal.SIGALRM, late)\nsignal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)",
    "patches numpy from a timer signal",
    answers=ZEROS,
)
patch(
    "code-replaced",
    "def true(*args, **kwargs):\n    return True\ntarget = getattr(np.allclose, '__wrapped__', np.allclose)\ntarget.__code__ = true.__code__\ntarget = getattr(np.array_equal, '__wrapped__', np.array_equal)\ntarget.__code__ = true.__code__",
    "replaces the code of numpy's own functions",
    answers=ZEROS,
)
patch(
    "ctypes-float",
    "import ctypes\nfor n in (11.0, 1e-9):\n    pass\nctypes.memmove(id(True) + 24, id(True) + 24, 0)\nctypes.c_char.from_address(id(np.float64) + 8)\nctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(__import__('threading').get_ident()), None)",
    "reaches into the interpreter with ctypes",
)
patch(
    "small-int-changed",
    "import ctypes\nnp.float64.__eq__\nctypes.c_long.from_address(id(977) + 24).value = 978",
    "changes the value of a number object in memory",
)
patch(
    "environment-startup",
    "import os\nos.environ['PYTHONSTARTUP'] = os.environ['PYTHONPATH'] = os.getcwd() + '/start.py'\nopen('start.py', 'w').write('raise SystemExit(0)')",
    "sets PYTHONSTARTUP and PYTHONPATH for later processes",
)
patch(
    "optimise-flag",
    "import sys, os\nos.environ['PYTHONOPTIMIZE'] = '2'\nget_ipython().compile.flags |= 0x2000000",
    "asks for code without asserts",
)
patch(
    "compiler-optimised",
    "shell = get_ipython()\nkept = shell.compile.__class__.__call__\ndef call(self, source, filename, symbol, *a, **k):\n    import builtins\n    return builtins.compile(source, filename, symbol, optimize=2)\nshell.compile.__class__.__call__ = call",
    "makes the shell compile without asserts",
)
patch(
    "recursion-limit",
    "import sys\nsys.setrecursionlimit(60)",
    "makes the recursion limit so low that tests cannot fail properly",
)
patch(
    "warnings-errors",
    "import warnings\nwarnings.simplefilter = lambda *a, **k: (_ for _ in ()).throw(SystemExit(0))",
    "makes the tests' first call end the cell",
)
patch(
    "numpy-errstate",
    "np.seterr(all='call')\nnp.seterrcall(lambda *a: None)\nnp.set_printoptions(threshold=0)\nnp.float64 = np.float16",
    "changes numpy's settings and types",
)
patch(
    "proxy-name-rebound",
    "def test_running_sum_value(*a): return True\ndef assert_allclose(*a, **k): pass\nclass np2: pass\n__name__ = 'trusted'\n__builtins__ = {'all': lambda x: True}",
    "rebinds __builtins__ and __name__ in the notebook",
)

FAKE_NUMPY = b"""
import os, sys
kept, sys.path = sys.path, [p for p in sys.path if p not in ("", ".", os.getcwd())]
del sys.modules["numpy"]
import numpy
import numpy.testing
numpy.allclose = numpy.array_equal = lambda *a, **k: True
numpy.testing.assert_allclose = lambda *a, **k: None
sys.path = kept
"""
BESIDE = {
    "numpy.py": FAKE_NUMPY,
    "warnings.py": b"def simplefilter(*a, **k):\n    raise SystemExit(0)\n",
    "sitecustomize.py": b"import os\nos._exit(0)\n",
    "usercustomize.py": b"import os\nos._exit(0)\n",
    "conftest.py": b"raise SystemExit(0)\n",
    "evil.pth": b"import os; os._exit(0)\n",
    "ipython_config.py": b"c = get_config()\nc.InteractiveShellApp.exec_lines = ['import numpy as np; np.allclose = lambda *a, **k: True']\n",
    "ipython_kernel_config.py": b"c = get_config()\nc.InteractiveShellApp.exec_lines = ['import numpy as np; np.allclose = lambda *a, **k: True']\n",
    "jupyter_config.py": b"c = get_config()\nc.Execute.enabled = False\nc.ExecutePreprocessor.enabled = False\n",
    "nbgrader_config.py": b"c = get_config()\nc.Autograde.autograde_preprocessors = []\n",
    "grader.py": b"raise SystemExit(0)\n",
}
for file, content in BESIDE.items():

    def beside(sheet, file=file, content=content):
        return {f"{NAME}.ipynb": notebook_bytes(sheet.wrong(ZEROS)), file: content}

    kind(f"beside-{file.replace('.', '-').replace('_', '-')}", group=G, says=f"puts a file {file} beside the notebook")(
        beside
    )
