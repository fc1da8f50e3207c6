// covers: src/safety
import assert from "node:assert/strict";
import { test } from "node:test";

import { noShellSandbox } from "../support/verdict/shell-sandbox.ts";
import { corpusCommands, everydayShares, missedIn, verdictRound } from "../support/verdict/verdict-round.ts";

test(
  "the analysis predicts every program that ran and every file that changed, or reports that it cannot",
  { skip: noShellSandbox() },
  async () => {
    const corpus = corpusCommands("{safe-everyday,dangerous-hardline}.jsonl");
    const { scripts, effects, unresolved, misses } = await verdictRound({ seed: 20_261_116, count: 120, corpus });
    assert.deepEqual(misses, []);
    assert.ok(effects >= scripts, `${effects} effects of ${scripts} scripts`);
    assert.ok(unresolved <= scripts * 0.6, `${unresolved} of ${scripts} are unresolved`);
  },
);

test("scripts that the analysis once misread are analysed correctly", { skip: noShellSandbox() }, async () => {
  const scripts = [
    // Braces around other expansions.
    "touch {${x:dist/{css}},b}",
    "p {${x:-{a,b}},c} {${x:-a}}b,c} {a}b,c}",
    'p {$(echo a,b),c} {`echo a,b`,c} {"$(echo "}")",c}',
    "p {<(echo a,b),c} a{b,c}$(echo d{e,f})",
    "p $'{a,\\'b,c}' $(echo $'a)\\'b')",
    // A word that may be an option of echo.
    'z=$(printf %s -n "$z"); p "$(echo "$z")" "$(echo "$z" a)" "$(echo $y a)"',
    // Subscripts are evaluated, and quotes do not end a word.
    `list=(['x==y']=1); p "$list" "\${list[@]}"`,
    `x='$(p <(q)'\\'''\\''lete)'; echo "\${x@P}"`,
    // A shell without brace expansion prints something else there.
    "$({echo,a} b) p x",
    "f() { {echo,a}; }; $(f) p x",
    // Bash expands here-documents and here-strings that no command reads.
    "x=a <<E\n$(p x)\nE",
    "<<E\n`p x`\nE",
    "cat <<E <<F\n$(p x)\nE\nz\nF",
    "{ :; } <<E <<F\n$(p x)\nE\nz\nF",
    'x=a <<< "$(p x)"; cat <<< "$(p y)" <<< b',
    // Values of options are not commands.
    "sudo -l -U user",
    "sudo -U user -l p",
    "sudo -Hu user p x",
    // The outer find reads the inner one up to the first end.
    "find . -maxdepth 0 -exec find . -name a.txt -exec p {} + \\;",
    "find . -maxdepth 0 -exec find . -name a.txt -exec touch x \\; -exec p {} \\;",
    // A script that is written before, during or after it is read.
    "echo p x > s.sh; echo p y | tee s.sh | bash s.sh",
    "echo p x > s.sh; bash s.sh | echo touch y > s.sh",
    "sleep 0.1 | bash s.sh | echo touch y > s.sh",
    "echo p x > s.sh; { sleep 0.1; bash s.sh; } & echo touch y > s.sh; wait",
    "echo touch y > t.sh; echo p x > s.sh; mv t.sh s.sh | sleep 0.1 | bash s.sh",
  ];
  assert.deepEqual(await missedIn(scripts), []);
});

test("everyday commands are rarely unresolved", () => {
  const { commands, needApproval, unresolved } = everydayShares();
  assert.ok(commands >= 3_000, `${commands} commands`);
  assert.ok(unresolved <= 0.005, `${unresolved} unresolved`);
  assert.ok(needApproval <= 0.01, `${needApproval} need approval`);
});
