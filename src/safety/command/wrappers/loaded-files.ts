import { posix } from "node:path";

import { quoteForShell } from "../../../base/text/shell-quote.ts";
import { rowsByName, words } from "../../../base/text/words.ts";
import { gitCommand, isExecKey } from "../programs/git-command.ts";
import { readOptions } from "../programs/options.ts";
import { type Field, hole, knownField } from "../shell/field.ts";
import { contentOf, type SimpleCommand } from "../shell/simple-command.ts";
import type { Payload } from "../shell/walk.ts";
import { joinedPayload } from "./shells.ts";

/** A file that a program loads automatically, and the commands that its content makes the program run. */
interface LoadedFile {
  /** The path, relative to the folder of the command. */
  readonly path: string;
  commands(content: string): readonly string[];
}

/** Returns the files that a program loads automatically: a makefile, the scripts of a package, hooks and settings. */
export function loadedFiles(ran: SimpleCommand, name: string): readonly LoadedFile[] {
  return loaders.get(name)?.(ran) ?? [];
}

/** Returns the commands in files whose content is known: `./run.sh`, `make`, `npm test`. */
export function loadedPayloads(ran: SimpleCommand, name: string): readonly Payload[] {
  const loaded = loadedFiles(ran, name).flatMap(({ path, commands }) => {
    const content = contentOf(ran, { text: path });
    return content === undefined ? [] : content === hole ? [hole] : commands(content);
  });
  return [...programPayloads(ran), ...loaded.flatMap((code) => joinedPayload([knownField(code)], name))];
}

/** A script that is run by its path: its first line names the interpreter. */
function programPayloads(ran: SimpleCommand): readonly Payload[] {
  const [program, ...args] = ran.argv;
  const content = program?.text.includes("/") ? contentOf(ran, program) : undefined;
  if (!program || content === undefined) return [];
  const [, interpreter = ""] = /^#!\s*(?:\S*\/env\s+(?:-\S+\s+)*)?(\S+)/u.exec(content) ?? [];
  const isShell = interpreter === "" || /(?:^|\/)(?:ba|da|z|k|a)?sh$/u.test(interpreter);
  if (!isShell) return [{ argv: [knownField(interpreter), program, ...args], via: program.text }];
  const positional = args.map(({ text }) => text);
  return [{ text: content, via: "bash", isOwnShell: true, positional, zero: program.text }];
}

type Loader = (ran: SimpleCommand) => readonly LoadedFile[];

/** Returns files below the folder in an option. */
function inFolder(folder: Field | undefined, name: string): string {
  return folder ? posix.join(folder.text, name) : name;
}

const make: Loader = ({ argv }) => {
  const read = readOptions(argv.slice(1), { short: "fCIjlo", long: ["file", "makefile", "directory"] });
  if (read.has("f", "file", "makefile")) return [];
  const folder = read.value("C", "directory");
  const goals = read.operands.filter(({ text }) => !text.includes("=")).map(({ text }) => text);
  return ["GNUmakefile", "makefile", "Makefile"].map((name) => ({
    path: inFolder(folder, name),
    commands: (content) => recipesOf(content, goals),
  }));
};

/**
 * Returns the commands in the rules of a makefile: lines with a tab, `target:; code`, `$(shell code)`. `goals`: only
 * rules that these targets need.
 */
export function recipesOf(text: string, goals?: readonly string[]): readonly string[] {
  const rules: { readonly targets: readonly string[]; readonly needs: readonly string[]; readonly codes: string[] }[] =
    [];
  for (const line of text.replaceAll("\\\n", " ").split("\n")) {
    const recipe = /^\t[@+-]*(.+)$/u.exec(line)?.[1];
    if (recipe !== undefined) rules.at(-1)?.codes.push(recipe);
    const [, targets, needs = "", , code] = /^([^\t#=:][^#=:]*)::?(?!=)([^;=]*)(;[@+-]*(.+))?$/u.exec(line) ?? [];
    if (targets !== undefined)
      rules.push({ targets: words(targets), needs: words(needs), codes: code === undefined ? [] : [code] });
  }
  const plain = (name: string) => rules.some(({ targets }) => targets.includes(name));
  const first = rules.find(({ targets }) => !targets.some((name) => name.startsWith(".")))?.targets ?? [];
  const goalNames = new Set(goals && goals.length > 0 ? goals : first);
  for (const goal of goalNames)
    for (const { targets, needs } of rules) if (targets.includes(goal)) for (const need of needs) goalNames.add(need);
  const isNeeded = ({ targets }: { readonly targets: readonly string[] }) =>
    goals === undefined ||
    [...goalNames].some((goal) => !plain(goal)) ||
    targets.some((name) => goalNames.has(name) || /[%$]|^\./u.test(name));
  return [
    ...rules.filter(isNeeded).flatMap(({ codes }) => codes),
    ...[...text.matchAll(/\$\(shell\s+([^)]*)\)/gu)].map((match) => match[1] ?? ""),
    ...[...text.matchAll(/^[\w.]+\s*!=\s*(.+)$/gmu)].map((match) => match[1] ?? ""),
  ];
}

/** `npm test` runs `pretest`, `test` and `posttest`; installing runs its own scripts. */
const npm: Loader = ({ argv }) => {
  const read = readOptions(argv.slice(1), {
    short: "wC",
    long: ["prefix", "workspace", "filter", "cwd", "dir", "loglevel"],
  });
  const folder = read.value("C", "prefix", "cwd", "dir");
  const [verb = "", second] = read.operands.map(({ text }) => text);
  const isRun = /^(?:run|run-script|rum|urn)$/u.test(verb);
  const name = isRun ? second : ({ t: "test", tst: "test", it: "test", cit: "test" }[verb] ?? verb);
  const names = name === undefined ? [] : installing.test(name) ? installScripts : [`pre${name}`, name, `post${name}`];
  return [
    { path: inFolder(folder, "package.json"), commands: (content) => packageScripts(content, names) },
    { path: inFolder(folder, ".npmrc"), commands: npmSettings },
  ];
};

const installing =
  /^(?:i|in|ins|inst|install|add|ci|clean-install|rebuild|link|pack|publish|prepare|version|up(?:date|grade)?)?$/u;
const installScripts = words(
  "preinstall install postinstall prepublish preprepare prepare postprepare prepack postpack prepublishOnly preversion version postversion",
);

function packageScripts(content: string, names: readonly string[]): readonly string[] {
  try {
    const { scripts = {} } = JSON.parse(content) as { readonly scripts?: Readonly<Record<string, unknown>> };
    return names.flatMap((name) => (typeof scripts[name] === "string" ? [scripts[name]] : []));
  } catch {
    // npm does not run scripts of a file that it cannot parse.
    return [];
  }
}

function npmSettings(content: string): readonly string[] {
  const value = (key: string) => new RegExp(String.raw`^\s*${key}\s*=\s*["']?(.+?)["']?\s*$`, "mu").exec(content)?.[1];
  const [shell, options] = [value("script-shell"), value("node-options")];
  return [
    ...(shell === undefined ? [] : [`${shell} -c :`]),
    ...(options === undefined ? [] : [`export NODE_OPTIONS='${options.replaceAll("'", "")}'`]),
  ];
}

/** Returns the programs that git starts automatically, and those in its settings. */
const git: Loader = ({ argv }) => {
  const { name = "", options } = gitCommand(argv.slice(1));
  const folder = options.value("C");
  const hooks = hooksOf.get(name) ?? [];
  return [
    { path: inFolder(folder, ".git/config"), commands: (content) => gitSettings(content, name) },
    ...["", ".husky"].flatMap((place) =>
      hooks.map((hook) => ({
        path: inFolder(folder, place === "" ? `.git/hooks/${hook}` : `${place}/${hook}`),
        commands: (content: string) => [content],
      })),
    ),
  ];
};

const hooksOf: ReadonlyMap<string, readonly string[]> = new Map([
  ["commit", words("pre-commit prepare-commit-msg commit-msg post-commit")],
  ["push", ["pre-push"]],
  ["merge", words("pre-merge-commit prepare-commit-msg commit-msg post-merge")],
  ["pull", words("post-merge pre-merge-commit post-checkout post-rewrite")],
  ["rebase", words("pre-rebase post-rewrite post-checkout")],
  ["am", words("applypatch-msg pre-applypatch post-applypatch")],
  ["checkout", ["post-checkout"]],
  ["switch", ["post-checkout"]],
  ["worktree", ["post-checkout"]],
]);

function gitSettings(content: string, name: string): readonly string[] {
  const codes: string[] = [];
  let section = "";
  for (const line of content.split("\n")) {
    const [, head, sub] = /^\s*\[\s*([\w.-]+)(?:\s+"([^"]*)")?\s*\]/u.exec(line) ?? [];
    if (head !== undefined) section = sub === undefined ? head : `${head}.${sub}`;
    const [, key, value = ""] = /^\s*(?:\[[^\]]*\]\s*)?([A-Za-z][\w-]*)\s*=\s*(.*?)\s*$/u.exec(line) ?? [];
    if (key === undefined) continue;
    const bare = value.replaceAll(/^"|"$/gu, "").replaceAll(/\\(["\\])/gu, "$1");
    if (section === "alias") {
      if (key === name) codes.push(bare.startsWith("!") ? bare.slice(1) : `git ${bare}`);
    } else if (
      isExecKey(`${section}.${key}`) &&
      !/^include|^credential$|hookspath$|templatedir$/iu.test(`${section}.${key}`)
    )
      codes.push(bare.replace(/^!/u, ""));
  }
  return codes;
}

const loaders: ReadonlyMap<string, Loader> = new Map<string, Loader>([
  ["make", make],
  ...words("npm pnpm yarn bun").map((name): [string, Loader] => [name, npm]),
  ["git", git],
  ...rowsByName({
    direnv: files(".envrc", (content) => [content]),
    just: files("justfile Justfile .justfile", justRecipes),
    pytest: files("conftest.py tests/conftest.py test/conftest.py", codeOf("python3")),
    "pip uv poetry": files("setup.py", codeOf("python3")),
    nox: files("noxfile.py", codeOf("python3")),
    scons: files("SConstruct SConscript", codeOf("python3")),
    python: ({ assignments }: SimpleCommand) =>
      assignments.some(({ name }) => name === "PYTHONPATH")
        ? ["sitecustomize.py", "usercustomize.py"].map((path) => ({ path, commands: codeOf("python3") }))
        : [],
    irb: files(".irbrc", unreadable),
    "r rscript": files(".Rprofile", unreadable),
    "jest vitest vite webpack rollup gulp grunt eslint babel next mocha playwright cypress": (ran: SimpleCommand) =>
      configFiles(ran).map((path) => ({ path, commands: codeOf("node") })),
    "rake bundle rspec": files("Rakefile Gemfile spec/spec_helper.rb", unreadable),
    "gradle gradlew": files("build.gradle build.gradle.kts settings.gradle", unreadable),
    "mvn mvnw": files("pom.xml", unreadable),
    cargo: files("build.rs .cargo/config.toml", unreadable),
    cmake: files("CMakeLists.txt", unreadable),
    tox: files("tox.ini", unreadable),
    "pre-commit": files(".pre-commit-config.yaml", unreadable),
    task: files("Taskfile.yml Taskfile.yaml", unreadable),
  }),
]);

function files(names: string, commands: LoadedFile["commands"]): Loader {
  const loaded = words(names).map((path) => ({ path, commands }));
  return () => loaded;
}

function codeOf(interpreter: string): LoadedFile["commands"] {
  const option = interpreter === "node" ? "-e" : "-c";
  return (content) => [`${interpreter} ${option} ${quoteForShell(content)}`];
}

function unreadable(): readonly string[] {
  return [hole];
}

function configFiles({ argv: [program] }: SimpleCommand): readonly string[] {
  const name = posix.basename(program?.text ?? "");
  if (name === "gulp" || name === "grunt") return ["gulpfile.js", "Gruntfile.js"];
  return [
    ...words("js cjs mjs ts").map((extension) => `${name}.config.${extension}`),
    ...words("js cjs").map((extension) => `.${name}rc.${extension}`),
  ];
}

function justRecipes(content: string): readonly string[] {
  return [...content.matchAll(/^[ \t]+[@-]*(\S.*)$/gmu)].map((match) => match[1] ?? "");
}
