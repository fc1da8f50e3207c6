import { quoteForShellIfNeeded } from "../../../base/text/shell-quote.ts";
import { startsWithCommonProgram } from "../../code/reading/common-programs.ts";
import { type Field, hole, knownField } from "../shell/field.ts";
import { type CodeOptions, readInterpreterArguments } from "./interpreter-arguments.ts";
import { inputCode, type Interpreted, type Interpreter } from "./interpreter.ts";

/**
 * Handles languages for which there is no analysis: searches the code outside of strings for names that can start,
 * delete or send something. If there is one, every string of several words counts as a command.
 */
function searched(acts: RegExp, shape: Omit<CodeOptions, "language">): Interpreter {
  return (ran) => {
    const { codes, operands } = readInterpreterArguments(ran.argv.slice(1), { language: "python", ...shape });
    if (codes.length > 0) return join(codes.map((code) => judge(code, acts)));
    const { text, rules } = inputCode(ran, operands[0]);
    return join([{ codes: [], rules }, ...(text ? [judge(text, acts)] : [])]);
  };
}

function judge({ text }: Field, acts: RegExp): Interpreted {
  if (text.startsWith(hole)) return { codes: [], rules: ["unknown_code"] };
  const texts = [...text.matchAll(/"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`([^`]*)`/gsu)];
  const bare = text.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/gsu, '""');
  if (!acts.test(bare)) return { codes: [] };
  const commands = texts.map(([, double, single, back]) =>
    (double ?? single ?? back ?? "").replaceAll(/\\(.)/gsu, "$1"),
  );
  return { codes: [], rules: ["inline_code"], shell: commands.filter((command) => /\S\s/u.test(command)) };
}

function join(list: readonly Interpreted[]): Interpreted {
  return {
    codes: [],
    rules: [...new Set(list.flatMap(({ rules = [] }) => rules))],
    shell: list.flatMap(({ shell = [] }) => shell),
  };
}

/** Handles `crystal eval 'code'`: the words after the verb are code. */
function afterVerb(verb: RegExp, interpreter: Interpreter): Interpreter {
  return (ran, name) => {
    const index = ran.argv.findIndex(({ text }) => verb.test(text));
    if (index < 0) return { codes: [] };
    const code = ran.argv.slice(index + 1).find(({ text }) => !text.startsWith("-"));
    return interpreter({ ...ran, argv: [...ran.argv.slice(0, 1), ...(code ? [knownField("-e"), code] : [])] }, name);
  };
}

/** Handles `gdb -ex 'shell date'`. */
const gdb: Interpreter = (ran) => {
  const { codes } = readInterpreterArguments(ran.argv.slice(1), {
    language: "python",
    longCode: ["ex", "iex", "eval-command", "init-eval-command"],
    longValued: ["x", "command", "p", "pid", "d", "directory"],
    hasSingleDash: true,
    isPrefix: false,
  });
  const shell = codes.flatMap(({ text }) => /^\s*(?:shell\s|!|pipe\s|make\s)\s*([^]*)$/u.exec(text)?.[1] ?? []);
  const scripts = codes.flatMap((code) => {
    const text = /^\s*(?:python|pi|py)\s([^]*)$/u.exec(code.text)?.[1];
    return text === undefined ? [] : [{ language: "python" as const, text: { ...code, text }, args: [] }];
  });
  const index = ran.argv.findIndex(({ text }) => text === "--args" || text === "-args");
  const commands = index < 0 ? [] : [ran.argv.slice(index + 1)];
  return { codes: scripts, commands, shell, rules: shell.every(startsWithCommonProgram) ? [] : ["inline_code"] };
};

const r = searched(
  /\b(?:system2?|shell|shell\.exec|unlink|file\.remove|pipe|socketConnection|download\.file|eval|source|do\.call|Sys\.setenv|POST|processx)\b/u,
  { code: "e", valued: "f", isPrefix: true },
);
const erlang = searched(
  /\bos\s*:\s*cmd\b|\bopen_port\b|\bfile\s*:\s*del|\bgen_tcp\b|\bapply\b|\binit\s*:\s*stop\b.*\bos\b/u,
  {
    longCode: ["eval"],
    hasSingleDash: true,
  },
);

const elixirCode = searched(
  /\bSystem\.(?:cmd|shell)\b|\b:os\.cmd\b|\bFile\.rm|\bPort\.open\b|\bCode\.eval|\bHTTP|\bapply\b/u,
  { code: "e", longCode: ["eval"] },
);

/** Handles `-S mix task`, which runs another program. */
const elixir: Interpreter = (ran, name) => {
  const judged = elixirCode(ran, name);
  const index = ran.argv.findIndex(({ text }) => text === "-S");
  if (index < 0) return judged;
  const program = ran.argv.slice(index + 1).map(({ text }) => quoteForShellIfNeeded(text));
  return { ...judged, shell: [...(judged.shell ?? []), program.join(" ")] };
};

const nimCode = searched(
  /\b(?:execShellCmd|execCmd\w*|exec|selfExec|gorge\w*|staticExec|rm(?:Dir|File)|mv(?:Dir|File)|remove(?:File|Dir)|cp(?:Dir|File)|writeFile)\b/u,
  { longCode: ["eval"] },
);

/** Handles `--eval:CODE`. */
function evalWord(word: Field): Field {
  return word.text.startsWith("--eval:") ? { ...word, text: `--eval=${word.text.slice("--eval:".length)}` } : word;
}

export const otherInterpreters: Readonly<Record<string, Interpreter>> = {
  "rscript r": r,
  julia: searched(/\b(?:run|rm|read|open|connect|download|eval|Meta|ccall|pipeline|include_string)\s*\(|`/u, {
    code: "eE",
    longCode: ["eval", "print"],
    isPrefix: true,
  }),
  osascript: searched(
    /\bdo\s+shell\s+script\b|\bdelete\b|\bempty\b|\bkeystroke\b|\brun\s+script\b|\bshut\s+down\b|\brestart\b/u,
    { code: "e", valued: "ls" },
  ),
  "elixir iex": elixir,
  erl: erlang,
  groovy: searched(/\.\s*execute\b|\.\s*delete|\bProcessBuilder\b|\bRuntime\b|\bevaluate\b|\bSocket\b|\bdeleteDir\b/u, {
    code: "e",
  }),
  scala: searched(/\bsys\.process\b|\bProcess\b|\bRuntime\b|\.\s*delete|\bSocket\b|!!?/u, { code: "e" }),
  kotlin: searched(/\bProcessBuilder\b|\bRuntime\b|\.\s*delete|\bSocket\b/u, { code: "e" }),
  octave: searched(/\b(?:system|shell_cmd|unlink|delete|rmdir|popen|exec|eval|urlread)\b/u, { longCode: ["eval"] }),
  matlab: searched(/\b(?:system|dos|unix|delete|rmdir|eval)\b|!/u, {
    longCode: ["batch", "r"],
    hasSingleDash: true,
  }),
  gnuplot: searched(/\bsystem\b|\bset\s+output\b|`|^\s*!/u, { code: "e" }),
  guile: searched(/\b(?:system\*?|delete-file|open-pipe\*?|rmdir|primitive-fork|eval|connect)\b/u, { code: "c" }),
  racket: searched(/\b(?:system\*?|process\*?|delete-file|delete-directory|subprocess|tcp-connect|eval)\b/u, {
    code: "e",
  }),
  sbcl: searched(/\b(?:run-program|delete-file|delete-directory|run-shell-command|shell)\b/u, { longCode: ["eval"] }),
  swift: searched(/\b(?:Process|removeItem|system|posix_spawn|URLSession)\b/u, { code: "e" }),
  jshell: searched(/\bRuntime\b|\bProcessBuilder\b|\.\s*delete/u, { code: "e" }),
  crystal: afterVerb(
    /^eval$/u,
    searched(/\b(?:system|Process|File\.(?:delete|write|rename|open)|Dir\.delete|FileUtils|Socket|HTTP|run)\b|`|%x/u, {
      code: "e",
    }),
  ),
  "swipl gprolog yap prolog scryer-prolog": searched(
    /\b(?:shell|exec|system|popen|process_create|delete_file|delete_directory\w*|rename_file|open|tell|consult|tcp_\w+|http_\w+|spawn|fork|unlink|call|load_files|read_term_from_atom|term_to_atom)\b/u,
    { code: "gtqez", longCode: ["goal", "query-goal", "entry-goal", "init-goal"], valued: "fsxpLGT" },
  ),
  raku: searched(/\b(?:shell|run|unlink|rmdir|EVAL|Proc)\b|\bqx|\bqqx/u, { code: "e" }),
  nim: (ran, name) => nimCode({ ...ran, argv: ran.argv.map(evalWord) }, name),
  qjs: searched(
    /\b(?:os\.(?:remove|rename|exec|open|kill)|std\.(?:popen|system|open|urlGet|loadScript|evalScript))\b|\beval\b|\bimport\b/u,
    {
      code: "e",
      longCode: ["eval"],
    },
  ),
  tclsh: searched(/\bexec\b|\bopen\b|\bfile\s+delete\b|\bsocket\b|\beval\b/u, {}),
  gdb,
  lldb: searched(/\b(?:shell|platform)\b|\bscript\b/u, { code: "oO", longCode: ["one-line"] }),
};
