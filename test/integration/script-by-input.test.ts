// covers: src/environments
import assert from "node:assert/strict";
import { test } from "node:test";

import { scriptByInput } from "../../src/environments/containers/run-by-client.ts";
import { runProgram } from "../support/run-program.ts";

const shells = ["bash", "sh"];

test("a script of any length runs and can read the input that follows it", async () => {
  for (const shell of shells) {
    const { reader, input } = scriptByInput(
      `x='${"é'\\''".repeat(50_000)}'\necho \${#x}; cat; exit 7`,
      "mark",
      Buffer.from("typed"),
    );
    const { code, stdout, stderr } = await runProgram(shell, ["-c", reader], {
      input: Buffer.from(input).toString(),
      env: { LC_ALL: "C.UTF-8" },
    });
    assert.deepEqual({ code, stderr }, { code: 7, stderr: "mark\n" });
    assert.match(stdout, /^\d+\ntyped$/u);
  }
});

test("a partial script does not run", async () => {
  for (const shell of shells) {
    const { reader, input } = scriptByInput("echo one\necho two\n", "mark");
    for (let length = 0; length < input.length; length++) {
      const { code, stdout, stderr } = await runProgram(shell, ["-c", reader], {
        input: Buffer.from(input.subarray(0, length)).toString(),
      });
      assert.deepEqual({ code, stdout }, { code: 1, stdout: "" });
      assert.ok(!stderr.startsWith("mark"));
    }
  }
});
