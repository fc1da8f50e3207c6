import assert from "node:assert/strict";
import { test } from "node:test";

import { makes, patchOf, refuses } from "../../../../test/support/patch-case.ts";
import { applyPatch } from "./apply-patch.ts";
import { parsePatch } from "./parse-patch.ts";

const abc = "a\nb\nc\n";

makes("a new file has the lines and a last line end", {}, patchOf("*** Add File: n", "+x", "+y"), { n: "x\ny\n" });
makes("a new file without lines is empty", {}, patchOf("*** Add File: n"), { n: "" });
makes("a new file may have blank lines", {}, patchOf("*** Add File: n", "+", "+x", "+", "+"), { n: "\nx\n\n\n" });
makes(
  "a new file keeps what looks like markers",
  {},
  patchOf("*** Add File: n", "+*** End Patch", "+@@", "+-x", "++y"),
  {
    n: "*** End Patch\n@@\n-x\n+y\n",
  },
);
makes("a new file keeps blanks at line ends", {}, patchOf("*** Add File: n", "+x  ", "+\ty\t"), { n: "x  \n\ty\t\n" });
makes("a new file keeps dollar signs and backslashes", {}, patchOf("*** Add File: n", "+$& \\1 \\n $1"), {
  n: "$& \\1 \\n $1\n",
});
makes("a new file from a CRLF patch has LF", {}, patchOf("*** Add File: n", "+x", "+y").replaceAll("\n", "\r\n"), {
  n: "x\ny\n",
});
makes("a new file alone with CRLF keeps it", {}, patchOf("*** Add File: n", "+x\r", "+y\r"), { n: "x\r\ny\r\n" });
makes("a new file in a new folder", { f: "" }, patchOf("*** Add File: a/b/c.txt", "+x"), { f: "", "a/b/c.txt": "x\n" });
makes("a new file with blanks and signs in its name", {}, patchOf("*** Add File: my file (1) é.txt", "+x"), {
  "my file (1) é.txt": "x\n",
});
makes("a new file named with ./ in front", {}, patchOf("*** Add File: ./n", "+x"), { n: "x\n" });
makes(
  "two new files with a blank line between",
  {},
  patchOf("*** Add File: a", "+x", "", "*** Add File: b", "+y", ""),
  { a: "x\n", b: "y\n" },
);
makes("a deleted file is gone", { f: abc, g: "g" }, patchOf("*** Delete File: f"), { g: "g" });
makes("a file whose name is given as ./f is deleted", { f: abc }, patchOf("*** Delete File: ./f"), {});
makes("a file keeps the spelling of its path", { "./f": abc }, patchOf("*** Update File: f", "-b", "+B"), {
  "./f": "a\nB\nc\n",
});
makes("a file is moved unchanged", { f: abc }, patchOf("*** Update File: f", "*** Move to: d/g"), { "d/g": abc });
makes("a file is moved by Move File", { f: abc }, patchOf("*** Move File: f -> d/g"), { "d/g": abc });
makes(
  "a file is changed and moved",
  { f: abc, h: "h" },
  patchOf("*** Update File: f", "*** Move to: g", "@@", "-b", "+B"),
  {
    h: "h",
    g: "a\nB\nc\n",
  },
);
makes(
  "two files change places",
  { f: "1\n", g: "2\n" },
  patchOf("*** Move File: f -> t", "*** Move File: g -> f", "*** Move File: t -> g"),
  {
    f: "2\n",
    g: "1\n",
  },
);
makes(
  "all kinds in one patch",
  { f: abc, g: "g\n", h: "h\n", i: "i\n" },
  patchOf(
    "*** Update File: f",
    "@@",
    "-b",
    "+B",
    "*** Delete File: g",
    "",
    "*** Add File: n",
    "+n",
    "*** Update File: h",
    "*** Move to: j",
    "@@",
    "-h",
    "+j",
  ),
  { f: "a\nB\nc\n", i: "i\n", n: "n\n", j: "j\n" },
);
makes(
  "a file named twice is changed twice",
  { f: abc },
  patchOf("*** Update File: f", "-b", "+x", "*** Update File: f", "-x", "+y"),
  { f: "a\ny\nc\n" },
);
makes(
  "a second section may go back to the top",
  { f: abc },
  patchOf("*** Update File: f", "-c", "+C", "*** Update File: f", "-a", "+A"),
  {
    f: "A\nb\nC\n",
  },
);
makes("a new file may be changed", {}, patchOf("*** Add File: n", "+x", "*** Update File: n", "-x", "+y"), {
  n: "y\n",
});
makes("a file may be deleted and recreated", { f: abc }, patchOf("*** Delete File: f", "*** Add File: f", "+x"), {
  f: "x\n",
});
makes(
  "a file may be moved and its new name changed",
  { f: abc },
  patchOf("*** Move File: f -> g", "*** Update File: g", "-b"),
  { g: "a\nc\n" },
);
makes("a file may become a folder", { f: abc }, patchOf("*** Update File: f", "*** Move to: f/g"), { "f/g": abc });
makes("an absolute path that is there is used", { "/r/f": abc }, patchOf("*** Update File: /r/f", "-b"), {
  "/r/f": "a\nc\n",
});
makes(
  "a file named __proto__ is a file",
  JSON.parse('{"__proto__":"a\\n"}'),
  patchOf("*** Update File: __proto__", "-a", "+b"),
  JSON.parse('{"__proto__":"b\\n"}'),
);

refuses(
  "a new file does not replace one",
  { f: abc },
  patchOf("*** Add File: f", "+x"),
  /^line 2: f: the file exists already/,
);
refuses(
  "a new file does not replace one under another spelling",
  { "d/f": abc },
  patchOf("*** Add File: d/./x/../f", "+x"),
  /exists already/,
);
refuses(
  "a file is not added twice",
  {},
  patchOf("*** Add File: n", "+x", "*** Add File: n", "+y"),
  /^line 4: n: the file exists/,
);
refuses(
  "a file that is not there is not deleted",
  { f: abc },
  patchOf("*** Delete File: g"),
  /^line 2: g: there is no such file to delete/,
);
refuses(
  "a file that is not there is not changed",
  { f: abc },
  patchOf("*** Update File: g", "-b", "+B"),
  /^line 2: g: there is no such file to update/,
);
refuses(
  "a file that is not there is not moved",
  { f: abc },
  patchOf("*** Move File: g -> h"),
  /^line 2: g: there is no such file/,
);
refuses(
  "a file is not deleted twice",
  { f: abc },
  patchOf("*** Delete File: f", "*** Delete File: f"),
  /^line 3: f: there is no such/,
);
refuses(
  "a deleted file is not changed",
  { f: abc },
  patchOf("*** Delete File: f", "*** Update File: f", "-b"),
  /^line 3: f: /,
);
refuses(
  "a moved file is not changed under its old name",
  { f: abc },
  patchOf("*** Move File: f -> g", "*** Update File: f", "-b"),
  /^line 3: f: /,
);
refuses(
  "a move does not overwrite",
  { f: abc, g: "g" },
  patchOf("*** Update File: f", "*** Move to: g", "-b"),
  /^line 3: g: a file with this name already exists/,
);
refuses(
  "a move does not overwrite what the patch adds",
  { f: abc },
  patchOf("*** Add File: g", "*** Move File: f -> g"),
  /^line 3: g: a file/,
);
refuses(
  "a file is not moved onto itself",
  { f: abc },
  patchOf("*** Update File: f", "*** Move to: ./f", "-b"),
  /^line 3: f: a file with this name already exists/,
);
refuses(
  "a file is not made below a file",
  { f: abc },
  patchOf("*** Add File: f/x/g", "+x"),
  /^line 2: .*f is a file, not a folder/,
);
refuses(
  "a file is not moved below another file",
  { f: abc, g: "" },
  patchOf("*** Move File: f -> g/h"),
  /g is a file, not a folder/,
);
refuses(
  "a file does not replace a folder",
  { "d/f": abc },
  patchOf("*** Add File: d", "+x"),
  /^line 2: d: this is a folder/,
);
refuses(
  "a file does not replace a folder that the patch made",
  {},
  patchOf("*** Add File: d/f", "+x", "*** Add File: d", "+x"),
  /^line 4: d: this is a folder/,
);
refuses(
  "a path does not leave the folder",
  { f: abc },
  patchOf("*** Add File: ../x", "+x"),
  /^line 2: .*leaves the folder/,
);
refuses(
  "a path does not leave the folder on a detour",
  { f: abc },
  patchOf("*** Add File: a/../../x", "+x"),
  /leaves the folder/,
);
refuses(
  "a move does not leave the folder",
  { f: abc },
  patchOf("*** Move File: f -> ../f"),
  /^line 2: .*leaves the folder/,
);
refuses("a new absolute path is refused", { f: abc }, patchOf("*** Add File: /etc/x", "+x"), /^line 2: .*not relative/);
refuses(
  "one bad section spoils all",
  { f: abc, g: "g\n" },
  patchOf("*** Update File: f", "-b", "*** Add File: n", "+x", "*** Update File: g", "-h"),
  /^line 7: g: /,
);
refuses("one bad hunk spoils all", { f: abc }, patchOf("*** Update File: f", "-a", "+A", "@@", "-x"), /^line 5: f: /);

test("each changed path is reported once, with its previous content and origin", () => {
  const files = new Map([
    ["f", "f\n"],
    ["g", "g\n"],
  ]);
  const patch = parsePatch(
    patchOf(
      "*** Move File: f -> t",
      "*** Move File: t -> d/f",
      "*** Update File: d/f",
      "-f",
      "+F",
      "*** Delete File: g",
      "*** Add File: n",
      "+n",
      "*** Add File: gone",
      "*** Delete File: gone",
    ),
  );
  assert.ok(patch.ok);
  const applied = applyPatch(patch.value, (path) => {
    const text = files.get(path);
    return text === undefined ? { kind: "free" } : { kind: "file", text };
  });
  assert.ok(applied.ok);
  assert.deepEqual(applied.value.changes, [
    { path: "f", before: "f\n", after: undefined },
    { path: "d/f", before: undefined, after: "F\n", movedFrom: "f" },
    { path: "g", before: "g\n", after: undefined },
    { path: "n", before: undefined, after: "n\n" },
  ]);
});

test("a target that exists and is not a text file is rejected with the reason", () => {
  const patch = parsePatch(patchOf("*** Add File: d", "+x"));
  assert.ok(patch.ok);
  assert.deepEqual(
    applyPatch(patch.value, () => ({ kind: "other", reason: "a device" })),
    {
      ok: false,
      error: { line: 2, path: "d", message: "a device" },
    },
  );
});
