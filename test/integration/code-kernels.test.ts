// covers: src/code/kernels, src/code/child/programs
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";

import type { SlashContext } from "../../src/commands/slash-command.ts";
import { kernelsCommand } from "../../src/commands/turns/kernels.ts";
import type { Session } from "../../src/contracts/session/runtime.ts";
import { eventually } from "../support/eventually.ts";
import { kernelRig } from "../support/kernel-rig.ts";
import { slashRun } from "../support/slash-run.ts";
import { testSize } from "../support/test-size.ts";

/** The parts of an outcome that a script decides. */
function seen({
  status,
  output,
  errors,
}: {
  readonly status: string;
  readonly output: string;
  readonly errors: string;
}) {
  return { status, output, errors };
}

test("variables, functions and imports of Python are kept for the next script", async () => {
  await using rig = await kernelRig();
  const first = await rig.run("python", "import json\nrows = [1, 2]\ndef total(): return sum(rows)\nprint('ready')");
  assert.deepEqual(seen(first), { status: "success", output: "ready\n", errors: "" });
  const second = await rig.run("python", "rows.append(3)\njson.dumps(total())");
  assert.deepEqual(seen(second), { status: "success", output: "'6'\n", errors: "" });
  const tools = await rig.run("python", "print(echo('a'), 'no line end', end='')");
  assert.deepEqual(
    [seen(tools), tools.toolCalls],
    [{ status: "success", output: "{'text': 'a'} no line end", errors: "" }, 1],
  );
  const failed = await rig.run("python", "def f():\n    return undefined_name\nf()");
  assert.equal(failed.status, "error");
  assert.match(failed.errors, /^Traceback[^]*File "script-4\.py", line 3, in <module>\n {4}f\(\)[^]*NameError/);
  assert.doesNotMatch(failed.errors, /hermes_kernel/);
  const still = await rig.run("python", "await __import__('asyncio').sleep(0, total())");
  assert.deepEqual(seen(still), { status: "success", output: "6\n", errors: "" });
  assert.deepEqual(seen(await rig.run("python", "exit(3)")), { status: "error", output: "", errors: "" });
  assert.equal((await rig.run("python", "rows")).output, "[1, 2, 3]\n");
  assert.deepEqual(seen(await rig.run("python", "input()")).status, "error");
});

test("variables of TypeScript are kept, including those of const and let", async () => {
  await using rig = await kernelRig();
  const first = await rig.run(
    "typescript",
    `import { join } from "node:path";
import { echo } from "hermes_tools";
interface Row { readonly n: number }
const rows: Row[] = [{ n: 1 }];
let count = await Promise.resolve(1);
class Box { constructor(readonly value: number) {} }
function total(): number { return rows.length + count; }
console.log("ready");`,
  );
  assert.deepEqual(seen(first), { status: "success", output: "ready\n", errors: "" });
  const second = await rig.run(
    "typescript",
    "count += 1;\nconst answer = await echo('x');\n[total(), join('a', 'b'), answer.text]",
  );
  assert.deepEqual(seen(second), { status: "success", output: "[ 3, 'a/b', 'x' ]\n", errors: "" });
  const again = await rig.run("typescript", "const rows = [new Box(5)];\nconsole.log(rows[0].value);");
  assert.deepEqual(seen(again), { status: "success", output: "5\n", errors: "" });
  const failed = await rig.run("typescript", "\nfunction f(): never { throw new Error('no'); }\nf();");
  assert.equal(failed.status, "error");
  assert.match(failed.errors, /^Uncaught Error: no\n {4}at f \(script-4\.ts:2:29\)\n {4}at script-4\.ts:3:1\n*$/);
  assert.match((await rig.run("typescript", "const a = = 1;")).errors, /script\.ts:1\n[^]*SyntaxError/);
  assert.equal((await rig.run("typescript", "await echo('by name')")).output, "{ text: 'by name' }\n");
  assert.equal(
    (await rig.run("typescript", "await import('node:os').then((os) => typeof os.EOL)")).output,
    "'string'\n",
  );
});

for (const [language, busy, asleep, after] of [
  [
    "python",
    "kept = 1\nprint('on', flush=True)\nwhile True: pass",
    "kept = 1\nprint('on')\nimport time; time.sleep(600)",
    "kept",
  ],
  [
    "typescript",
    "let kept = 1;\nawait 1; console.log('on');\nwhile (true) {}",
    "let kept = 1; console.log('on');\nawait new Promise(() => {});",
    "kept",
  ],
] as const)
  for (const [how, code] of [
    ["busy", busy],
    ["asleep", asleep],
  ] as const)
    test(`an interrupt ends a ${language} script that is ${how} and keeps the variables`, async () => {
      await using rig = await kernelRig();
      let hasStarted = false;
      const running = rig.run(language, code, { printed: () => void (hasStarted = true) });
      await eventually(() => hasStarted);
      const { id, isBusy, memoryBytes } = rig.kernel();
      assert.deepEqual([isBusy, memoryBytes > 1_000_000], [true, true]);
      assert.equal(rig.code.interrupt(id), true);
      const outcome = await running;
      assert.equal(outcome.status, "interrupted");
      assert.match(outcome.errors, /Interrupt/);
      assert.deepEqual(seen(await rig.run(language, after)), { status: "success", output: "1\n", errors: "" });
      assert.equal(rig.code.interrupt(id), false);

      const abort = new AbortController();
      hasStarted = false;
      const aborted = rig.run(language, code, { signal: abort.signal, printed: () => void (hasStarted = true) });
      await eventually(() => hasStarted);
      abort.abort();
      assert.equal((await aborted).status, "interrupted");
      assert.equal((await rig.run(language, after)).output, "1\n");
    });

test("a script that times out keeps the kernel", async () => {
  await using rig = await kernelRig({ timeout: 4 });
  await rig.run("python", "kept = 1");
  const slow = await rig.run("python", "import time\nwhile True: time.sleep(0.01)");
  assert.equal(slow.status, "timeout");
  assert.match(slow.errors, /interrupted after 4 s, its time limit/);
  assert.equal((await rig.run("python", "kept")).output, "1\n");
});

test("when a kernel crashes or ends, the report names the lost variables", async () => {
  await using rig = await kernelRig();
  await rig.run("python", "rows = [1]\ndef total(): pass");
  const crashed = await rig.run("python", "print('before', flush=True)\nimport os; os._exit(7)");
  assert.equal(crashed.status, "error");
  assert.equal(crashed.output, "before\n");
  assert.match(
    crashed.lost ?? "",
    /^The Python kernel ended with exit code 7\. Its variables \(rows, total\) are lost/,
  );
  const next = await rig.run("python", "mine = 1");
  assert.deepEqual([next.status, next.lost], ["success", undefined]);
  const { id, pid } = rig.kernel();
  assert.equal(await rig.code.kill(id), true);
  assert.equal(await rig.code.kill(id), false);
  await eventually(() => !existsSync(`/proc/${pid}`));
  assert.deepEqual(rig.code.kernels(), []);
  const after = await rig.run("python", "print(1)");
  assert.match(after.lost ?? "", /^The Python kernel was ended on request\. Its variables \(mine\) are lost/);
  assert.equal(after.status, "success");
  await rig.run("typescript", "const rows = [1]; function total() {}");
  assert.equal((await rig.run("typescript", "process.exit(0);")).status, "success");
  assert.deepEqual(seen(await rig.run("typescript", "process.exit(3);")), { status: "error", output: "", errors: "" });
  const exited = await rig.run("typescript", "process.reallyExit(3)");
  assert.match(
    exited.lost ?? "",
    /^The TypeScript kernel ended with exit code 3\. Its variables \(rows, total\) are lost/,
  );
});

test("a kernel ends when it has been idle for too long, and with the session", async () => {
  const rig = await kernelRig({ kernel_idle_s: 1 });
  await rig.run("python", "x = 1");
  const [first] = rig.code.kernels();
  await eventually(() => rig.code.kernels().length === 0);
  const next = await rig.run("python", "print('x' in globals())");
  assert.equal(next.output, "False\n");
  assert.match(next.lost ?? "", /was idle for 1 s \(code_execution\.kernel_idle_s\)\. Its variables \(x\) are lost/);
  const { pid } = rig.kernel();
  await rig[Symbol.asyncDispose]();
  for (const each of [first?.pid, pid]) assert.equal(existsSync(`/proc/${each}`), false);
});

test("a kernel that uses too much memory ends", async () => {
  await using rig = await kernelRig({ max_memory_mb: 100 });
  await rig.run("python", "kept = 1");
  const outcome = await rig.run(
    "python",
    "parts = []\nfor n in range(400): parts.append(bytearray(1024 * 1024))\nimport time; time.sleep(60)",
  );
  assert.equal(outcome.status, "error");
  assert.match(`${outcome.lost} ${outcome.errors}`, /memory|MemoryError/i);
});

test("scripts of one kernel run one after another, and see the tools of their own call", async () => {
  await using rig = await kernelRig();
  const both = await Promise.all([
    rig.run("python", "import time\nlist = []\ntime.sleep(0.2)\nlist.append(1)"),
    rig.run("python", "list.append(2)\nprint(list)"),
  ]);
  assert.deepEqual(
    both.map(({ output }) => output),
    ["", "[1, 2]\n"],
  );
  const other = [{ name: "other", description: "Another.", inputSchema: { type: "object" } }];
  assert.equal(
    (await rig.run("python", "from hermes_tools import other\nprint(other(a=1))", { tools: other })).output,
    "{'a': 1}\n",
  );
  assert.equal((await rig.run("python", "from hermes_tools import echo", { tools: other })).status, "error");
  assert.equal(
    (await rig.run("typescript", 'import { echo } from "hermes_tools";\nawait echo("a")')).output,
    "{ text: 'a' }\n",
  );
  assert.equal(
    (await rig.run("typescript", 'import { other } from "hermes_tools";\nawait other({ a: 1 })', { tools: other }))
      .output,
    "{ a: 1 }\n",
  );
});

test("kernel output is cut at the end of its script, whatever it contains", async () => {
  await using rig = await kernelRig();
  const large = await rig.run(
    "python",
    "import sys\nfor n in range(3000): print('\\x02' * 40, n)\nprint('end', file=sys.stderr)",
  );
  assert.equal(
    large.captured.bytesTotal,
    Array.from({ length: 3000 }, (_, n) => `${"\u0002".repeat(40)} ${n}\n`).join("").length,
  );
  assert.equal(large.errors, "end\n");
  assert.equal((await rig.run("python", "print('next')")).output, "next\n");
  const closed = await rig.run("python", "import os\nos.close(1)");
  assert.equal(closed.output, "");
});

test("a script that forks, or closes all files, harms only its own kernel", async () => {
  await using rig = await kernelRig({ timeout: 20 });
  const forked = await rig.run("python", "import os\nkept = 1\nchild = os.fork()\nprint('both', flush=True)");
  assert.equal(forked.status, "success");
  // The copy may print after the end of its script.
  assert.match((await rig.run("python", "os.waitpid(child, 0)[1], kept")).output, /^(?:both\n)?\(0, 1\)\n$/u);
  const closed = await rig.run("python", "os.closerange(0, 100)");
  assert.match(
    closed.lost ?? "",
    /^The Python kernel ended with (?:exit code \d+|signal \w+)\. Its variables \(kept, child\) are lost/,
  );
  assert.equal((await rig.run("python", "print('next')")).output, "next\n");
  const replaced = await rig.run(
    "python",
    "import sys, hermes_rpc\nhermes_rpc.call_tool = None\nsys.modules['hermes_tools'] = None\nfrom hermes_tools import echo",
  );
  assert.equal(replaced.status, "error");
});

test("many megabytes of kernel output are cut, with their true size", async () => {
  await using rig = await kernelRig({ timeout: 100 });
  const megabytes = testSize({ quick: 50, full: 300 });
  const code = `line = 'x' * 999_999\nfor n in range(${megabytes}): print(line)\nprint('end')`;
  const large = await rig.run("python", code);
  assert.deepEqual([large.status, large.captured.isTruncated], ["success", true]);
  assert.equal(large.captured.bytesTotal, megabytes * 1_000_000 + 4);
  assert.ok(large.output.length < 60_000);
  assert.match(large.output, /end\n$/);
});

test("/kernels lists, interrupts and ends kernels", async () => {
  await using rig = await kernelRig();
  // Only the members that the command uses.
  const run = slashRun({ session: { code: rig.code } as unknown as Session });
  const kernels = async (args: string) => (await kernelsCommand.run(args, { run } as SlashContext))?.text ?? "";
  assert.match(await kernels(""), /no kernels/);
  let hasStarted = false;
  const running = rig.run("python", "kept = 1\nprint('on')\nwhile True: pass", {
    printed: () => void (hasStarted = true),
  });
  await eventually(() => hasStarted);
  assert.match(await kernels(""), /^ {2}1 python {2}busy, 1 script, \d+ MB, pid \d+$/);
  assert.match(await kernels("interrupt python"), /Interrupted the python kernel/);
  assert.equal((await running).status, "interrupted");
  assert.match(await kernels("list"), /1 python {2}idle for /);
  await assert.rejects(kernels("interrupt 1"), /does not execute a script/);
  await assert.rejects(kernels("kill 2"), /There is no kernel 2/);
  assert.match(await kernels("kill 1"), /Ended the python kernel/);
  assert.match(await kernels(""), /no kernels/);
  assert.match((await rig.run("python", "1")).lost ?? "", /was ended on request/);
});
