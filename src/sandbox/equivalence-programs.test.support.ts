/** Small honest programs in several styles, and ways to make them wrong: what both sandboxes must agree on. */
import type { PythonValue } from "../values/python-value.ts";
import { functionJob, int, stdioJob, text } from "./program-jobs.test.support.ts";
import type { ProgramJob } from "./sandbox.ts";

const list = (...items: PythonValue[]): PythonValue => ({ type: "list", items });
const ints = (...values: number[]): PythonValue => list(...values.map(int));
const texts = (...values: string[]): PythonValue => list(...values.map(text));
const float = (value: number): PythonValue => ({ type: "float", value });

type Cases = readonly (readonly PythonValue[])[];
const numbers: Cases = [[int(0)], [int(1)], [int(7)], [int(30)]];
const lists: Cases = [[ints()], [ints(3)], [ints(5, -2, 9, 0, 5)], [ints(1, 2, 3, 4, 5, 6, 7, 8)]];
const words: Cases = [[text("")], [text("a")], [text("Hello, World 42")], [text("naïve ünï – 😀 level")]];

const functions: ReadonlyArray<readonly [string, Cases]> = [
  ["def f(n):\n    return sum(k for k in range(n + 1) if k % 3 == 0 or k % 5 == 0)", numbers],
  ["def f(n):\n    a, b = 0, 1\n    for _ in range(n):\n        a, b = b, a + b\n    return a", numbers],
  ["def f(n):\n    return 1 if n <= 1 else n * f(n - 1)", numbers],
  [
    "def f(n):\n    return [k for k in range(2, n + 1) if all(k % d for d in range(2, int(k ** 0.5) + 1))]",
    numbers,
  ],
  [
    "def f(n):\n    count = 0\n    while n > 1 and count < 500:\n        n = n // 2 if n % 2 == 0 else 3 * n + 1\n        count += 1\n    return count",
    numbers,
  ],
  ["def f(n):\n    return {'binary': bin(n), 'hex': hex(n), 'digits': [int(d) for d in str(n)]}", numbers],
  [
    "def f(n):\n    table = [[i * j for j in range(1, 4)] for i in range(1, 4)]\n    return [row[n % 3] for row in table]",
    numbers,
  ],
  [
    "import math\ndef f(n):\n    return (math.gcd(n, 12), math.isqrt(n), round(math.sqrt(n), 6), math.factorial(n % 20))",
    numbers,
  ],
  ["def f(n):\n    return 2 ** (n * 10) - 3 ** n, -n // 4, -n % 4, divmod(n, 7)", numbers],
  [
    "from functools import lru_cache\n@lru_cache(None)\ndef ways(n):\n    return 1 if n < 2 else ways(n - 1) + ways(n - 2)\ndef f(n):\n    return ways(n)",
    numbers,
  ],
  [
    "def f(n):\n    def outer(k):\n        def inner(m):\n            return k * m\n        return inner\n    return [outer(i)(n) for i in range(3)]",
    numbers,
  ],
  [
    "def gen(n):\n    while n > 0:\n        yield n\n        n -= 2\ndef f(n):\n    return list(gen(n))",
    numbers,
  ],
  [
    "from fractions import Fraction\ndef f(n):\n    total = sum(Fraction(1, k) for k in range(1, n + 1))\n    return str(total), float(total) if n < 20 else None",
    numbers,
  ],
  [
    "from decimal import Decimal, getcontext\ndef f(n):\n    getcontext().prec = 20\n    return str(Decimal(n) / Decimal(7))",
    numbers,
  ],
  [
    "import datetime\ndef f(n):\n    day = datetime.date(2024, 2, 27) + datetime.timedelta(days=n)\n    return day.isoformat(), day.weekday()",
    numbers,
  ],
  ["def f(n):\n    return 10 / (n - 7)", numbers],
  ["def f(xs):\n    return sorted(xs, reverse=True)[:3] + [len(xs), max(xs, default=None)]", lists],
  [
    "def f(xs):\n    best = current = 0\n    for x in xs:\n        current = max(0, current + x)\n        best = max(best, current)\n    return best",
    lists,
  ],
  [
    "def f(xs):\n    seen = set()\n    out = []\n    for x in xs:\n        if x not in seen:\n            seen.add(x)\n            out.append(x)\n    return out",
    lists,
  ],
  [
    "def f(xs):\n    for i in range(len(xs)):\n        for j in range(len(xs) - 1 - i):\n            if xs[j] > xs[j + 1]:\n                xs[j], xs[j + 1] = xs[j + 1], xs[j]\n    return xs",
    lists,
  ],
  [
    "def f(xs):\n    if len(xs) < 2:\n        return xs\n    pivot = xs[0]\n    return f([x for x in xs[1:] if x < pivot]) + [pivot] + f([x for x in xs[1:] if x >= pivot])",
    lists,
  ],
  [
    "import bisect\ndef f(xs):\n    tails = []\n    for x in xs:\n        at = bisect.bisect_left(tails, x)\n        tails[at:at + 1] = [x]\n    return len(tails)",
    lists,
  ],
  [
    "import heapq\ndef f(xs):\n    heap = list(xs)\n    heapq.heapify(heap)\n    return [heapq.heappop(heap) for _ in range(min(3, len(heap)))]",
    lists,
  ],
  [
    "from itertools import accumulate, combinations\ndef f(xs):\n    return list(accumulate(xs)), sum(a * b for a, b in combinations(xs, 2))",
    lists,
  ],
  ["def f(xs):\n    return sum(xs) / len(xs)", lists],
  ["import statistics\ndef f(xs):\n    return statistics.median(xs), statistics.pstdev(xs)", lists],
  [
    "from collections import deque\ndef f(xs):\n    queue = deque(xs, maxlen=4)\n    queue.rotate(1)\n    return list(queue)",
    lists,
  ],
  [
    "class Stack:\n    def __init__(self):\n        self.items = []\n    def push(self, x):\n        self.items.append(x)\n        return self\n    def pop(self):\n        return self.items.pop()\ndef f(xs):\n    stack = Stack()\n    for x in xs:\n        stack.push(x)\n    return [stack.pop() for _ in range(len(xs) - 1)]",
    lists,
  ],
  [
    "def f(xs):\n    try:\n        return xs[2] // xs[0]\n    except IndexError:\n        return 'short'\n    finally:\n        xs.clear()",
    lists,
  ],
  ["def f(xs):\n    return tuple(xs), {x: x * x for x in xs}, frozenset(xs), {x % 3 for x in xs}", lists],
  ["def f(s):\n    return s == s[::-1], s.upper(), s.split(), s.replace('l', 'L', 1), len(s)", words],
  ["from collections import Counter\ndef f(s):\n    return sorted(Counter(s.lower()).items())", words],
  ["import re\ndef f(s):\n    return re.findall(r'\\w+', s), re.sub(r'[aeiou]', '*', s)", words],
  [
    "def f(s):\n    return ''.join(chr((ord(c) - 97 + 13) % 26 + 97) if c.islower() and c.isascii() else c for c in s)",
    words,
  ],
  [
    "def f(s):\n    return s.encode(), [ord(c) for c in s][:4], f'{s!r:>20}', '%5s|%-5s' % (s[:3], s[-2:])",
    words,
  ],
  [
    "def f(s):\n    depth = 0\n    for c in s:\n        depth += c == 'l'\n        depth -= c == 'o'\n        if depth < 0:\n            raise ValueError(f'at {c}')\n    return depth",
    words,
  ],
  ["import json\ndef f(s):\n    return json.loads(json.dumps({'s': s, 'n': [1, 2.5, None, True]}))", words],
  [
    "def f(a, b):\n    return [a + b, a - b, a * b, a / b, a // b, a % b, a ** 2, a < b, a == b, round(a, 2)]",
    [
      [float(1.5), float(0.25)],
      [float(-7.25), float(2)],
      [float(1), float(0)],
      [float(1e300), float(1e-300)],
    ],
  ],
  [
    "from dataclasses import dataclass, astuple\n@dataclass(order=True)\nclass P:\n    x: int\n    y: int = 2\ndef f(n):\n    return astuple(max(P(n), P(3, n))), repr(P(n))",
    numbers,
  ],
  [
    "def f(ws):\n    groups = {}\n    for w in ws:\n        groups.setdefault(''.join(sorted(w)), []).append(w)\n    return groups",
    [[texts("eat", "tea", "tan", "ate", "nat", "bat")], [texts()], [texts("", "")]],
  ],
  [
    "def f(n):\n    graph = {0: [1, 2], 1: [3], 2: [3], 3: [4], 4: []}\n    queue, seen = [n % 5], []\n    while queue:\n        node = queue.pop(0)\n        if node in seen:\n            continue\n        seen.append(node)\n        queue += graph[node]\n    return seen",
    numbers,
  ],
];

const scripts: ReadonlyArray<readonly [string, readonly string[]]> = [
  ["n = int(input())\nprint(sum(int(x) for x in input().split()) - n)", ["3\n1 2 3\n", "0\n\n", "x\n"]],
  ["import sys\nfor line in sys.stdin:\n    print(line.strip()[::-1])", ["abc\ndéf\n", ""]],
  ["a, b = map(int, input().split())\nwhile b:\n    a, b = b, a % b\nprint(a)", ["12 18", "7 0", "5"]],
  [
    "import sys\ndata = sys.stdin.read().split()\nprint(len(data), file=sys.stderr)\nprint(*sorted(data), sep='\\n')",
    ["b a c", ""],
  ],
  [
    "n = int(input())\nif n < 0:\n    raise SystemExit(2)\nprint('even' if n % 2 == 0 else 'odd')",
    ["4", "-3", "7"],
  ],
  [
    "def main():\n    total = 0\n    while True:\n        try:\n            total += float(input())\n        except EOFError:\n            break\n    print(f'{total:.3f}')\nmain()",
    ["1.5\n2.25\n", ""],
  ],
];

/** Programs that do something out of the ordinary, each in one way. */
const oddities: readonly string[] = [
  "def f(n): raise ValueError(n)",
  "def f(n): raise KeyError('x')",
  "def f(n): assert n > 3, n",
  "def f(n): return undefined",
  "def f(n): return n.missing",
  "def f(n): return [1, 2][n]",
  "def f(n): return {}[n]",
  "def f(n): return 'a' + n",
  "def f(n): return int('x')",
  "def f(): return 1",
  "def f(n, m): return 1",
  "def f(n): return f",
  "def f(n): pass",
  "def f(n): print(n); return n",
  "def f(n): return f(n + 1)",
  "def f(n):\n    while True: pass",
  "def f(n): return next(iter([]))",
  "def f(n): raise StopIteration",
  "def f(n): raise SystemExit(n)",
  "def f(n): exit()",
  "import os\ndef f(n): os._exit(n)",
  "def f(n): return (k for k in range(n))",
  "def f(n): return lambda: n",
  "def f(n): return type(n)",
  "def f(n): return range(n)",
  "def f(n): return float('nan')",
  "def f(n): return [float('inf'), -0.0, 1e400]",
  "def f(n): return 1j * n",
  "def f(n): return bytes(n)",
  "def f(n): return bytearray(b'abc')[:n]",
  "def f(n): return NotImplemented",
  "def f(n): return ...",
  "def f(n):\n    a = []\n    a.append(a)\n    return a",
  "def f(n):\n    a = 0\n    for _ in range(150): a = [a]\n    return a",
  "def f(n): return 10 ** (n * 200)",
  "def f(n): return 'x' * 10_000_000",
  "def f(n): return [0] * 2_000_000",
  "def f(n):\n    print('x' * 3_000_000)",
  "def f(n): return bytearray(1 << 30)",
  "def f(n) return n",
  "  def f(n): return n",
  "x = 1 / 0",
  "import missing_module",
  "raise SystemExit",
  "def g(n): return n",
  "f = 5",
  "class f:\n    def __init__(self, n): pass",
  "def f(n):\n\treturn 1\n        return 2",
  "async def f(n): return n",
  "def f(*args, **kwargs): return [args, kwargs]",
  "def f(n: int) -> int: return n",
  "def f(n, /): return n",
  "f = lambda n: n + 1",
  "from math import *\ndef f(n): return floor(pi * n)",
  "def f(n):\n    global f\n    f = None\n    return 1",
  "import threading\ndef f(n):\n    out = []\n    t = threading.Thread(target=out.append, args=(n,))\n    t.start(); t.join()\n    return out",
  "import asyncio\nasync def g(n):\n    await asyncio.sleep(0)\n    return n\ndef f(n): return asyncio.run(g(n))",
  "import tempfile\ndef f(n):\n    with tempfile.TemporaryFile('w+') as file:\n        file.write('x' * n); file.seek(0)\n        return file.read()",
  "import random\ndef f(n): return [random.random(), random.randint(0, 9), random.choice('abc')]",
  "import os\ndef f(n): return sorted(os.environ), os.getcwd() == os.environ['HOME']",
  "def f(n): return open('/etc/passwd').read()",
  "def f(n): return input()",
  "def f(n): return __name__, __builtins__ is not None",
  "import sys\ndef f(n): return sys.argv, sys.stdin.read()",
];

/** What a slip of the pen does to a program: each replaces one place. */
const slips: ReadonlyArray<readonly [RegExp, string]> = [
  [/ \+ /g, " - "],
  [/ - /g, " + "],
  [/ \* /g, " + "],
  [/ \/\/ /g, " / "],
  [/ % /g, " // "],
  [/ < /g, " <= "],
  [/ > /g, " >= "],
  [/ <= /g, " < "],
  [/ == /g, " != "],
  [/ and /g, " or "],
  [/ or /g, " and "],
  [/\b0\b/g, "1"],
  [/\b1\b/g, "0"],
  [/\b1\b/g, "2"],
  [/\b2\b/g, "3"],
  [/\b3\b/g, "2"],
  [/\bmax\b/g, "min"],
  [/\bsorted\b/g, "list"],
  [/\bTrue\b/g, "False"],
  [/not in/g, "in"],
  [/return /g, "return None and "],
  [/return /g, "return not "],
  [/\bn\b/g, "(n + 1)"],
  [/\bxs\b/g, "xs[1:]"],
  [/\bs\b/g, "s[:-1]"],
  [/:\n/g, "\n"],
  [/\)/g, ""],
  [/\bfor\b/g, "fro"],
  [/\[(\w+)\]/g, "($1)"],
  [/\bif\b/g, "if not"],
  [/\.append\(/g, ".insert(0, "],
  [/\brange\(/g, "range(1, "],
  [/\blen\(/g, "sum("],
  [/\bint\(/g, "float("],
  [/ {8}(\w)/g, "    $1"],
  [/import (\w+)/g, "import no_$1"],
];

export interface EquivalenceProgram {
  readonly job: ProgramJob;
  /** A slip may make a loop endless that collects something: which limit it hits first is a matter of speed. */
  readonly mutated: boolean;
}

/** The same programs every time: all originals and oddities, then different slips up to `count`. */
export function equivalencePrograms(count: number): EquivalenceProgram[] {
  const originals = [
    ...functions.map(([source, cases]) => functionJob(source, cases)),
    ...scripts.map(([source, inputs]) => stdioJob(source, inputs)),
  ];
  const odd = oddities.map((source) => functionJob(source, [[int(2)], [int(5)]]));
  const programs: EquivalenceProgram[] = [...originals, ...odd].map((job) => ({ job, mutated: false }));
  const known = new Set(programs.map(({ job }) => job.source));
  const random = randomNumbers(20_241_115);
  while (programs.length < count) {
    const job = originals[Math.floor(random() * originals.length)]!;
    let source = slipped(job.source, random);
    if (random() < 0.3) source = slipped(source, random);
    if (known.has(source)) continue;
    known.add(source);
    programs.push({ job: { ...job, source }, mutated: true });
  }
  return programs;
}

function slipped(source: string, random: () => number): string {
  const [pattern, replacement] = slips[Math.floor(random() * slips.length)]!;
  const places = [...source.matchAll(pattern)];
  const place = places[Math.floor(random() * places.length)];
  if (!place) return source;
  const found = place[0];
  const once = found.replace(new RegExp(pattern.source), replacement);
  return source.slice(0, place.index) + once + source.slice(place.index + found.length);
}

/** Mulberry32: short, and the same on every machine. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
