import { type Fact, path, rule } from "../fact.ts";
import type { RuleId } from "../rules.ts";
import { type Field, knownField } from "../shell/field.ts";
import { gitCommand, isExecKey, isHarmlessTool } from "./git-command.ts";
import { type OptionShape, type ReadOptions, readOptions } from "./options.ts";
import type { Program, Programs } from "./program.ts";
import { everyUse, firstMatching, verbs } from "./verbs.ts";

/** Finds uses of git that discard unsaved changes, rewrite shared history, or run commands from its settings. */
const git: Program = (args) => {
  const { name, rest, settings, options } = gitCommand(args);
  const facts: Fact[] = settings.flatMap(({ key, value, word }) => settingFacts(key, value, word));
  const isFromVariable = options.values("config-env").some(({ text }) => isExecKey(text.split("=")[0] ?? ""));
  if ((options.has("exec-path") && options.value("exec-path")) || isFromVariable)
    facts.push(rule("git_config", ...args));
  if (name === "init")
    facts.push(
      path(
        "make",
        readOptions(rest, { short: "b", long: ["template", "initial-branch"] }).operands[0] ?? knownField(".git"),
      ),
    );
  if (name === "worktree" && rest[0]?.text === "add")
    facts.push(
      ...readOptions(rest.slice(1), { short: "bB", long: ["reason"] })
        .operands.slice(0, 1)
        // A worktree beside the project is usual.
        .filter(({ text }) => !/^\.\.\/[^/]+\/?$/u.test(text))
        .map((folder) => path("make", folder)),
    );
  if (name === "add" || name === "stage") facts.push(...readOptions(rest).operands.map((file) => path("read", file)));
  if (name === "init" || name === "clone")
    facts.push(
      ...readOptions(rest, { long: ["template"] })
        .values("template")
        .flatMap((folder) => (folder.text === "" ? [] : [rule("git_config", ...args)])),
    );
  if (name === undefined) return facts;
  const judge = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (judge) facts.push(...judge.read(readOptions(rest, judge.shape), args));
  if (name === "apply" || name === "am") {
    const { value, has } = readOptions(rest, { short: "pC", long: ["directory", "exclude", "include"] });
    const folder = value("directory") ?? options.value("C");
    if (folder) facts.push(path("place", folder));
    if (has("unsafe-paths")) facts.push(rule("overwrite_unknown", ...args));
  }
  if (name === "grep" && rest.some(({ text }) => text === "--no-index"))
    facts.push(...readOptions(rest, { short: "efmABC" }).operands.map((file) => path("read", file, true)));
  // A URL is used instead of the name of a remote, so the project is sent to another place.
  if (name === "push" && /^(?:https?|git|ssh|ftp):\/\//u.test(pushedTo(rest)))
    facts.push(rule("exfiltration", ...args));
  if (name === "hash-object")
    facts.push(...readOptions(rest, { short: "t" }).operands.map((file) => path("read", file)));
  if (name === "bundle" && rest[0]?.text === "create" && rest[1]) facts.push(path("write", rest[1]));
  if (/^(?:diff|log|show|archive|format-patch|clone|fetch|pull|push|ls-remote|fetch-pack|send-pack)$/u.test(name))
    facts.push(...fileFacts(name, rest, args));
  return facts;
};

function pushedTo(rest: readonly Field[]): string {
  return (
    readOptions(rest, { short: "o", long: ["repo", "push-option", "receive-pack", "exec"] }).operands[0]?.text ?? ""
  );
}

/** Returns the files that git reads or writes by name, and programs that it starts on the remote side. */
function fileFacts(name: string, rest: readonly Field[], args: readonly Field[]): readonly Fact[] {
  const { operands, values } = readOptions(rest, {
    short: name === "clone" ? "bocju" : "o",
    long: ["output", "output-directory", "upload-pack", "receive-pack", "branch", "origin", "config", "depth"],
  });
  const packs = values("upload-pack", "receive-pack", ...(name === "clone" ? ["u"] : []));
  const isOdd =
    packs.some(({ text }) => !/^git[- ](?:upload|receive)-pack$/u.test(text)) ||
    rest.some(({ text }) => text.startsWith("ext::"));
  const compared = name === "diff" && rest.some(({ text }) => text === "--no-index") ? operands : [];
  return [
    ...values("output", ...(name === "archive" ? ["o"] : [])).map((file) => path("write", file)),
    ...(name === "format-patch" ? values("o", "output-directory").map((folder) => path("make", folder)) : []),
    ...(name === "clone" ? operands.slice(1, 2).map((folder) => path("make", folder)) : []),
    ...(name === "clone" && operands.length === 1 ? operands.map((url) => path("make", folderOf(url))) : []),
    ...compared.map((file) => path("read", file)),
    ...(isOdd ? [rule("git_config", ...args)] : []),
  ];
}

/** Returns the folder of a clone: `https://host/team/app.git` gives `app`. */
function folderOf(url: Field): Field {
  const [last = ""] = /[^/:]+\/?$/u.exec(url.text) ?? [];
  return { ...url, text: last.replace(/(?:\.git)?\/?$/u, "") };
}

/** Returns the command that a setting makes git run, unless it is a common pager or editor. */
function settingFacts(key: string, value: Field | undefined, word: Field): readonly Fact[] {
  if (/^core\.hookspath$|^protocol\.(?:ext\.)?allow$|^core\.gitproxy$|^uploadpack\.packobjectshook$/iu.test(key))
    return [rule("git_config", word)];
  if (/^http\.sslverify$/iu.test(key) && /^(?:false|0|no|off)$/iu.test(value?.text ?? ""))
    return [rule("git_config", word)];
  const address = /^url\.(.*)\.(?:push)?insteadof$/iu.exec(key)?.[1];
  if (address !== undefined) return leadsElsewhere(address, value?.text ?? "") ? [rule("git_config", word)] : [];
  return isExecKey(key) && value !== undefined && !isHarmlessTool(key, value.text) ? [rule("git_config", word)] : [];
}

/**
 * Returns whether the setting redirects requests to another host. `git@host:` and `https://host/` are the same host.
 */
function leadsElsewhere(to: string, from: string): boolean {
  const [there, here] = [to, from].map((url) => /^(?:\w+:\/\/)?(?:[^/@]*@)?([\w.-]+\.\w+)/u.exec(url)?.[1]);
  return there !== undefined && here !== undefined && there !== here;
}

interface GitCommand {
  readonly shape: OptionShape;
  read(options: ReadOptions, args: readonly Field[]): readonly Fact[];
}

function asks(id: RuleId, isAsked: (read: ReadOptions) => boolean, shape: OptionShape = {}): GitCommand {
  return { shape, read: (read, args) => (isAsked(read) ? [rule(id, ...args)] : []) };
}

/** Returns whether the word is a file rather than a branch. */
function isFileWord({ text, isPattern }: Field): boolean {
  return isPattern || /^(?:\.{1,2}|:\/|:|\*)$|^\.{1,2}\/|^:[(/!]|^\/|\*/u.test(text) || fileName.test(text);
}

const fileName =
  /\.(?:[cm]?[jt]sx?|json[c5]?|md|mdx|py|rb|go|rs|c|h|cc|cpp|hpp|cs|java|kts?|swift|php|html?|s?css|less|ya?ml|toml|txt|sh|bash|sql|lock|cfg|conf|ini|xml|svg|png|jpe?g|gif|vue|svelte|lua|pl|ex|exs|erl|hs|scala|clj|dart|proto|graphql|tf|gradle|csv|ipynb|env|gitignore)$|(?:^|\/)(?:Makefile|Dockerfile|README|LICENSE|Gemfile|Rakefile)$/u;

const checkout = asks(
  "git_discard",
  ({ operands, afterDashes, has }) => {
    if (has("f", "force", "ours", "theirs")) return true;
    if (has("B")) return true;
    if (has("b", "orphan", "track", "t")) return false;
    return (
      afterDashes.length > 0 ||
      operands.some((word) => isFileWord(word)) ||
      (operands.length > 1 && !has("detach")) ||
      has("pathspec-from-file")
    );
  },
  { short: "bB", long: ["orphan", "conflict", "pathspec-from-file"] },
);

const push = asks(
  "git_rewrite",
  ({ operands, has, options }) =>
    !has("n", "dry-run") &&
    (has(
      "f",
      "force",
      "force-with-lease",
      "force-if-includes",
      "mirror",
      "delete",
      "d",
      "prune",
      "receive-pack",
      "exec",
    ) ||
      options.some(({ name }) => /^force-w|^force-i/u.test(name)) ||
      operands.slice(1).some(({ text }) => /^[+:]./u.test(text))),
  { short: "o", long: ["repo", "push-option", "recurse-submodules"] },
);

const commands: Readonly<Record<string, GitCommand>> = {
  reset: asks(
    "git_discard",
    ({ has, options }) =>
      has("hard", "merge") || options.some(({ name }) => name.length > 0 && "hard".startsWith(name)),
  ),
  checkout,
  co: checkout,
  switch: asks("git_discard", ({ has }) => has("f", "force", "discard-changes", "C"), {
    short: "cC",
    long: ["orphan"],
  }),
  restore: asks(
    "git_discard",
    ({ has, operands }) => (!has("S", "staged") || has("W", "worktree")) && operands.length > 0,
    { short: "s", long: ["source", "conflict", "pathspec-from-file"] },
  ),
  clean: asks("git_discard", ({ has }) => has("f", "force") && !has("n", "dry-run"), { short: "e", long: ["exclude"] }),
  stash: asks("git_discard", ({ operands }) => /^(?:drop|clear)$/u.test(operands[0]?.text ?? "")),
  branch: asks("git_discard", ({ has }) => has("D", "f", "force") || (has("d", "delete") && has("f", "force")), {
    short: "u",
    long: ["set-upstream-to", "format", "sort", "contains", "merged", "no-merged", "points-at"],
  }),
  tag: asks("git_rewrite", ({ has }) => has("d", "delete", "f", "force"), {
    short: "mFu",
    long: ["message", "file", "local-user", "sort", "format"],
  }),
  push,
  rm: asks("git_discard", ({ has }) => has("r", "f", "force") && !has("cached") && !has("n", "dry-run")),
  "filter-branch": asks("git_rewrite", () => true),
  "filter-repo": asks("git_rewrite", ({ has }) => !has("analyze")),
  "update-ref": asks(
    "git_rewrite",
    ({ has, operands }) =>
      has("d", "delete", "stdin") || (operands.length > 1 && /^refs\/(?:heads|tags)\//u.test(operands[0]?.text ?? "")),
    { short: "m" },
  ),
  "symbolic-ref": asks("git_rewrite", ({ has }) => has("d", "delete")),
  "read-tree": asks("git_discard", ({ has }) => has("reset", "u")),
  "checkout-index": asks("git_discard", ({ has }) => has("f", "force")),
  replace: asks("git_rewrite", ({ has }) => has("d", "delete", "f")),
  reflog: asks(
    "git_rewrite",
    ({ operands, has }) => /^(?:expire|delete)$/u.test(operands[0]?.text ?? "") && !has("n", "dry-run"),
  ),
  gc: asks(
    "git_rewrite",
    ({ has, value }) => has("prune") && /^(?:now|all)/u.test(value("prune")?.text ?? "now") && !has("no-prune"),
  ),
  prune: asks("git_rewrite", ({ has }) => !has("n", "dry-run")),
  notes: asks("git_rewrite", ({ operands }) => /^(?:remove|prune)$/u.test(operands[0]?.text ?? "")),
  worktree: asks("git_discard", ({ operands, has }) => operands[0]?.text === "remove" && has("f", "force")),
  submodule: asks("git_discard", ({ operands, has }) => {
    const verb = operands[0]?.text ?? "";
    return (verb === "deinit" || verb === "update") && has("f", "force");
  }),
  lfs: asks("git_discard", ({ operands }) => operands[0]?.text === "prune"),
  svn: asks("publish", ({ operands, has }) => operands[0]?.text === "dcommit" && !has("n", "dry-run")),
  "send-email": asks("exfiltration", ({ has }) => !has("dry-run")),
  credential: asks("secret_read", ({ operands }) => operands[0]?.text === "fill"),
  "credential-store": asks("secret_read", ({ operands }) => operands[0]?.text === "get"),
  fetch: asks(
    "git_discard",
    ({ operands, has }) => has("f", "force", "upload-pack") && operands.some(({ text }) => /:/u.test(text.slice(1))),
  ),
  pull: asks("git_discard", ({ has }) => has("f", "force"), { short: "s", long: ["strategy", "upload-pack"] }),
  config: {
    shape: { short: "f", long: ["file", "blob", "type", "default", "comment", "value"] },
    read({ operands, has, values }, args) {
      const words = /^(?:set|get|unset|list|edit|remove-section|rename-section|get-all|add)$/u.test(
        operands[0]?.text ?? "",
      )
        ? operands.slice(1)
        : operands;
      if (has("get", "get-all", "get-regexp", "list", "l", "unset") || /^(?:get|list)/u.test(operands[0]?.text ?? ""))
        return [];
      const [key, value] = words;
      // git's own settings are judged by their keys. `-file x` would mean a file named `ile`.
      const written = values("f", "file").filter(
        ({ text }) => !/(?:^|\/)\.git(?:config|modules|\/config)$/u.test(text),
      );
      if (has("system") && key) return [rule("system_file", ...args)];
      if (key && value && /^alias\./iu.test(key.text) && value.text.startsWith("!"))
        return [rule("git_config", key, value)];
      return key && value
        ? [...settingFacts(key.text, value, key), ...written.map((file) => path("append", file))]
        : [];
    },
  },
};

/** Programs that rewrite the history: `git-filter-repo`, `bfg`. */
export const gitPrograms: Programs = {
  git,
  "git-filter-repo bfg": everyUse("git_rewrite"),
  hub: (args, ran, name) => (args[0]?.text === "delete" ? [rule("git_rewrite", ...args)] : git(args, ran, name)),
  svn: (args) => {
    const { operands, has } = readOptions(args, { short: "rm", long: ["revision", "message"] });
    const verb = operands[0]?.text ?? "";
    if (verb === "revert" && has("R", "recursive")) return [rule("git_discard", ...args)];
    if (verb === "cleanup" && has("remove-unversioned")) return [rule("git_discard", ...args)];
    return /^(?:rm|delete|del)$/u.test(verb) && operands.some(({ text }) => /^\w+:\/\//u.test(text))
      ? [rule("git_rewrite", ...args)]
      : [];
  },
  hg: (args) => {
    const { operands, has } = readOptions(args, { short: "rR", long: ["rev", "repository"] });
    const verb = operands[0]?.text ?? "";
    if (/^(?:strip|purge|clean|rollback|revert)$/u.test(verb)) return [rule("git_discard", ...args)];
    if (/^(?:update|up|checkout|co)$/u.test(verb) && has("C", "clean")) return [rule("git_discard", ...args)];
    return verb === "push" && has("f", "force") ? [rule("git_rewrite", ...args)] : [];
  },
  jj: firstMatching("git_discard", /^abandon$|^undo$|^restore$/u),
  p4: firstMatching("git_discard", /^(?:revert|clean|obliterate)$/u),
  "fossil sl": firstMatching("git_discard", /^(?:clean|purge|revert)$/u),
  cvs: verbs([["git_discard", "up|update", "C"]]),
};
