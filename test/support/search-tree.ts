import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Files that are difficult to search: names, encodings, line ends, binaries, links, long lines. */
export async function makeSearchTree(folder: string): Promise<void> {
  const wide = Buffer.from("foo wide\nbär\n", "utf16le");
  const files: Readonly<Record<string, string | Uint8Array>> = {
    "a.txt": "foo bar\nbaz\n\nFoo_bar foo-bar\n  lead\ttab\ntrail  \nxfoox\naaa\n",
    "crlf.txt": "foo\r\nbar foo\r\n\r\nlone\rcr\r\nend",
    empty: "",
    "bom.txt": "\ufefffoo first\nbar\n",
    "u16le.txt": Buffer.concat([Buffer.of(0xff, 0xfe), wide]),
    "u16be.txt": Buffer.concat([Buffer.of(0xfe, 0xff), Buffer.from(wide).swap16()]),
    bin: "foo\n\0bar\n",
    latebin: `foo\n${"some words\n".repeat(8000)}\0foo\n`,
    "latin.txt": Buffer.from("caf\xe9 foo\nna\xefve \xff\xfe bar\nfoo\xe9bar\n", "latin1"),
    "uni.txt": "über Straße ΣΑΣ σας ſtop K K\nélan é 日本語 foo\n😀 foo 😀bar\nא ב\n\u2028sep\u2028foo\u0085x\n",
    nonl: "foo\nbar foo",
    blank: "\n\n\nfoo\n\n",
    "code.ts":
      "import a from 'a';\nimport b from 'b';\n\nexport function foo(x: number) {\n  return { x, $y: \"q\" };\n}\n" +
      "// a+b [c] (d) {e} ^f $g h|i \\j\nif (a && b) { foo(1); }\n",
    "x/é n\nl.txt": "foo in an odd name\n",
    "x/'q\" $HOME`.txt": "foo quoted\n",
    "-dash.txt": "foo dash\n",
    "long.js": `${"y".repeat(3000)}foo${"z".repeat(40_000)}\nfoo\n`,
    "==> fake <==": "==> /dev/null <==\n\n==> ./a.txt <==\nfoo\n",
    ".hidden": "foo hidden\n",
    ".dot/inner.txt": "foo inner\n",
    "dist/out.js": "foo built\n",
    "logs/a.log": "foo log\n",
    "logs/keep.log": "foo kept\n",
    "sub/.gitignore": "!keep.log\n/only-here\n",
    "sub/keep.log": "foo sub\n",
    "sub/only-here": "foo here\n",
    "sub/deep/only-here": "foo deep\n",
    "nested/.git/info/exclude": "secret*\n",
    "nested/secret.txt": "foo excluded\n",
    "nested/dist/out.js": "foo of another repository\n",
    "rg/.rgignore": "!a.log\n",
    "rg/a.log": "foo rg\n",
    ".gitignore": "dist/\n*.log\n!logs/keep.log\n",
  };
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  await symlink("a.txt", join(folder, "link"));
  await symlink(".", join(folder, "loop"));
  await symlink("nowhere", join(folder, "dead"));
}
