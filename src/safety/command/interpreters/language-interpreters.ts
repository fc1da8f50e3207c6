import { valueOr } from "../../../base/result.ts";
import type { CodeLanguage } from "../../code/code-judgement.ts";
import { type Field, hole, knownField } from "../shell/field.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";
import { areMany, linesVanish } from "./emptied-files.ts";
import { readInterpreterArguments } from "./interpreter-arguments.ts";
import { loadedCodes, inputCode, type Interpreted, type Interpreter } from "./interpreter.ts";

/** Returns code from the arguments, or from the input if no file is given. */
function fromInput(language: CodeLanguage, ran: SimpleCommand, operands: readonly Field[]): Interpreted {
  const { text, rules } = inputCode(ran, operands[0]);
  return { codes: text ? [{ language, text, args: operands.slice(1) }] : [], rules };
}

const python: Interpreter = (ran, name) => {
  const shape = {
    language: "python",
    code: "cm",
    valued: "WXQ",
    longValued: ["check-hash-based-pycs"],
    isPrefix: true,
  } as const;
  const { codes, options, operands, has } = readInterpreterArguments(ran.argv.slice(1), shape);
  const [code] = codes;
  if (code === undefined) return has("V", "version", "h", "help") ? { codes: [] } : fromInput("python", ran, operands);
  // In IPython a line with `!` or `%%bash` is a shell command.
  if (name === "ipython" && /^\s*[!%]/mu.test(code.text))
    return { codes: [], shell: [code.text.replaceAll(/^\s*(?:!+|%+\w*)/gmu, "")] };
  if (options.at(-1)?.name === "c") return { codes: [{ language: "python", text: code, args: operands }] };
  const file = { ...code, text: `${code.text.replaceAll(".", "/")}.py` };
  const main = { ...code, text: `${code.text.replaceAll(".", "/")}/__main__.py` };
  const own = loadedCodes(ran, [file, main]).map((text) => ({ language: "python" as const, text, args: operands }));
  return own.length > 0 ? { codes: own } : pythonModule(ran, code, operands);
};

/** `python -m module …` usually runs the program of that name. */
function pythonModule(ran: SimpleCommand, module: Field, args: readonly Field[]): Interpreted {
  if (module.text === "timeit" || module.text === "cProfile" || module.text === "profile") {
    const read = readInterpreterArguments(args, {
      language: "python",
      code: module.text === "timeit" ? "s" : "",
      valued: "nrupo",
    });
    const texts = [
      ...read.codes,
      ...(module.text === "timeit" ? read.operands : loadedCodes(ran, read.operands.slice(0, 1))),
    ];
    return { codes: texts.map((text) => ({ language: "python" as const, text, args: [] })) };
  }
  return { codes: [], commands: [[module, ...args]] };
}

const node: Interpreter = (ran, name) => {
  const { codes, operands, values, has } = readInterpreterArguments(ran.argv.slice(1), {
    language: "javascript",
    code: "ep",
    longCode: ["eval", "print"],
    valued: "rC",
    longValued: ["require", "import", "loader", "experimental-loader", "conditions", "input-type", "env-file", "title"],
    isPrefix: true,
  });
  const loaded = values("import", "loader", "experimental-loader").filter(({ text }) => text.startsWith("data:"));
  const codesOf = (texts: readonly Field[]) =>
    texts.map((text) => ({ language: "javascript" as const, text, args: operands }));
  const fromData = codesOf(loaded.map((field) => ({ ...field, text: dataText(field.text) })));
  // Handles `-pe code`: the option parser treats `e` as the value of `-p`.
  const whole = codes.flatMap((code) => (code.text === "e" && operands[0] ? [operands[0]] : [code]));
  if (whole.length > 0) return { codes: [...codesOf(whole), ...fromData] };
  if (has("v", "version", "h", "help", "check", "c", "test")) return { codes: [] };
  if (name !== "node" && name !== "bun" && operands.length === 0) return { codes: fromData };
  const input = fromInput("javascript", ran, operands);
  return { ...input, codes: [...input.codes, ...fromData] };
};

function dataText(url: string): string {
  const [, head = "", body = ""] = /^data:([^,]*),([^]*)$/u.exec(url) ?? [];
  if (head.includes("base64")) return Buffer.from(body, "base64").toString();
  return valueOr(() => decodeURIComponent(body), body);
}

const deno: Interpreter = (ran) => {
  const args = ran.argv.slice(1);
  const verb = args.find(({ text }) => !text.startsWith("-"))?.text;
  const { operands } = readInterpreterArguments(args, {
    language: "javascript",
    valued: "c",
    longValued: ["config", "import-map", "ext"],
  });
  const rest = operands[0]?.text === verb ? operands.slice(1) : operands;
  if (verb === "eval")
    return { codes: rest.slice(0, 1).map((text) => ({ language: "javascript", text, args: rest.slice(1) })) };
  const file = verb === "run" ? rest[0] : /^https?:/u.test(verb ?? "") ? operands[0] : undefined;
  if (file && /^(?:https?|jsr|npm):/u.test(file.text))
    return { codes: [], rules: /^https?:/u.test(file.text) ? ["remote_code"] : [] };
  return file || verb === undefined ? fromInput("javascript", ran, file ? rest : []) : { codes: [] };
};

/** Handles perl and ruby: code from every `-e`, files that `-i` changes, libraries that `-M` and `-r` load. */
function lineByLine(language: "perl" | "ruby"): Interpreter {
  return (ran) => {
    const isPerl = language === "perl";
    const { codes, operands, values, has } = readInterpreterArguments(ran.argv.slice(1), {
      language,
      code: isPerl ? "eE" : "e",
      attached: isPerl ? "iFMmxCDdV" : "iFxWTK",
      counted: "0l",
      valued: isPerl ? "I" : "IrCE",
      isPrefix: false,
    });
    const loaded = isPerl
      ? values("M", "m").map((field) => ({ ...field, text: `use ${field.text.replace(/^-/u, "")};` }))
      : [];
    // All `-e` texts form one script.
    const [first] = codes;
    const joined = first && { ...first, text: [...loaded, ...codes].map(({ text }) => text).join("\n") };
    const paths = has("i") && first ? operands.map((file) => ({ how: "edit" as const, path: file })) : [];
    // Perl runs a file name that contains `|` as a command.
    const piped = isPerl && has("n", "p") ? operands.filter(({ text }) => /^\s*\||\|\s*$/u.test(text)) : [];
    const shell = piped.map(({ text }) => text.replaceAll(/^\s*\||\|\s*$/gu, ""));
    const isEmptying = has("i") && joined && has("n", "p") && areMany(operands, ran) && linesVanish(joined, has("p"));
    if (joined)
      return {
        codes: [{ language, text: joined, args: operands }],
        paths,
        shell,
        ...(isEmptying && { rules: ["truncate"] }),
      };
    return has("v", "V", "version", "h", "help") ? { codes: [] } : fromInput(language, ran, operands);
  };
}

const php: Interpreter = (ran) => {
  const { codes, operands, values, has } = readInterpreterArguments(ran.argv.slice(1), {
    language: "php",
    code: "rBRE",
    longCode: ["run", "process-begin", "process-code", "process-end"],
    valued: "cdfFStzg",
    longValued: ["define", "file", "server", "docroot", "php-ini"],
    isPrefix: true,
  });
  if (codes.length > 0) return { codes: codes.map((text) => ({ language: "php", text, args: operands })) };
  if (has("v", "m", "i", "l", "S", "f", "h", "version", "ini", "a") || values("f", "F").length > 0)
    return { codes: [] };
  const { text, rules } = inputCode(ran, operands[0]);
  const from = text?.text.indexOf("<?") ?? -1;
  const isUnknown = text?.text.trim() === hole;
  return {
    codes:
      text && (from >= 0 || isUnknown)
        ? [{ language: "php", text: isUnknown ? text : knownField(text.text.slice(from)), args: [] }]
        : [],
    rules,
  };
};

const lua: Interpreter = (ran) => {
  const { codes, operands, has } = readInterpreterArguments(ran.argv.slice(1), {
    language: "lua",
    code: "e",
    valued: "lj",
    isPrefix: false,
  });
  if (codes.length > 0) return { codes: codes.map((text) => ({ language: "lua", text, args: operands })) };
  return has("v") ? { codes: [] } : fromInput("lua", ran, operands);
};

export const languageInterpreters: Readonly<Record<string, Interpreter>> = {
  "python ipython py jython": python,
  "node bun tsx ts-node electron": node,
  deno,
  perl: lineByLine("perl"),
  "ruby jruby": lineByLine("ruby"),
  php,
  "lua luajit": lua,
};
