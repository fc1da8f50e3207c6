import { isInside } from "../../../base/files/path.ts";
import { words } from "../../../base/text/words.ts";
import { resolvePathText } from "../../command/checks/path-rules.ts";
import { fileThatRuns } from "../../command/checks/script-rules.ts";
import { onlyPrintsArguments } from "../../command/programs/deletion-verbs.ts";
import { isKnownProgram } from "../../command/programs/program-facts.ts";
import { type Field, hole, isKnown } from "../../command/shell/field.ts";
import type { SimpleCommand } from "../../command/shell/simple-command.ts";
import { shellNames } from "../../command/wrappers/shells.ts";

/**
 * Returns the file that a command runs or loads from a temporary folder, where any program can put a file: `make -f
 * /tmp/x`, `node -r /tmp/x.js`, `gcc -fplugin=/tmp/x.so`. Files whose content is known are judged by it instead.
 */
export function temporaryCode(
  ran: SimpleCommand,
  name: string,
  place: OwnPlace,
  isWritten: (path: string) => boolean,
): string | undefined {
  const isNear = ran.cwd.includes("/tmp") || ran.redirections.some(({ target }) => mayBeTemporary(target.text));
  if (!isNear && !ran.argv.some(({ text }) => mayBeTemporary(text))) return undefined;
  const isForeign = (path: string) => isTemporaryOf(place, path) && !isWritten(path) && !hasContent(ran, path);
  if (plain.has(name)) return undefined;
  const program = ran.argv[0]?.text ?? "";
  if (program.includes("/") && isForeign(resolvePathText(program, ran.cwd))) return program;
  const file = ran.argv[1]?.text === "-m" ? undefined : fileThatRuns(ran, name);
  if (file && isKnown(file) && isForeign(resolvePathText(file.text, ran.cwd))) return file.text;
  const isShell = shellNames.has(name) || name === "source" || name === ".";
  const input = isShell ? ran.redirections.find(({ how }) => how === "read")?.target : undefined;
  if (input && isKnown(input) && isForeign(resolvePathText(input.text, ran.cwd))) return input.text;
  const loaded = wordsThatLoad(ran, name).find((path) => isForeign(resolvePathText(path, ran.cwd)));
  if (loaded !== undefined) return loaded;
  return readsProject.has(name) && isForeign(ran.cwd) ? ran.cwd : undefined;
}

/** Whether a command copies, unpacks or applies a file of a temporary folder, so that later commands may run it. */
export function bringsTemporary(ran: SimpleCommand, name: string, place: OwnPlace): boolean {
  if (!importers.has(name)) return false;
  const args = ran.argv.slice(1);
  const read = ran.redirections.flatMap(({ how, target }) => (how === "read" ? [target] : []));
  const sources = [...(copiers.has(name) ? args.slice(0, -1) : isImport(name, args) ? args : []), ...read];
  return sources.some((word) => {
    const path = mayBeTemporary(word.text) && isKnown(word) ? resolvePathText(word.text, ran.cwd) : "";
    return isTemporaryOf(place, path) && !hasContent(ran, path);
  });
}

function isImport(name: string, [verb, source]: readonly Field[]): boolean {
  if (name === "tar") return /^-?[a-zA-Z]*x|^--(?:extract|get)$/u.test(verb?.text ?? "");
  if (name !== "git") return true;
  return /^(?:apply|am)$/u.test(verb?.text ?? "") || (verb?.text === "clone" && mayBeTemporary(source?.text ?? ""));
}

const copiers: ReadonlySet<string> = new Set(words("cp mv ln install rsync"));
const importers: ReadonlySet<string> = new Set([...copiers, ...words("tar unzip 7z cpio patch git")]);

function mayBeTemporary(text: string): boolean {
  return text.includes("/tmp/") || text.includes("/dev/shm/");
}

interface OwnPlace {
  readonly home: string;
  readonly workspace: string;
}

/** A workspace or a home below a temporary folder belongs to the user. */
function isTemporaryOf({ home, workspace }: OwnPlace, path: string): boolean {
  return temporary.test(path) && !isInside(workspace, path) && !(temporary.test(home) && isInside(home, path));
}

const temporary = /^\/(?:private\/)?(?:(?:var\/)?tmp|dev\/shm)\/./u;

const temporaryPart = /\/(?:private\/)?(?:(?:var\/)?tmp|dev\/shm)\//u;

function hasContent({ contents }: SimpleCommand, path: string): boolean {
  if (contents.has(path)) return true;
  if (contents.size > maxContents) return false;
  const folder = path.endsWith("/") ? path : `${path}/`;
  for (const file of contents.keys()) if (file.startsWith(folder)) return true;
  return false;
}

/** Returns the paths below a temporary folder among the arguments that a program takes code or settings from. */
function wordsThatLoad({ argv }: SimpleCommand, name: string): readonly string[] {
  const isScripted = shellNames.has(name) || takesScript.has(name);
  const isRunner = runsFiles.has(name) || (!isKnownProgram(name) && !onlyPrintsArguments(name));
  const paths: string[] = [];
  for (let index = 1; index < argv.length && index <= maxWords; index++) {
    const text = argv[index]?.text ?? "";
    const before = argv[index - 1]?.text ?? "";
    const isOperand = !text.startsWith("-") && !(index > 1 && takesValue.test(before));
    const offset = text.search(temporaryPart);
    if (offset >= 0 && !text.includes(hole)) {
      const option = offset > 0 ? text.slice(0, offset) : isOperand ? "" : before;
      const path = text.slice(offset);
      if (canLoad(option, path, name, isScripted || isRunner)) paths.push(path);
    }
    // The other words are arguments of the script.
    if (isScripted && isOperand && !(index === 1 && verb.test(text))) break;
  }
  return paths;
}

function canLoad(option: string, path: string, name: string, isRunner: boolean): boolean {
  if (name === "git") return option.startsWith("--git-dir");
  if (name === "docker" || name === "kubectl") return /^(?:-f|--file)=?$/u.test(option);
  if (option === "")
    return (isRunner && (runsFiles.has(name) || !dataFile.test(path))) || /\.(?:so|dylib|dll|jar)$/u.test(path);
  if (/^-+on-/u.test(option)) return true;
  if (output.test(option)) return false;
  if (name === "cmake" && /^(?:-B|-S|--build|--install)$/u.test(option)) return false;
  return isRunner || loading.test(option) || code.test(path);
}

/** Subcommands that take the script: `go run x.go`. */
const verb = /^(?:run|r|exec|start|test|task|build|script|file|build-exe|compile)$/u;

/** Files that a program without a table most likely reads as data. */
const dataFile =
  /\.(?:json|jsonl|csv|tsv|txt|log|md|png|jpe?g|gif|webp|svg|pdf|html?|xml|tar|t?gz|zip|db|sqlite|patch|diff|wav|mp[34]|pem)$/iu;

const maxWords = 60;
const maxContents = 100;

const takesValue = /^(?:-[A-Za-z]|--?[a-z][\w-]+)$/u;

/** Options whose value is written, or holds only data. */
const output =
  /^-{0,2}(?:o|O|d|prefix|root|t|w)=?$|out|log|report|cache|te?mp|target(?!s=|\.)|cov|dest|xml|html|trace|dump|save|write|store|data|pid|sock|state|record|snapshot|artifact|result|download|export|input(?!-file)/iu;

/** Options whose value is code, or settings that name code. */
const loading =
  /plug|load|require|import|module|script|init|conf|cfg|rc|engine|provider|agent|lib|ext|filter|hook|wrapper|exec|tool|linker|boot|preset|rules|lua|interp|cmd|command|prog|path|specs|syntax|use|template|include|askpass|pinentry|overlay|repository|render|option|file|src|dir$|^-[a-z]$|^@$|^-[BI]/iu;

const code =
  /\.(?:so|dylib|dll|jar|[cm]?[jt]sx?|py|rb|php|p[lm]|lua|sh|vim|el|scm|jl|tcl|gradle|cmake|mk|targets|conf|ini|cfg|toml|ya?ml|rc|sql|awk|gdb|exp)$/iu;

/** Programs that run the file in their first operand. */
const takesScript: ReadonlySet<string> = new Set(
  words(`
  python node ruby perl php lua luajit deno bun tsx ts-node rscript r julia octave racket guile sbcl clisp swipl tclsh
  wish expect scala kotlin groovy dotnet java bb clj clojure elixir iex erl gnuplot source . osascript raku crystal
  m4 dc ghc runghc runhaskell go zig nim v dart swift jshell groovysh
`),
);

/** Programs that run or load every file in their arguments. */
const runsFiles: ReadonlySet<string> = new Set(
  words(`
  make ninja cmake meson bazel gradle gradlew mvn mvnw ant sbt msbuild just task rake scons npm pnpm yarn pip pipx uv gem
  bundle cargo composer poetry pytest tox nox mocha jest vitest webpack rollup vite gulp grunt rspec rubocop cucumber
  rackup puma phpunit phpstan prove gunicorn uvicorn celery flask scrapy locust fab invoke alembic sphinx-build mkdocs
  coverage ipython jupyter tmux screen gdb lldb valgrind redis-server nginx httpd haproxy caddy mysqld irb lein
  ansible terraform strace ltrace perf ld.so ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 ld-linux.so.2 run-parts pm2
  supervisorctl makepkg apt-get dnf dpkg rpm snap flatpak easy_install
`),
);

/** Programs that run code of the folder where they start. */
const readsProject: ReadonlySet<string> = new Set(
  words(`
  make ninja bazel gradle mvn ant sbt just task rake scons npm pnpm yarn pip poetry pytest tox nox mocha jest vitest
  webpack rollup vite gulp grunt rspec cargo composer bundle invoke fab
`),
);

/** Programs that take files as data, except in options that their own rules know. */
const plain: ReadonlySet<string> = new Set(
  words(`
  cat head tail more grep rg ag ack ls dir tree stat file wc sort uniq cut tr diff cmp comm cp mv rm mkdir rmdir
  touch ln chmod chown tar zip unzip gzip gunzip bzip2 xz zstd 7z find fd du df tee dd install rsync scp aws gcloud az
  gh glab wget http https xh ffmpeg convert magick identify echo printf cd pushd test [ realpath readlink
  basename dirname md5sum sha1sum sha256sum base64 xxd od hexdump strings patch split truncate shred export declare
  mktemp column paste join nl fold tac rev yq csvkit code env timeout nohup time nice sudo xargs
`),
);
