import assert from "node:assert/strict";
import { test } from "node:test";

import { terminalProgram } from "./terminal-programs.ts";

test("programs that need a terminal are recognised by their name", () => {
  for (const [command, name] of [
    ["vi README.md", "vi"],
    ["/usr/bin/vim -R a", "vim"],
    ["EDITOR=x sudo nano /etc/hosts", "nano"],
    ["vim -es +q a", undefined],
    ["ls vi", undefined],
    ["cat a | less", undefined],
    ["", undefined],
  ] as const)
    assert.equal(terminalProgram(command), name, command);
});
