import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import type {
  Environment,
  EnvironmentFactory,
  ExecOptions,
  ExecResult,
  ProcessHandle,
  SpawnOptions,
} from "../../src/contracts/environment/environment.ts";
import { assertFails } from "./failure.ts";

export interface Conforming {
  readonly factory: EnvironmentFactory;
  /** An empty folder on the backend that the test cases may fill. */
  readonly folder: string;
  /** Whether the backend has terminals. A backend without them refuses them with a reason. */
  readonly hasTerminals: boolean;
}

/**
 * Tests the guarantees of every backend. `prepare` is called once per case, and its result is disposed afterwards.
 * Cases mainly wait for commands, so several run in parallel if the backend can be prepared more than once in a
 * process. `isLinkOnly` is for a backend that differs from another tested one only in its link: it skips the cases
 * about the code that both share.
 */
export function environmentConformance(
  name: string,
  prepare: () => Promise<Conforming & AsyncDisposable>,
  { concurrency = 4, isLinkOnly = false } = {},
): void {
  describe(`${name} environment`, { concurrency }, () => {
    for (const [title, check] of Object.entries({ ...cases, ...terminalCases, ...(!isLinkOnly && shellCases) })) {
      test(title, async () => {
        await using prepared = await prepare();
        const open = async () => {
          const opened = await prepared.factory.open({ taskId: "conformance", cwd: prepared.folder }, neverAborted());
          assert.ok(opened.ok, JSON.stringify(opened));
          return opened.value;
        };
        await using environment = await open();
        if (title in terminalCases && !prepared.hasTerminals) await refusesTerminals(environment);
        else await check(environment, prepared.folder, open);
      });
    }
  });
}

/** Runs a command that must start successfully. */
export async function run(
  environment: Environment,
  command: string,
  options: Partial<ExecOptions> = {},
): Promise<ExecResult & { readonly text: string }> {
  const ran = await environment.exec(command, { signal: neverAborted(), timeoutMs: 300_000, ...options });
  assert.ok(ran.ok, JSON.stringify(ran));
  return { ...ran.value, text: textOf(ran.value) };
}

function textOf({ head, tail }: Pick<ExecResult, "head" | "tail">): string {
  return Buffer.concat([head, tail]).toString();
}

export function neverAborted(): AbortSignal {
  return new AbortController().signal;
}

type Case = (environment: Environment, folder: string, reopen: () => Promise<Environment>) => Promise<void>;

async function refusesTerminals(environment: Environment): Promise<void> {
  const pty = { columns: 80, rows: 24 };
  const ran = await environment.exec("true", { signal: neverAborted(), timeoutMs: 300_000, pty });
  const spawned = await environment.spawn("true", { owner, pty }, neverAborted());
  for (const refused of [ran, spawned]) assert.equal(!refused.ok && refused.error.kind, "refused");
}

const cases: Readonly<Record<string, Case>> = {
  // ── running ───────────────────────────────────────────────────────────────────────────────────────────────────────
  async "a command's output, exit code and backend are in its result"(environment, folder) {
    const {
      head,
      waitedMs,
      durationMs,
      confined: _,
      ...ran
    } = await run(environment, "echo out; echo err >&2; exit 3");
    assert.deepEqual(ran, {
      ended: "exit",
      exitCode: 3,
      tail: ran.tail,
      totalBytes: 8,
      leftRunning: [],
      cwd: folder,
      carried: true,
      backend: environment.kind,
      text: "out\nerr\n",
    });
    assert.equal(head.length, 8);
    assert.ok(waitedMs >= 0 && durationMs > 0);
  },
  async "exit codes are values"(environment) {
    for (const code of [0, 1, 2, 42, 126, 127, 255]) {
      assert.equal((await run(environment, `(exit ${code})`)).exitCode, code);
    }
    assert.equal((await run(environment, "no-such-program-at-all")).exitCode, 127);
  },
  async "a shell that kills itself ends by a signal and the next command runs"(environment) {
    const { ended, signal, carried } = await run(environment, "cd /; kill -9 $$");
    assert.deepEqual({ ended, signal, carried }, { ended: "signal", signal: "SIGKILL", carried: false });
    assert.equal((await run(environment, "echo alive")).text, "alive\n");
  },
  async "standard input is what was given, else empty"(environment) {
    const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 7) % 256);
    const { head, tail } = await run(environment, "cat", { stdin: bytes });
    assert.ok(Buffer.concat([head, tail]).equals(bytes));
    assert.equal((await run(environment, "cat; echo end")).text, "end\n");
    assert.equal((await run(environment, "head -c 1 >/dev/null; echo end", { stdin: bytes })).text, "end\n");
    assert.equal((await run(environment, "cat /dev/stdin", { stdin: Buffer.from("typed") })).text, "typed");
  },
  async "output is bytes, in the order written, also through /dev/stdout and /dev/stderr"(environment) {
    const { head } = await run(environment, String.raw`printf '\377\000\200'`);
    assert.deepEqual([...head], [0xff, 0, 0x80]);
    const { text } = await run(
      environment,
      "echo 1; echo 2 >&2; echo 3 >>/dev/stdout; echo 4 | tee /dev/stderr; echo 5",
    );
    assert.equal(text, "1\n2\n3\n4\n4\n5\n");
  },
  async "a command of 300 KB runs"(environment) {
    const word = "é😀x".repeat(40_000);
    const { text, exitCode } = await run(environment, `x='${word}'; echo "\${#x}" | wc -l; echo "$x" | cksum`);
    assert.equal(exitCode, 0);
    const { text: sum } = await run(environment, "cksum", { stdin: Buffer.from(`${word}\n`) });
    assert.equal(text.split("\n")[1], sum.trim());
  },
  async "output is handed on while the command runs"(environment) {
    const chunks: Uint8Array[] = [];
    const first = Promise.withResolvers<void>();
    const stop = new AbortController();
    const running = run(environment, "echo one; sleep 30", {
      signal: stop.signal,
      onOutput(chunk) {
        chunks.push(chunk);
        first.resolve();
      },
    });
    await first.promise;
    stop.abort();
    const { ended, text } = await running;
    assert.equal(ended, "aborted");
    assert.equal(Buffer.concat(chunks).toString(), text);
  },
  // ── long output ───────────────────────────────────────────────────────────────────────────────────────────────────
  async "of long output the two ends are in the result and all of it in a file"(environment) {
    const { head, tail, totalBytes, spillPath } = await run(environment, "seq 1 500000");
    assert.equal(totalBytes, 3_388_895);
    assert.ok(head.length + tail.length < 1_000_000);
    assert.ok(Buffer.from(head).toString().startsWith("1\n2\n"));
    assert.ok(Buffer.from(tail).toString().endsWith("\n499999\n500000\n"));
    assert.ok(spillPath !== undefined);
    const file = await environment.files.read(spillPath, neverAborted());
    assert.ok(file.ok && file.value.length === totalBytes);
    assert.ok(Buffer.from(file.value.subarray(0, head.length)).equals(head));
    assert.ok(Buffer.from(file.value.subarray(-tail.length)).equals(tail));
    const lines = Buffer.from(file.value).toString().split("\n");
    assert.ok(
      lines.length === 500_001 && lines.every((line, index) => index === 500_000 || line === String(index + 1)),
    );
  },
  // ── time and interrupt ────────────────────────────────────────────────────────────────────────────────────────────
  async "a timeout is a value, keeps the output so far and leaves no process behind"(environment) {
    const number = uniqueNumber();
    const { ended, text, exitCode } = await run(environment, nest(number), { timeoutMs: 5_000 });
    assert.deepEqual({ ended, exitCode }, { ended: "timeout", exitCode: undefined });
    assert.match(text, /^started\n/);
    assert.equal(await countSleeping(environment, number), 0);
  },
  async "an interrupt is a value and leaves no process behind"(environment) {
    const number = uniqueNumber();
    const stop = new AbortController();
    const onOutput = () => stop.abort();
    const { ended, text } = await run(environment, nest(number), { signal: stop.signal, onOutput });
    assert.equal(ended, "aborted");
    assert.match(text, /^started\n/);
    assert.equal(await countSleeping(environment, number), 0);
  },
  async "a command that ignores every polite signal is ended too"(environment) {
    const number = uniqueNumber();
    const ignoring = `trap '' TERM INT HUP; echo x; while :; do sleep ${number}; done`;
    const stop = new AbortController();
    const { ended } = await run(environment, ignoring, { signal: stop.signal, onOutput: () => stop.abort() });
    assert.equal(ended, "aborted");
    assert.equal(await countSleeping(environment, number), 0);
  },
  async "an interrupt before the start means that nothing runs"(environment, folder) {
    const { ended, totalBytes } = await run(environment, `touch ${folder}/x`, { signal: AbortSignal.abort() });
    assert.deepEqual({ ended, totalBytes }, { ended: "aborted", totalBytes: 0 });
    assert.deepEqual(await environment.files.list(folder, neverAborted()), { ok: true, value: [] });
  },
  async "a background child that holds the pipe cannot hang the call; it is ended and named"(environment) {
    const { text, leftRunning } = await run(environment, "(while :; do echo x; sleep 1; done) & echo done");
    assert.match(text, /^(?:x\n)?done\n/);
    assert.ok(
      leftRunning.some((name) => name.includes("sleep 1")),
      leftRunning.join(),
    );
  },
  async "what a command left running out of sight is ended and named"(environment) {
    const number = uniqueNumber();
    const { text, leftRunning } = await run(
      environment,
      `setsid sleep ${number} >/dev/null 2>&1 </dev/null & echo done`,
    );
    assert.equal(text, "done\n");
    assert.equal(leftRunning.length, 1);
    assert.ok(leftRunning[0]?.includes(`sleep ${number}`));
    assert.equal(await countSleeping(environment, number), 0);
  },
  async "a child that finishes within the drain is waited for"(environment) {
    const { text, leftRunning } = await run(environment, "(sleep 0.05; echo late) & echo done");
    assert.deepEqual({ text, leftRunning }, { text: "done\nlate\n", leftRunning: [] });
  },
  // ── state ─────────────────────────────────────────────────────────────────────────────────────────────────────────
  async "huge variables are carried on without breaking the next command"(environment) {
    await run(
      environment,
      "export HUGE=$(head -c 400000 /dev/zero | tr '\\0' x) RAW=$'\\xff'; readonly FIXED=1; export FIXED",
    );
    const { text } = await run(environment, 'echo "${#HUGE} $FIXED"; unset HUGE; printf %s "$RAW" | od -An -tx1');
    assert.equal(text, "400000 1\n ff\n");
    assert.equal((await run(environment, 'echo "${HUGE-unset}"; true | cat')).text, "unset\n");
  },
  async "parallel commands all start from the same state and do not change it"(environment, folder) {
    await run(environment, "export MODE=kept; say() { echo said $1; }");
    const command = (index: number) =>
      `sleep 0.2; pwd; echo "$MODE"; say ${index}; cd /; export MODE=${index}; say() { :; }`;
    const ran = await Promise.all(Array.from({ length: 10 }, (_, index) => run(environment, command(index))));
    for (const [index, { text, carried }] of ran.entries()) {
      assert.deepEqual({ text, carried }, { text: `${folder}\nkept\nsaid ${index}\n`, carried: false });
    }
    assert.equal((await run(environment, 'pwd; echo "$MODE"; say it')).text, `${folder}\nkept\nsaid it\n`);
  },
  // ── files ─────────────────────────────────────────────────────────────────────────────────────────────────────────
  async "files are written, read, listed, measured, moved and deleted"(environment, folder) {
    const { files } = environment;
    const bytes = Uint8Array.from([0, 255, 10, 13]);
    assert.deepEqual(await files.write("new/deep/file", bytes, neverAborted()), { ok: true, value: undefined });
    const read = await files.read(`${folder}/new/deep/file`, neverAborted());
    assert.deepEqual(read.ok && [...read.value], [0, 255, 10, 13]);
    const part = await files.read("new/deep/file", neverAborted(), { from: 1, bytes: 2 });
    assert.deepEqual(part.ok && [...part.value], [255, 10]);
    const beyond = await files.read("new/deep/file", neverAborted(), { from: 9, bytes: 2 });
    assert.equal(beyond.ok && beyond.value.length, 0);
    await run(environment, "ln -s deep/file new/link; mkfifo new/pipe");
    assert.deepEqual(await files.list("new", neverAborted()), {
      ok: true,
      value: [
        { name: "deep", kind: "folder" },
        { name: "link", kind: "link" },
        { name: "pipe", kind: "other" },
      ],
    });
    const stat = await files.stat("new/deep/file", neverAborted());
    assert.ok(stat.ok && stat.value.kind === "file" && stat.value.bytes === 4 && stat.value.modifiedAt > 1e12);
    assert.deepEqual(await files.realPath("new/link", neverAborted()), { ok: true, value: `${folder}/new/deep/file` });
    assert.deepEqual(await files.realPath("new/none/x", neverAborted()), { ok: true, value: `${folder}/new/none/x` });
    assert.ok((await files.move("new/deep/file", "moved/here", neverAborted())).ok);
    assert.equal((await run(environment, "cat moved/here | wc -c")).text.trim(), "4");
    assert.ok((await files.delete("moved/here", neverAborted())).ok);
    assert.ok((await files.delete("moved", neverAborted())).ok);
  },
  async "what cannot be done with a file is a value that says why"(environment) {
    const { files } = environment;
    await run(environment, "mkdir -p dir/sub; echo a >file; echo b >other; mkfifo pipe; ln -s loop loop");
    const kindOf = (result: Awaited<ReturnType<typeof files.read | typeof files.delete>>) =>
      !result.ok && result.error.kind;
    assert.equal(kindOf(await files.read("none", neverAborted())), "missing");
    assert.equal(kindOf(await files.read("dir", neverAborted())), "not_a_file");
    assert.equal(kindOf(await files.read("pipe", neverAborted())), "not_a_file");
    assert.equal(kindOf(await files.read("file/x", neverAborted())), "not_a_folder");
    assert.equal(kindOf(await files.write("dir", Buffer.from("x"), neverAborted())), "not_a_file");
    assert.equal(kindOf(await files.write("file/x", Buffer.from("x"), neverAborted())), "not_a_folder");
    assert.equal(kindOf(await files.move("file", "other", neverAborted())), "exists");
    assert.equal(kindOf(await files.move("none", "x/y", neverAborted())), "missing");
    assert.equal(kindOf(await files.delete("dir", neverAborted())), "failed");
    assert.equal(kindOf(await files.read("a\0b", neverAborted())), "failed");
    assert.equal(kindOf(await files.read("loop", neverAborted())), "failed");
    assert.equal(kindOf(await files.read("file", AbortSignal.abort())), "aborted");
    assert.equal((await run(environment, "cat other; ls")).text, "b\ndir\nfile\nloop\nother\npipe\n");
  },
  async "writing keeps the mode, and no operation but realPath follows a link"(environment) {
    const { files } = environment;
    await run(
      environment,
      "mkdir dir; echo old >dir/script; chmod 750 dir/script; ln -s dir/script link; ln -s dir to",
    );
    const refusals = [
      await files.read("link", neverAborted()),
      await files.read("to/script", neverAborted()),
      await files.write("link", Buffer.from("x"), neverAborted()),
      await files.write("to/script", Buffer.from("x"), neverAborted()),
      await files.write("to/new/x", Buffer.from("x"), neverAborted()),
      await files.list("to", neverAborted()),
      await files.stat("to/script", neverAborted()),
      await files.delete("to/script", neverAborted()),
      await files.move("to/script", "moved", neverAborted()),
      await files.move("dir/script", "to/moved", neverAborted()),
    ];
    for (const refusal of refusals)
      assert.match(refusal.ok ? "done" : refusal.error.message, /is a link or behind one/u);
    const real = await files.realPath("to/script", neverAborted());
    assert.ok(real.ok && (await files.write(real.value, Buffer.from("new\n"), neverAborted())).ok);
    const { text } = await run(environment, "cat dir/script; test -L link && test -x dir/script && ls; ls -A dir");
    assert.equal(text, "new\ndir\nlink\nto\nscript\n");
  },
  // ── background ────────────────────────────────────────────────────────────────────────────────────────────────────
  async "a background process starts from the state, is read by offset, and tells its true exit code"(environment) {
    await run(environment, "export MODE=kept; say() { echo said $1; }");
    await using handle = await spawn(environment, 'echo "$MODE"; say hi; read line; echo "got $line"; exit 7');
    const first = await untilOutput(handle, "said hi\n");
    assert.equal(first.text, "kept\nsaid hi\n");
    assert.equal(await handle.ending(neverAborted()), undefined);
    assert.ok((await handle.write(Buffer.from("typed\n"), neverAborted())).ok);
    const { endedAt, ...ending } = await handle.wait(neverAborted());
    assert.deepEqual(ending, { how: "exited", exitCode: 7 });
    assert.ok(endedAt >= handle.startedAt);
    const rest = await handle.output(first.next, neverAborted());
    assert.equal(Buffer.from(rest.bytes).toString(), "got typed\n");
    assert.equal(rest.total, first.next + rest.bytes.length);
    assert.equal((await handle.output(rest.next, neverAborted())).bytes.length, 0);
    assertFails(await handle.write(Buffer.from("more"), neverAborted()), /it has ended|its input is closed/u);
    assert.deepEqual(await handle.kill(neverAborted()), { ok: true, value: { ...ending, endedAt } });
    assert.equal(handle.backend, environment.kind);
  },
  async "closing the input of a background process ends what reads it"(environment) {
    await using handle = await spawn(environment, "cat; echo end");
    await handle.write(Buffer.from("a"), neverAborted());
    assert.ok((await handle.closeInput(neverAborted())).ok);
    assert.equal((await handle.wait(neverAborted())).exitCode, 0);
    assert.equal((await untilOutput(handle, "end\n")).text, "aend\n");
  },
  async "killing a background process also kills its child processes"(environment) {
    const number = uniqueNumber();
    await using handle = await spawn(environment, nest(number));
    await untilOutput(handle, "started\n");
    const killed = await handle.kill(neverAborted());
    assert.equal(killed.ok && killed.value.how, "killed");
    assert.deepEqual(await handle.ending(neverAborted()), killed.ok && killed.value);
    assert.equal(await countSleeping(environment, number), 0);
    assert.match(Buffer.from((await handle.output(0, neverAborted())).bytes).toString(), /^started\n/);
  },
  async "a background process that ended is found with its output until it is removed"(environment) {
    const handle = await spawn(environment, "echo out; exit 3");
    await handle.wait(neverAborted());
    const match = await find(environment, handle.id);
    assert.ok(match);
    assert.equal((await match.ending(neverAborted()))?.exitCode, 3);
    assert.equal((await untilOutput(match, "out\n")).text, "out\n");
    await handle.remove(neverAborted());
    assert.equal(await find(environment, handle.id), undefined);
    assert.equal((await handle.output(0, neverAborted())).bytes.length, 0);
  },
  async "waiting for a background process can be given up"(environment) {
    await using handle = await spawn(environment, "sleep 50");
    await assert.rejects(handle.wait(AbortSignal.timeout(100)));
    assert.equal(await handle.ending(neverAborted()), undefined);
  },
  async "background output is complete, in order and by offset, also when there is much"(environment) {
    await using handle = await spawn(environment, "i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done");
    await handle.wait(neverAborted());
    const parts: Uint8Array[] = [];
    for (let from = 0; ;) {
      const { bytes, next, total } = await handle.output(from, neverAborted());
      parts.push(bytes);
      if (next === total) break;
      from = next;
    }
    const expected = Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`).join("");
    assert.equal(Buffer.concat(parts).toString(), expected);
  },
  async "closing the environment ends its commands; a background process goes on and is found again"(
    environment,
    folder,
    reopen,
  ) {
    const number = uniqueNumber();
    const before = await spawn(environment, "echo one; read line; echo two; exit 4");
    await untilOutput(before, "one\n");
    const running = run(environment, `sleep ${number}`);
    await environment[Symbol.asyncDispose]();
    assert.equal((await running).ended, "aborted");
    const after = await environment.exec("true", { signal: neverAborted(), timeoutMs: 1_000 });
    assert.equal(!after.ok && after.error.kind, "unreachable");
    await using again = await reopen();
    assert.equal((await run(again, "pwd")).text, `${folder}\n`);
    assert.equal(await countSleeping(again, number), 0);
    const match = await find(again, before.id);
    assert.ok(match);
    assert.deepEqual(
      { command: match.command, cwd: match.cwd, startedAt: match.startedAt, owner: match.owner },
      { command: before.command, cwd: folder, startedAt: before.startedAt, owner: before.owner },
    );
    assert.ok((await match.write(Buffer.from("go\n"), neverAborted())).ok);
    assert.equal((await match.wait(neverAborted())).exitCode, 4);
    assert.equal((await untilOutput(match, "two\n")).text, "one\ntwo\n");
    await match.remove(neverAborted());
  },
};

/** Cases about code that every link shares: the checks before a command and the script that keeps the state of a shell. */
const shellCases: Readonly<Record<string, Case>> = {
  async "a syntax error is an exit code with the shell's words"(environment) {
    const { exitCode, text } = await run(environment, "echo before; if");
    assert.notEqual(exitCode, 0);
    assert.match(text, /syntax|unexpected|parse/i);
    assert.equal((await run(environment, "echo still fine")).text, "still fine\n");
  },
  async "here-documents, quotes, several lines and a trailing comment run as written"(environment) {
    const command = `cat <<'END' | tr a-z A-Z\nit's "$HOME" \`x\` \\\nEND\nfor i in 1 2; do\n  echo "line $i"\ndone # the end`;
    assert.equal((await run(environment, command)).text, `IT'S "$HOME" \`X\` \\\nline 1\nline 2\n`);
    assert.equal((await run(environment, 'echo "[$#]" "$@"')).text, "[0]\n");
  },
  async "NUL in a command is refused before anything runs"(environment, folder) {
    const refused = await environment.exec(`touch ${folder}/x\0`, { signal: neverAborted(), timeoutMs: 1_000 });
    assert.equal(!refused.ok && refused.error.kind, "refused");
    assert.deepEqual(await environment.files.list(folder, neverAborted()), { ok: true, value: [] });
  },
  async "a listener that throws does not disturb the command"(environment) {
    const onOutput = () => {
      throw new Error("no");
    };
    assert.equal((await run(environment, "echo a; sleep 0.05; echo b", { onOutput })).text, "a\nb\n");
  },
  async "the folder is carried on, also through exit and set -e"(environment, folder) {
    assert.equal((await run(environment, `mkdir -p "a b/it's" && cd "a b"`)).cwd, `${folder}/a b`);
    assert.equal((await run(environment, `cd "it's"; exit 4`)).cwd, `${folder}/a b/it's`);
    assert.equal((await run(environment, "pwd")).text, `${folder}/a b/it's\n`);
    assert.equal((await run(environment, "set -e; cd ..; false; cd ..")).cwd, `${folder}/a b`);
    assert.equal((await run(environment, "cd -")).cwd, `${folder}/a b/it's`);
  },
  async "exported variables, functions and aliases are carried on, more than once"(environment) {
    await run(environment, `export GREETING="it's \\$5 \\"ok\\"" LINES_=$'a\\nb'; PRIVATE=1`);
    await run(environment, `greet() { cat <<END\n$GREETING to $1\n}\nEND\n}; alias hello='greet "world"'`);
    for (const _ of [1, 2]) {
      const { text } = await run(environment, 'hello; echo "$LINES_"; echo "${PRIVATE-unset}"');
      assert.equal(text, `it's $5 "ok" to world\n}\na\nb\nunset\n`);
    }
    await run(environment, "unset GREETING; unset -f greet; unalias hello");
    assert.equal((await run(environment, 'echo "${GREETING-unset}"; hello; greet')).exitCode, 127);
  },
  async "the state can be asked for"(environment, folder) {
    await run(
      environment,
      "mkdir in; cd in; export PATH=/opt/x:$PATH GIT_SSH_COMMAND=evil; git() { echo no; }; alias ls='rm'",
    );
    const state = await environment.state(neverAborted());
    assert.equal(state.cwd, `${folder}/in`);
    assert.ok(state.path.startsWith("/opt/x:"));
    assert.equal(state.programs["GIT_SSH_COMMAND"], "evil");
    assert.deepEqual(state.aliases["ls"], "rm");
    assert.match(state.functions["git"] ?? "", /echo no/);
  },
  async "without PATH and with options set, commands and state still work"(environment) {
    await run(
      environment,
      "set -eu; set -x; set -f; set -C; unset PATH HOME; IFS=0; trap 'echo dbg' DEBUG; export KEPT=1",
    );
    assert.equal((await run(environment, "echo $KEPT *nothing*; false; echo on")).text, "1 *nothing*\non\n");
  },
  async "names of the user's own do not get in the way"(environment) {
    await run(environment, "cd() { :; }; export() { :; }; alias eval=false trap=false printf=false; declare() { :; }");
    await run(environment, "builtin cd /; builtin export KEPT=1");
    assert.equal((await run(environment, 'echo "$PWD $KEPT"')).text, "/ 1\n");
  },
  async "a trap of the command's own runs once and the state is carried"(environment) {
    const { text, cwd } = await run(environment, "trap 'echo bye' EXIT; cd /");
    assert.deepEqual({ text, cwd }, { text: "bye\n", cwd: "/" });
    assert.equal((await run(environment, "trap 'echo bye' EXIT; exit 5")).exitCode, 5);
    assert.equal((await run(environment, "exec sh -c 'echo replaced; exit 6'")).exitCode, 6);
    assert.equal((await run(environment, "echo no trap")).text, "no trap\n");
  },
  async "a folder and variables for one command alone leave the state as it was"(environment, folder) {
    await run(environment, "mkdir other; export MODE=kept");
    const { text, cwd } = await run(environment, 'pwd; echo "$MODE $EXTRA"; cd /; export NEW=1', {
      cwd: "other",
      env: { MODE: "once", EXTRA: "only here" },
    });
    assert.deepEqual({ text, cwd }, { text: `${folder}/other\nonce only here\n`, cwd: folder });
    assert.equal((await run(environment, 'pwd; echo "$MODE ${EXTRA-unset} $NEW"')).text, `${folder}\nkept unset 1\n`);
  },
  async "a command that carries nothing starts from the state and does not change it"(environment, folder) {
    await run(environment, "export MODE=kept");
    const { text, carried } = await run(environment, 'echo "$MODE"; cd /; export MODE=lost', { carry: false });
    assert.deepEqual({ text, carried }, { text: "kept\n", carried: false });
    assert.equal((await run(environment, 'pwd; echo "$MODE"')).text, `${folder}\nkept\n`);
  },
  async "in a folder that is gone the command is not run, and the next one starts above it"(environment, folder) {
    await run(environment, "mkdir -p a/b; cd a/b");
    await run(environment, `rm -r ${folder}/a`);
    const { exitCode, cwd, text } = await run(environment, "touch here");
    assert.deepEqual({ exitCode, cwd }, { exitCode: 126, cwd: folder });
    assert.match(text, /does not exist; the command was not run/);
    assert.equal((await run(environment, "ls; pwd")).text, `${folder}\n`);
    assert.equal((await run(environment, "pwd", { cwd: "nowhere" })).exitCode, 126);
  },
  async "what a background process changes of the state is its own"(environment, folder) {
    await using handle = await spawn(environment, "cd /; export MODE=lost; pwd", { cwd: folder });
    await handle.wait(neverAborted());
    assert.equal((await untilOutput(handle, "/\n")).text, "/\n");
    assert.equal((await run(environment, 'pwd; echo "${MODE-unset}"')).text, `${folder}\nunset\n`);
  },
};

/** Only for backends with terminals. */
const terminalCases: Readonly<Record<string, Case>> = {
  async "a command can have a terminal of a given size"(environment) {
    const { text, exitCode, ended } = await run(environment, "test -t 0 && test -t 1 && stty size; exit 5", {
      pty: { columns: 100, rows: 31 },
    });
    assert.deepEqual({ text, exitCode, ended }, { text: "31 100\r\n", exitCode: 5, ended: "exit" });
  },
  async "a command in a terminal carries its state and leaves nothing behind when its time is up"(environment, folder) {
    const number = uniqueNumber();
    await run(environment, "mkdir in; cd in; export MODE=kept", { pty: { columns: 80, rows: 24 } });
    assert.equal((await run(environment, 'pwd; echo "$MODE"')).text, `${folder}/in\nkept\n`);
    const { ended } = await run(environment, nest(number), { pty: { columns: 80, rows: 24 }, timeoutMs: 5_000 });
    assert.equal(ended, "timeout");
    assert.equal(await countSleeping(environment, number), 0);
  },
  async "a background process in a terminal is typed into, resized and read as a person sees it"(environment) {
    await using handle = await spawn(environment, "bash --norc -i", { pty: { columns: 60, rows: 10 } });
    assert.ok(handle.isTerminal);
    const type = (text: string) => handle.write(Buffer.from(text), neverAborted());
    await type("PS1='> '; printf '\\033[2J\\033[3;5Hhere'; read -r line\r");
    const lines = await untilScreen(handle, (seen) => seen[2]?.startsWith("    here") === true);
    assert.equal(lines.length, 10);
    await type("x\r");
    assert.ok((await handle.resize({ columns: 90, rows: 20 }, neverAborted())).ok);
    // The new size may take a moment to arrive at the backend.
    await type("until [ \"$(stty size)\" = '20 90' ]; do sleep 0.05; done; clear; stty size\r");
    await untilScreen(handle, (seen) => seen.includes("20 90"));
    await type("exit 6\r");
    assert.equal((await handle.wait(neverAborted())).exitCode, 6);
  },
};

const owner = { program: "conformance", session: "session", principal: "person", isKept: false };

/** Removed at the end of the case. */
async function spawn(
  environment: Environment,
  command: string,
  options: Partial<SpawnOptions> = {},
): Promise<ProcessHandle & AsyncDisposable> {
  const spawned = await environment.spawn(command, { owner, ...options }, neverAborted());
  assert.ok(spawned.ok, JSON.stringify(spawned));
  return Object.assign(spawned.value, { [Symbol.asyncDispose]: () => spawned.value.remove(neverAborted()) });
}

async function find(environment: Environment, id: string): Promise<ProcessHandle | undefined> {
  const listed = await environment.processes(neverAborted());
  assert.ok(listed.ok, JSON.stringify(listed));
  return listed.value.find((handle) => handle.id === id);
}

async function untilScreen(handle: ProcessHandle, isRight: (lines: readonly string[]) => boolean) {
  let lines: readonly string[] = [];
  for (let round = 0; round < maxReads; round++) {
    const screen = await handle.screen(neverAborted());
    assert.ok(screen.ok, JSON.stringify(screen));
    lines = screen.value.lines;
    if (isRight(lines)) return lines;
    await pauseBefore(round);
  }
  throw new Error(`never on the screen: ${JSON.stringify(lines)}`);
}

/**
 * Starts processes of every kind: in the group, in their own session, orphaned, in their own group. The shell may
 * report that they ended.
 */
function nest(number: string): string {
  const background = `sleep ${number} & setsid sleep ${number} & (sh -c 'setsid sleep ${number} >/dev/null 2>&1 &')`;
  return `${background}; set -m; sleep ${number} & sleep 0.05; echo started; sleep ${number}`;
}

function uniqueNumber(): string {
  return `27${Math.floor(Math.random() * 1e9)}.5`;
}

async function countSleeping(environment: Environment, number: string): Promise<number> {
  const pattern = `sleep ${number.replace(".", "[.]")}`;
  const command = `cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -o '${pattern}' | wc -l`;
  return Number((await run(environment, command, { carry: false })).text);
}

async function untilOutput(
  handle: ProcessHandle,
  end: string,
): Promise<{ readonly text: string; readonly next: number }> {
  let text = "";
  for (let round = 0; round < maxReads; round++) {
    const { bytes, next } = await handle.output(0, neverAborted());
    text = Buffer.from(bytes).toString();
    if (text.endsWith(end)) return { text, next };
    await pauseBefore(round);
  }
  throw new Error(`no output that ends with ${JSON.stringify(end)} but ${JSON.stringify(text)}`);
}

const maxReads = 600;

/** Pauses longer and longer between two reads, because most backends start several programs for each. */
async function pauseBefore(round: number): Promise<void> {
  await pause(Math.min(10 * 2 ** round, 250));
}
