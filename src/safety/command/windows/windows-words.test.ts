import assert from "node:assert/strict";
import test from "node:test";

import { windowsCommands } from "./windows-words.ts";

function lists(text: string, kind: "powershell" | "cmd"): readonly string[] {
  return windowsCommands(text, kind).map((words) => words.map((word) => word.text).join(" "));
}

test("PowerShell is split at pipes, semicolons, groups and blocks", () => {
  assert.deepEqual(lists("Get-Item a; ri 'b c' | iex", "powershell"), ["Get-Item a", "ri b c", "iex"]);
  assert.deepEqual(lists("1..3 | % { Remove-Item $_ }", "powershell"), ["1..3", "%", "Remove-Item $_"]);
  assert.deepEqual(lists("iex (iwr http://x)", "powershell"), ["iex", "iwr http://x"]);
});

test("escapes, comments and assignments do not hide a command", () => {
  assert.deepEqual(lists("Re`move-Item x # note", "powershell"), ["Remove-Item x"]);
  assert.deepEqual(lists("$a = Remove-Item x", "powershell"), ["Remove-Item x"]);
  assert.deepEqual(lists("[IO.File]::Delete('x')", "powershell")[0], "remove-item [IO.File]::Delete");
});

test("cmd.exe lines are split at ampersands and pipes, and a caret escapes", () => {
  assert.deepEqual(lists('d^el "a b" & dir | more', "cmd"), ["del a b", "dir", "more"]);
});

test("an unterminated quote ends with the text", () => {
  assert.deepEqual(lists("del 'a", "powershell"), ["del a"]);
});
