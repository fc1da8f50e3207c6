import assert from "node:assert/strict";
import { test } from "node:test";

import { parseCarriedState, describeState } from "./carried-state.ts";
import { dialects } from "./dialect.ts";

const mark = "-mark-";

function dump(
  parts: Partial<Record<"cwd" | "exports" | "aliases" | "options" | "names" | "functions", string>>,
): string {
  const {
    cwd = "/project\n",
    exports = "",
    aliases = "",
    options = "expand_aliases\n",
    names = "",
    functions = "",
  } = parts;
  return [cwd, exports, aliases, options, names, functions, ""].join(`${mark}\n`);
}

const fresh =
  "checkwinsize:cmdhist:complete_fullquote:expand_aliases:extquote:force_fignore:hostcomplete:interactive_comments:progcomp:promptvars:sourcepath\n";

test("plain exports are passed in the environment, and all other state in the script", () => {
  const state = parseCarriedState(
    dump({
      options: fresh,
      exports: `declare -x A="it's"\ndeclare -x PWD="/x"\ndeclare -x NOVALUE\ndeclare -rx FIXED="1"\ndeclare -ax LIST=([0]="a b")\ndeclare -x RAW=$'\\377'\n`,
      aliases: "alias ll='ls -l'\n",
    }),
    mark,
    dialects.bash,
  );
  assert.deepEqual(state, {
    cwd: "/project",
    exports: new Map([
      ["A", "it's"],
      ["FIXED", "1"],
    ]),
    script: `declare -x NOVALUE\ndeclare -rx FIXED="1"\ndeclare -ax LIST=([0]="a b")\ndeclare -x RAW=$'\\377'\nalias ll='ls -l'\n`,
    functions: {},
    aliases: { ll: "ls -l" },
    options: "",
    odd: ["declare -x NOVALUE", 'declare -rx FIXED="1"', 'declare -ax LIST=([0]="a b")', "declare -x RAW=$'\\377'"],
  });
});

test("a truncated state is rejected", () => {
  const whole = dump({ exports: `declare -x A="1"\n` });
  for (let length = 0; length < whole.length; length++) {
    assert.equal(parseCarriedState(whole.slice(0, length), mark, dialects.bash), undefined);
  }
});

test("options that differ from a fresh shell are set before the functions that need them", () => {
  const options = `${fresh.replace("cmdhist:", "").trim()}:extglob\n`;
  const state = parseCarriedState(
    dump({ options, names: "declare -f f\n", functions: "f () \n{ \n    :\n}\n" }),
    mark,
    dialects.bash,
  );
  assert.equal(state?.script, "shopt -s extglob\nshopt -u cmdhist\nf () \n{ \n    :\n}\n");
});

test("the description lists each function separately; if a here-document imitates a function, each function has the whole text", () => {
  const names = "declare -f a\ndeclare -fx b\n";
  const honest = "a () \n{ \n    :\n}\nb () \n{ \n    rm x\n}\n";
  assert.deepEqual(parseCarriedState(dump({ names, functions: honest }), mark, dialects.bash)?.functions, {
    a: "a () \n{ \n    :\n}",
    b: "b () \n{ \n    rm x\n}\n",
  });
  const forged = `a () \n{ \n    cat <<E\n}\nb () \n{ \nE\n    rm y\n}\n${honest.slice(honest.indexOf("b"))}`;
  assert.deepEqual(parseCarriedState(dump({ names, functions: forged }), mark, dialects.bash)?.functions, {
    a: forged,
    b: forged,
  });
});

test("the state of a zsh with a tied `path` array is parsed", () => {
  const state = parseCarriedState(
    dump({
      exports: "export -T PATH path=( /usr/bin '/a b' )\nexport -i10 SHLVL=2\nexport GIT_PAGER=less\n",
      options: "",
    }),
    mark,
    dialects.zsh,
  );
  assert.ok(state);
  const shown = describeState(state, state.exports);
  assert.equal(shown.path, "/usr/bin:/a b");
  assert.deepEqual(shown.programs, { GIT_PAGER: "less" });
});
