import type { Field } from "../shell/field.ts";
import { areMany, awkPrintsNothing, sedEmpties } from "./emptied-files.ts";
import { readInterpreterArguments } from "./interpreter-arguments.ts";
import { loadedCodes, inputCode, type Interpreted, type Interpreter } from "./interpreter.ts";

const awk: Interpreter = (ran) => {
  const { codes, operands, values, has } = readInterpreterArguments(ran.argv.slice(1), {
    language: "awk",
    code: "e",
    longCode: ["source"],
    valued: "fFviElW",
    longValued: ["file", "field-separator", "assign", "include", "exec", "load"],
    isPrefix: false,
  });
  const isGiven = codes.length > 0 || has("f", "file", "E", "exec");
  const loaded = loadedCodes(ran, values("f", "file", "E", "exec", "i", "include"));
  const programs = [...loaded, ...(isGiven ? codes : operands.slice(0, 1))];
  const files = isGiven ? operands : operands.slice(1);
  const variables = new Map(
    [...values("v", "assign"), ...files].flatMap(({ text }): [string, string][] => {
      const [, name, value] = /^([A-Za-z_]\w*)=([^]*)$/u.exec(text) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value]];
    }),
  );
  const isInPlace = values("i", "include").some(({ text }) => text === "inplace" || text.endsWith("/inplace.awk"));
  return {
    codes: programs.map((text) => ({ language: "awk", text, args: [], variables })),
    paths: isInPlace ? files.map((file) => ({ how: "edit", path: file })) : [],
    rules: [
      ...(values("l", "load").length > 0 ? (["unreadable_code"] as const) : []),
      ...(isInPlace && areMany(files, ran) && programs.every(awkPrintsNothing) ? (["truncate"] as const) : []),
    ],
  };
};

const sed: Interpreter = (ran) => {
  const { codes, operands, has, values } = readInterpreterArguments(ran.argv.slice(1), {
    language: "sed",
    code: "e",
    longCode: ["expression"],
    valued: "fl",
    attached: "iI",
    longValued: ["file", "line-length"],
    isPrefix: false,
  });
  const isInPlace = has("i", "I", "in-place");
  // On BSD, `-i ''` has an empty suffix.
  const words =
    isInPlace && values("i").every(({ text }) => text === "") && operands[0]?.text === ""
      ? operands.slice(1)
      : operands;
  const suffixes = values("i", "I", "in-place").filter(({ text }) => text !== "");
  const isGiven = codes.length > 0 || has("f", "file");
  const scripts = isGiven ? [...codes, ...loadedCodes(ran, values("f", "file"))] : words.slice(0, 1);
  // A single word replaces both.
  const files = isGiven || words.length === 1 ? words : words.slice(1);
  return {
    codes: scripts.map((text) => ({ language: "sed", text, args: [] })),
    paths: isInPlace
      ? files.flatMap((file) =>
          [file, ...suffixes.map((suffix) => beside(file, suffix))].map((each) => ({ how: "edit", path: each })),
        )
      : [],
    rules: isInPlace && areMany(files, ran) && sedEmpties(scripts, has("n", "quiet", "silent")) ? ["truncate"] : [],
  };
};

/** Returns the backup file of `-i.bak`. A `*` in the suffix is replaced by the file name. */
function beside(file: Field, { text }: Field): Field {
  const name = file.text.slice(file.text.lastIndexOf("/") + 1);
  return { ...file, text: text.includes("*") ? text.replaceAll("*", name) : `${file.text}${text}` };
}

/** Returns commands from `-c`, `--cmd` and `+cmd`, and in ex mode also from the input. */
const vim: Interpreter = (ran) => {
  const words = ran.argv.slice(1);
  const plus = words.filter(({ text }) => /^\+./su.test(text)).map((word) => ({ ...word, text: word.text.slice(1) }));
  const isEx = words.some(({ text }) => /^-[a-z]*e/iu.test(text)) || ran.argv[0]?.text.endsWith("ex") === true;
  const { codes, operands } = readInterpreterArguments(
    words.filter(({ text }) => !text.startsWith("+")),
    {
      language: "vim",
      code: "c",
      longCode: ["cmd"],
      valued: isEx ? "uUSwWTtqPir" : "uUSswWTtqPir",
      longValued: ["servername", "remote"],
      isPrefix: false,
    },
  );
  const input = isEx ? inputCode(ran, undefined).text : undefined;
  const commands: readonly Field[] = [...plus, ...codes, ...(input ? [input] : [])].filter(
    ({ text }) => !/^\d+$|^\//u.test(text),
  );
  const isWriting = commands.some(({ text }) =>
    /(?:^|[|:\n]|\s)\s*(?:w|wq|x|up|update|write|wa|wqa|xa|wall)!?\s*(?:$|[|\n])/u.test(text),
  );
  return {
    codes: commands.map((text) => ({ language: "vim", text, args: [] })),
    paths: isWriting ? operands.filter(({ text }) => text !== "-").map((file) => ({ how: "edit", path: file })) : [],
  };
};

/** The line editor `ed` reads its commands from the input. */
const ed: Interpreter = (ran): Interpreted => {
  const { operands } = readInterpreterArguments(ran.argv.slice(1), { language: "vim", valued: "p", isPrefix: false });
  const { text, rules } = inputCode(ran, undefined);
  return {
    codes: text ? [{ language: "vim", text, args: [] }] : [],
    rules,
    paths: text && /^w/mu.test(text.text) ? operands.map((file) => ({ how: "edit", path: file })) : [],
    shell: operands.flatMap((file) => (file.text.startsWith("!") ? [file.text.slice(1)] : [])),
  };
};

/** Handles Lisp, for which there is no analysis: searches for names that can start or delete something. */
const emacs: Interpreter = (ran, name) => {
  const { codes } = readInterpreterArguments(ran.argv.slice(1), {
    language: "vim",
    code: name === "emacsclient" ? "e" : "",
    longCode: ["eval", "execute"],
    longValued: ["load", "script", "directory", "funcall", "init-directory"],
    valued: "lLdfu",
    isPrefix: false,
  });
  const isActing = codes.some(({ text }) => lispActs.test(text));
  const shell = codes.flatMap(({ text }) => {
    const given = /\((?:async-)?shell-command(?:-to-string)?\s+"((?:[^"\\]|\\.)*)"/u.exec(text)?.[1];
    return given === undefined ? [] : [given.replaceAll(/\\(.)/gsu, "$1")];
  });
  return { codes: [], shell, rules: isActing ? ["inline_code"] : [] };
};

const lispActs =
  /\b(?:shell-command|call-process|start-process|make-process|process-file|delete-file|delete-directory|make-network-process|open-network-stream|url-retrieve|write-region|rename-file|eval-buffer|load-file|intern|read-from-string|kill-emacs-hook|set-file-modes|compile)\b/u;

export const textInterpreters: Readonly<Record<string, Interpreter>> = {
  awk,
  "sed ssed": sed,
  "vim gvim vimdiff": vim,
  "ed red": ed,
  "emacs emacsclient": emacs,
};
