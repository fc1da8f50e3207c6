import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { equivalents, oddText, wrapped } from "../../../test/support/command-generators.ts";
import { scripts } from "../../../test/support/script-generators.ts";
import { ordinaryFolder } from "./check-lines.ts";
import { judgeCommand } from "./judge-command.ts";

const hardline = [
  ["rm", "-rf", "/"],
  ["rm", "-rf", "/etc"],
  ["rm", "-r", "--no-preserve-root", "/home"],
  ["mkfs.ext4", "/dev/sda1"],
  ["dd", "if=/dev/zero", "of=/dev/sda"],
  ["shutdown", "-h", "now"],
  ["reboot"],
  ["systemctl", "poweroff"],
  ["kill", "-9", "-1"],
  ["init", "0"],
];

const dangerous = [
  ["rm", "-rf", "build"],
  ["git", "reset", "--hard"],
  ["git", "push", "--force"],
  ["chmod", "777", "x"],
  ["kubectl", "delete", "ns", "prod"],
  ["systemctl", "stop", "nginx"],
  ["npm", "publish"],
  ["terraform", "destroy"],
  ["cat", "/home/user/.ssh/id_rsa"],
  ["crontab", "-r"],
];

const harmless = [
  ["ls", "-la"],
  ["git", "status"],
  ["npm", "run", "build"],
  ["grep", "-rn", "rm -rf /", "src"],
  ["cat", "README.md"],
];

test("a hardline command is recognised in every equivalent spelling", () => {
  keeps(hardline, (command) => assert.equal(judge(command), "hardline", command));
});

test("a dangerous command never counts as safe in any equivalent spelling", () => {
  keeps(dangerous, (command) => assert.notEqual(judge(command), "safe", command));
});

test("a harmless command inside another program stays harmless, unless its code is encoded", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...harmless).chain((argv) => wrapped(argv.map(quoted).join(" "))),
      (command) => {
        if (/base64|xxd|rev|tr a-z|python3|perl/u.test(command)) return;
        assert.equal(judge(command), "safe", command);
      },
    ),
  );
});

test("a fork bomb is recognised by its effect, not by its name", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{1,8}$/u), fc.constantFrom(" ", "\n"), (name, gap) => {
      fc.pre(
        ![
          "if",
          "do",
          "in",
          "fi",
          "case",
          "done",
          "elif",
          "else",
          "esac",
          "for",
          "then",
          "time",
          "until",
          "while",
        ].includes(name) && !["select", "coproc", "function"].includes(name),
      );
      assert.equal(judge(`${name}()${gap}{ ${name}|${name}& };${name}`), "hardline");
    }),
  );
});

test("the analysis never throws for any text", () => {
  const signs = [
    "$(",
    "`",
    "${",
    "((",
    "[[",
    "{",
    "}",
    ")",
    "<<E\n",
    "\nE\n",
    "'",
    '"',
    "\\",
    "$'",
    "|",
    "&",
    ";",
    "\n",
  ];
  const words = [
    "if ",
    "then ",
    "fi",
    "while ",
    "do ",
    "done",
    "case x in ",
    "esac",
    "f() ",
    "rm",
    "-rf",
    "/",
    "x=",
    "$x",
  ];
  const others = [
    ">",
    "<",
    "<(",
    "{a,b}",
    "{1..9}",
    "eval ",
    "sh -c ",
    "sudo ",
    "xargs ",
    "${x:-",
    "#",
    "!",
    "~",
    "\0",
    "*",
  ];
  const pieces = fc.constantFrom(...signs, ...words, ...others);
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
      judge(parts.join(""));
    }),
  );
  fc.assert(fc.property(oddText(300), (text) => void judge(text)));
  fc.assert(fc.property(scripts(), (text) => void judge(text)));
});

test("extremely nested commands need approval, and the analysis does not crash", () => {
  for (const [open, close] of [
    ["$(", ")"],
    ["(", ")"],
    ["{ ", "; }"],
    ["${a:-", "}"],
    ["$((", "))"],
    ["{a,", "}"],
    ["<(", ")"],
    ["if ", "; then a; fi"],
    ["while ", "; do a; done"],
    ["case a in a) ", ";; esac"],
    ['"$(', ')"'],
  ] as const) {
    assert.equal(judge(`${open.repeat(5_000)}echo hi${close.repeat(5_000)}`), "dangerous", open);
    assert.equal(judge(open.repeat(5_000)), "dangerous", open);
  }
});

function keeps(argvs: readonly (readonly string[])[], check: (command: string) => void): void {
  fc.assert(fc.property(fc.constantFrom(...argvs).chain(equivalents), check));
}

function judge(command: string): string {
  return judgeCommand(command, ordinaryFolder).verdict;
}

function quoted(word: string): string {
  return /^[\w./-]+$/u.test(word) ? word : `'${word}'`;
}
