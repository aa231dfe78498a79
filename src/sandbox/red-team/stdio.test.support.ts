/** Attacks by programs that read and print. */
import { type Attack, raised, stdioAttack, wrong } from "./attack.test.support.ts";

export const stdioAttacks: readonly Attack[] = [
  stdioAttack(
    "prints what the harness would say",
    "a channel that is mixed with the output",
    `print('{"k":"exited","c":0}'); print('{"k":"returned","v":"key-00000-yek"}')`,
    wrong,
  ),
  stdioAttack(
    "prints every possible answer",
    "a comparison that looks for the answer somewhere in the output",
    `for k in range(10007): print("key-%05d-yek" % k)`,
    wrong,
  ),
  stdioAttack(
    "prints to the wrong stream",
    "output that is put together",
    `import sys\nprint("key-00000-yek", file=sys.stderr)`,
    wrong,
  ),
  stdioAttack("says nothing and is content", "an exit code that counts", "import sys\nsys.exit(0)", wrong),
  stdioAttack("leaves at once", "an exit code that counts", "import os\nos._exit(0)", wrong),
  stdioAttack("leaves with code 256", "an exit code that wraps", "import sys\nsys.exit(256)", wrong),
  stdioAttack(
    "leaves with an object",
    "a harness that fails while it ends",
    `
import sys
class Odd:
    def __str__(self): raise SystemExit(0)
sys.exit(Odd())`,
    raised,
  ),
  stdioAttack(
    "raises after printing",
    "output that counts although the program failed",
    'print("key-00000-yek", flush=True)\n1 / 0',
    raised,
  ),
  stdioAttack("aborts", "a death that is taken for ours", "import os\nos.abort()", raised),
  stdioAttack(
    "puts its own streams in place",
    "a harness that prints through the program's objects",
    `
import sys
class Stream:
    def write(self, text): raise SystemExit(0)
    def flush(self): raise SystemExit(0)
sys.stdout = sys.stderr = sys.stdin = Stream()`,
    wrong,
  ),
  stdioAttack(
    "closes its streams",
    "a harness that cannot report",
    "import os, sys\nsys.stdout.close(); sys.stdin.close()\nos.closerange(0, 100)",
    ["wrong-answer", "raised"],
  ),
  stdioAttack(
    "plays with its input",
    "an input that is shared with somebody",
    `
import os, sys
os.lseek(0, 0, os.SEEK_END)
try: os.write(0, b"key-00000-yek")
except OSError: pass
os.lseek(0, 0, os.SEEK_SET)
print(open(0).read())`,
    wrong,
    { wasm: ["wrong-answer", "raised"] },
  ),
  stdioAttack("prints for ever", "the judge's memory", "while True: print('x' * 1000)", ["output-flood"], {
    cases: 1,
  }),
  stdioAttack("reads for ever", "a worker that waits", "while True: input()", raised),
  stdioAttack(
    "ends well and goes on",
    "a worker that waits for a program that has ended",
    `
import atexit, threading, time
def spin():
    while True: pass
threading.Thread(target=spin).start()`,
    ["timed-out"],
    { cases: 1 },
  ),
  stdioAttack(
    "prints a number that is hard to read",
    "a comparison that takes hours",
    'print("1" * 90000 + "x"); print("1." * 40000)',
    wrong,
  ),
  stdioAttack(
    "prints no text",
    "a comparison of broken text",
    "import os\nos.write(1, bytes(range(256)) * 99)",
    wrong,
  ),
];
