import { isInside } from "../../../base/files/path.ts";
import { words } from "../../../base/text/words.ts";
import { isTemporary, resolvePathText } from "../../command/checks/path-rules.ts";
import { isDryRun } from "../../command/programs/dry-run.ts";
import { type Field, isKnown } from "../../command/shell/field.ts";
import type { SimpleCommand } from "../../command/shell/simple-command.ts";
import { type HarmlessUse, harmlessUse, isUnderstood } from "./foreseen-programs.ts";

/**
 * Returns the use of a program that nothing is known about: the program, or the program with its verb or option.
 * Undefined if the tables know the use. Programs of the project are the user's own.
 */
export function unforeseenUse(ran: SimpleCommand, name: string, workspace: string): string | undefined {
  const args = ran.argv.slice(1);
  if (asksForHelp(args) || isDryRun(name, args)) return undefined;
  const isPiped = args.some(({ text }, index) => text.startsWith("|") && /^-[oO]$/u.test(args[index - 1]?.text ?? ""));
  if (isPiped) return `${name} -o`;
  const use = harmlessUse(name);
  if (use === undefined) return isOfProject(ran, workspace) || isExpression.test(name) ? undefined : name;
  const operands = operandsOf(args);
  if (use.verbs && !isHarmlessVerb(use, use.verbs, args, operands)) return [name, operands[0]?.text ?? ""].join(" ");
  if (isPlainPrint(args)) return undefined;
  // The other command writes settings or code.
  if (!isUnderstood(name) && args.some(({ text }) => text.startsWith("/dev/fd/"))) return `${name} <(…)`;
  const own = args.slice(0, ownWords(use, name, args));
  const option = use.options && own.find((word) => !isHarmlessOption(word, use));
  if (option) return `${name} ${option.text.replace(/=.*$/su, "")}`;
  const isInline = own.some(({ text }, index) => own[index - 1]?.text === "--config" && setting.test(text));
  return use.options && isInline ? `${name} --config` : undefined;
}

/** A setting in the argument itself, which may name a program. */
const setting = /^[\w.-]+\s*=|\(/u;

/** An expression of PowerShell. */
const isExpression = /^(?:\$|@\(|\(|\.\w+$|env:|\d+\.\.\d|\d+$)/u;

/** Returns the words that are not options, and not values of the options before the verb. */
function operandsOf(args: readonly Field[]): readonly Field[] {
  const operands: Field[] = [];
  for (const [index, word] of args.entries()) {
    if (word.text.startsWith("-")) continue;
    if (operands.length === 0 && beforeVerb.test(args[index - 1]?.text ?? "")) continue;
    operands.push(word);
  }
  return operands;
}

const beforeVerb =
  /^(?:-[cCnHRw]|--(?:namespace|context|region|profile|project|prefix|cwd|dir|filter|kubeconfig|workspace|repo|env|subscription))$/u;

/** Runners of names that the project's own settings define. */
const projectRunners: ReadonlySet<string> = new Set(words("python hatch pdm rye"));

/** Returns whether the program is a file, a module or a task of the project, which the user has written or fetched before. */
function isOfProject({ argv: [program], cwd, via }: SimpleCommand, workspace: string): boolean {
  if (projectRunners.has(via.at(-1) ?? "")) return true;
  if (!program?.text.includes("/") || !isKnown(program)) return false;
  const path = resolvePathText(program.text, cwd);
  // Another check asks about programs of a temporary folder that the same line did not write.
  return (
    isInside(workspace, path) || isTemporary(path) || /\/(?:\.?venv|env|node_modules\/\.bin|vendor\/bin)\//u.test(path)
  );
}

function asksForHelp(args: readonly Field[]): boolean {
  return args.length <= 3 && /^(?:--?help|-h|--version|-[vV]|help|version)$/u.test(args.at(-1)?.text ?? "");
}

function isHarmlessVerb(
  { canRead }: HarmlessUse,
  verbs: ReadonlySet<string>,
  args: readonly Field[],
  operands: readonly Field[],
): boolean {
  const [first, second, third] = operands.map(({ text }) => text);
  if (first === undefined || verbs.has(args[0]?.text ?? "")) return true;
  if (verbs.has(first) || verbs.has(`${first}/${second}`) || verbs.has(`${second}/${third}`)) return true;
  return (
    canRead &&
    [first, second, third].some((verb) => reading.test(verb ?? "")) &&
    // A list without a format shows only names.
    (!operands.some(({ text }) => secret.test(text)) ||
      (first === "get" && args.every(({ text }) => !/^(?:-o|--out|-A?o)/u.test(text))))
  );
}

/** Returns whether inline code only computes and prints: `julia -e 'println(1 + 1)'`. */
function isPlainPrint(args: readonly Field[]): boolean {
  const [option, code] = args.slice(-2).map(({ text }) => text);
  if (!/^(?:-e|--eval|-batch)$/u.test(option ?? "") || code === undefined || code.length > maxCode) return false;
  const named = code.replaceAll(/"[^"\\$`#]*"|'[^'\\$`#]*'/gu, "").match(/[A-Za-z_][\w.]*/gu) ?? [];
  return (
    !/[`$\\"']/u.test(code.replaceAll(/"[^"\\$`#]*"|'[^'\\$`#]*'/gu, "")) && named.every((word) => printing.has(word))
  );
}

const maxCode = 200;

const printing: ReadonlySet<string> = new Set(
  words(
    "print println puts disp message sum map IO.puts IO.inspect Enum.sum console.log summary cars length max min p x i n",
  ),
);

const reading =
  /^(?:get|read|list|describe|show|head|ls|ps|images|status|info|view|version|help|search|logs?|diff|check|validate|lint|explain|inspect|history|whoami|outdated|why|tree|doctor|plan|preview|top|events|stats|tail|query|audit|deps|depends|rdepends|policy|products?|releases?|which|where|blame|batch-get|lookup|count|print|verify|test|scan|filter|wait|tables?|is-active|usage|list\w+|dns)(?:[-:][\w-]+)?$/u;

const secret = /secret|token|password|passwd|credential|private|(?:^|[-_./])keys?(?:$|[-_./])|keyvault|decrypt|\.env/iu;

/** Returns how many words belong to the program itself: after the script or `--`, they are for another one. */
function ownWords({ isPrefix }: HarmlessUse, name: string, args: readonly Field[]): number {
  const end = args.findIndex(
    ({ text }, index) =>
      text === "--" ||
      (index < 3 && runners.has(name) && /^(?:run|exec|dlx)$/u.test(text)) ||
      (isPrefix && !text.startsWith("-") && !/^-[a-zA-Z]$/u.test(args[index - 1]?.text ?? "")),
  );
  return Math.min(end < 0 ? args.length : end, maxWords);
}

const maxWords = 200;

/** Programs whose subcommands run another program, which is judged by itself. */
const runners: ReadonlySet<string> = new Set(
  words("poetry pdm hatch rye uv pipenv conda docker docker-compose podman-compose bundle pnpm yarn npm asdf mise op"),
);

function isHarmlessOption({ text }: Field, { options: extra, hasWords }: HarmlessUse): boolean {
  if (!text.startsWith("-") || text === "-" || /^-\d/u.test(text)) return true;
  const [, name = "", value = ""] = /^--?([^=:]*)[=:]?([^]*)$/u.exec(text) ?? [];
  if (extra?.has(`!${name}`) || extra?.has(`!${name.charAt(0)}`)) return false;
  // Settings in the argument itself may name a program.
  if (/^(?:config|c)$/u.test(name) && /[=(]/u.test(value)) return false;
  if (extra?.has(name) || optionNames.has(name)) return true;
  if (name.length > maxName) return false;
  if (!text.startsWith("--") && (!hasWords || name.length === 1)) {
    const isBundle =
      name.length <= maxBundle && name.split("").every((letter) => extra?.has(letter) || isHarmlessLetter(letter));
    if (isBundle) return true;
  }
  // The value follows the letter: `-DskipTests`.
  if (!text.startsWith("--") && extra?.has(name.charAt(0))) return true;
  const parts = words(name.replaceAll(/[-_.]/gu, " ").replaceAll(/[A-Z][a-z]/gu, " $&")).map((part) =>
    part.toLowerCase(),
  );
  return name.length > 1 && parts.every((part) => optionWords.has(part));
}

function isHarmlessLetter(letter: string): boolean {
  return /[\w.]/u.test(letter) && !riskyLetters.includes(letter);
}

const maxBundle = 4;
const maxName = 60;

/** Letters that often name code, a command, a module, or a target that is replaced. */
const riskyLetters = "eExXrRcmMFWKC";

const optionNames: ReadonlySet<string> = new Set(words("dry-run no-run source-map source-maps basetemp junitxml"));

/** Words of options that are harmless in every program of the table: they select, limit, format or name. */
const optionWords: ReadonlySet<string> = new Set(
  words(`
  no not non without with dry only all any none each every max min depth level limit count number num size width height
  length line lines column columns col tail head since until before after follow watch wait timeout retry retries delay
  interval jobs parallel concurrency concurrent workers threads processes shard repeat times iterations help version verbose
  quiet silent debug info warn warning warnings error errors fail failed failing failure failures fast strict exact exit
  code codes status skip ignore include exclude missing unused used changed unchanged staged cached cache fresh new old
  previous current latest next first last recursive deep hidden list show display print summary stats stat statistics report
  reports reporter reporters progress time timing timings duration durations profile trace traces stack mode development
  production prod dev test tests testing spec specs suite suites case cases name names title description desc message body
  subject label labels tag tags type types kind category id ids group groups user username region zone namespace namespaces
  cluster context project projects workspace workspaces package packages crate target targets platform platforms arch os
  features feature default defaults bin bins lib libs example examples bench benches release releases locked frozen offline
  lockfile immutable prefer branch commit sha ref refs revision rev base merge merged squash rebase ff amend edit sign
  signoff author date relative iso utc local porcelain null graph oneline decorate abbrev patch unified word words diff
  numstat keep going going color colors colour ansi pretty compact short long wide json yaml yml xml csv tsv table text plain
  markdown md html pdf format formats output out outfile outdir dir dirs directory folder file files log logs port ports
  input in on off if by of to from per for or and at up down sort sorted order reverse asc desc unique ascii utf encoding
  indent tab tabs space spaces width prose wrap quotes quote single double semi trailing comma newline eol fix fixable write
  check checks validate verify lint format diff list all-files pass passes passed cov coverage threshold under over snapshot
  snapshots update ci collect markers marker k keyword pattern patterns glob globs regex match matches filter filters query
  filterexpression page pages paginate per offset cursor state states open closed merged draft assignee assignees reviewer
  reviewers milestone repo repository owner org comments comment web browser detach attach daemon build builds rebuild clean
  clear force yes confirm assume interaction interactive input save dev peer optional exact depth extras extra optional
  upgrade installed available outdated frozen constraint requirement requirements python node go rust java ruby php arch
  std edition optimize optimization opt minify bundle bundles sourcemap sourcemaps splitting treeshake external globals env
  environment environments var vars variable define set values value data config configuration settings manifest path
  typescript tsconfig emit jsx module modules resolution declaration skip lib isolated incremental composite noemit
  services service replicas replica pods pod container containers image images tty stdin rm scale detailed verbose wide
  since start end begin stop duration rate vus connections requests users spawn seconds minutes hours days
  sequential random seed shuffle order bail maxfail failfast lf ff nf trace slow slowest timestamps time zone
  hot reload live open host-check refresh strip components preserve keep original overwrite resume continue append
  preview readable human bytes si block apparent total size sizes usage free inodes real follow links dereference
  left right both center align header headers headings footer border theme style lang language locale country
  accept fixed float precision round unit units scheme schemes suffix extension extensions ext
  dependencies dependents graph affected since base head uncommitted untracked modified deleted added renamed
  staged tracked untracked remote-only upstream tracking depth single shallow branch mirror recurse submodules
  tags heads refs oneline first parent parents merges cherry mark left only pickaxe word stat shortstat dirstat
  name-only name-status ours theirs strategy ours abort quit continue skip autostash interactive root onto
  cascade migration migrations schema seed sql model models app apps route routes endpoint job name queue queues
  epochs epoch batch lr learning rate model models dataset train eval-only checkpoint device gpu gpus cpu cpus memory mem
  nocapture nocapture test-threads message-format future-incompat edition explain
  audio video codec bitrate fps quality resize crop rotate scale resolution subtitle thumbnail duration preset
  leak leaks track origins full
  sarif junit html lcov cobertura clover text-summary teamcity github actions annotations
  severity confidence baseline
  dest abi items bucket tree disk syntax git deps jq since document function
`),
);
