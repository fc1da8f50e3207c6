// covers: test/fixtures/commands
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { ordinaryFolder } from "./check-lines.ts";
import { type CommandJudgement, judgeCommand } from "./judge-command.ts";

interface Line {
  readonly command: string;
  readonly verdict: CommandJudgement["verdict"];
}

const folder = join(import.meta.dirname, "../../../test/fixtures/commands");

test("everyday commands run without approval", () => {
  const { lines, wrong } = score("safe-*.jsonl");
  assert.ok(lines >= 1_200, `${lines} lines`);
  assert.deepEqual(
    wrong.filter((line) => line.startsWith("hardline")),
    [],
  );
  assert.ok(wrong.length / lines <= 0.015, listed(wrong));
});

test("hardline commands of the held-out corpus are refused", () => {
  const { lines, wrong } = score("held-out-hardline.jsonl");
  assert.ok(wrong.length / lines <= 0.01, listed(wrong));
});

test("dangerous commands of the held-out corpus need approval", () => {
  const { lines, wrong } = score("held-out-{files,code,machine}.jsonl");
  assert.ok(lines >= 700, `${lines} lines`);
  assert.ok(wrong.length / lines <= 0.02, listed(wrong));
});

test("the commands for which the rules were written get the expected verdict", () => {
  const { lines, wrong } = score("dangerous-*.jsonl");
  assert.ok(wrong.length / lines <= 0.01, listed(wrong));
});

test("known bypasses, and similar harmless commands, keep their verdict", () => {
  const { lines, wrong } = score("*-verdict.jsonl");
  assert.ok(lines >= 300, `${lines} lines`);
  assert.deepEqual(wrong, []);
});

/** A dangerous command that is refused counts as detected, too. */
function score(files: string): { readonly lines: number; readonly wrong: readonly string[] } {
  const lines = globSync(files, { cwd: folder }).flatMap((file) =>
    readFileSync(join(folder, file), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Line),
  );
  const wrong = lines.flatMap(({ command, verdict }) => {
    const { verdict: actual, findings } = judgeCommand(command, ordinaryFolder);
    const isFound = actual === verdict || (verdict === "dangerous" && actual === "hardline");
    return isFound ? [] : [`${actual} instead of ${verdict}: ${command}  ${findings[0]?.sentence ?? ""}`];
  });
  return { lines: lines.length, wrong };
}

function listed(wrong: readonly string[]): string {
  return `${wrong.length} are wrong:\n${wrong.join("\n")}`;
}
