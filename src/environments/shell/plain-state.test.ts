import assert from "node:assert/strict";
import { test } from "node:test";

import { parseCarriedState } from "./carried-state.ts";
import { dialects } from "./dialect.ts";
import { plainState } from "./plain-state.ts";

const mark = "0123";
const freshOptions =
  "checkwinsize:cmdhist:complete_fullquote:expand_aliases:extquote:force_fignore:globasciiranges:globskipdots:hostcomplete:interactive_comments:patsub_replacement:progcomp:promptvars:sourcepath\n";

/** A dump as bash writes it. */
function dump(left: { exports?: string; aliases?: string; names?: string; functions?: string }): string {
  const { exports = "", aliases = "", names = "", functions = "" } = left;
  const parts = ["/work\n", exports, aliases, freshOptions, names, functions, ""].join(`${mark}\n`);
  return Buffer.from(parts).toString("latin1");
}

function plain(parts: Parameters<typeof dump>[0]) {
  const state = parseCarriedState(dump(parts), mark, dialects.bash);
  assert.ok(state);
  return plainState(state, dialects.bash);
}

test("functions, aliases and unusual exports that a real shell saved are kept", () => {
  const { env, script } = plain({
    exports: 'declare -x A="1"\ndeclare -rx B="2 \\$x"\ndeclare -ax C=([0]="a" [1]="b c")\n',
    aliases: "alias ll='ls -l'\n",
    names: "declare -f f\ndeclare -fx g\n",
    functions: "f () \n{ \n    echo é\n}\ng () \n{ \n    echo g\n}\ndeclare -fx g\n",
  });
  assert.deepEqual(env, { "BASH_FUNC_f%%": "() { \n    echo é\n}", "BASH_FUNC_g%%": "() { \n    echo g\n}" });
  assert.equal(script, 'declare -rx B="2 \\$x"\ndeclare -ax C=([0]="a" [1]="b c")\nexport -nf f\nalias ll=\'ls -l\'\n');
});

test("code in a forged state is dropped and never runs", () => {
  const forged = plain({
    exports: 'declare -rx A="$(evil)"\ndeclare -ax B=([0]=$(evil))\ndeclare -rx C=`evil`\ndeclare -rx D="x";evil\n',
    aliases: "alias x;evil;y='v'\nalias $(evil)='v'\n",
    names: "",
    functions: "evil\n",
  });
  assert.deepEqual(forged, { env: {}, script: "" });
});

test("a forged function is passed on in a form that can only define a function", () => {
  const { env, script } = plain({ names: "declare -f f\n", functions: "f () \n{ \n    :\n}\nevil\n" });
  assert.deepEqual(Object.keys(env), ["BASH_FUNC_f%%"]);
  assert.equal(script, "export -nf f\n");
});
