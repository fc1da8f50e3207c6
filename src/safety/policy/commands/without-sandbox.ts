import { posix } from "node:path";

import { isInside } from "../../../base/files/path.ts";
import { oneLine } from "../../../base/text/text.ts";
import { words } from "../../../base/text/words.ts";
import { isTemporary, resolvePathText } from "../../command/checks/path-rules.ts";
import { clonedFolder, fetched, fileThatRuns, isDownloader } from "../../command/checks/script-rules.ts";
import { isFromArchive, type UnpackedArchive, unpackedArchive } from "../../command/checks/unpacked-archives.ts";
import { readOptions } from "../../command/programs/options.ts";
import { isKnownProgram, programFacts } from "../../command/programs/program-facts.ts";
import { programName } from "../../command/programs/program-name.ts";
import { displayText, hole, isKnown } from "../../command/shell/field.ts";
import type { SimpleCommand } from "../../command/shell/simple-command.ts";
import { askAbout, type SubjectAsk } from "../approvals/question.ts";
import type { ProjectFiles } from "./build-output.ts";
import type { JudgedCommand } from "./judged-command.ts";

/** Returns questions about effects that a sandbox would limit. Without a sandbox, a person decides. */
export async function askWithoutSandbox(
  { commands, subjectOf }: Pick<JudgedCommand, "commands" | "subjectOf">,
  workspace: string,
  project: ProjectFiles | undefined,
): Promise<readonly SubjectAsk[]> {
  const asks: SubjectAsk[] = [];
  const clones: string[] = [];
  const downloads = new Set<string>();
  const archives: UnpackedArchive[] = [];
  const installed = new Set<string>();
  const edited = new Set<string>();
  for (const ran of commands) {
    const add = (rule: string, effect: string) => {
      const message = `${effect}, and no sandbox limits it: ${oneLine(ran.argv.map(displayText).join(" "), maxSaid)}`;
      asks.push(askAbout(subjectOf(ran), { rule, message }));
    };
    const facts = programFacts(ran).filter((fact) => fact.kind === "path");
    const paths = facts.map((fact) => ({ how: fact.how, path: resolvePathText(fact.path.text, ran.cwd) }));
    // Only the beginning of a path matters, because it determines where the path is.
    if (paths.some(({ path }) => startsUnknown.test(path)))
      add("unknown_path", "uses a path that is unknown until the command runs");
    const name = programName(ran.argv[0]) ?? "";
    // For unknown programs, it is only assumed that an argument is a file.
    const isNew = ({ how, path }: (typeof paths)[number]) => how === "make" && isOutside(path, workspace);
    if (isKnownProgram(name) && name !== "rmdir" && paths.some(isNew))
      add("outside_workspace", "creates files outside the workspace");
    const isLocked = facts.some(
      ({ how, isRecursive, path: { text } }) =>
        (how === "permission" || how === "owner") &&
        isRecursive &&
        isOutside(resolvePathText(text, ran.cwd), workspace),
    );
    if (isLocked) add("outside_workspace", "changes permissions of a whole folder outside the workspace");
    const tool = fetchedTool(ran, name);
    if (tool !== undefined && !(await isInstalled(tool, ran, workspace, project)))
      add("remote_code", "fetches a package and runs it");
    if (buildsIn(clones, archives, ran, name)) add("remote_code", "runs code that it has fetched");
    const file = fileThatRuns(ran, name);
    if (file && edited.has(resolvePathText(file.text, ran.cwd))) add("unknown_code", "runs a file after editing it");
    if (editors.has(name)) for (const { how, path } of paths) if (how !== "read" && how !== "delete") edited.add(path);
    const program = moduleOf(ran, name) ?? name;
    if (installed.has(program)) add("remote_code", "runs a program that it has installed");
    for (const each of installedPrograms(ran, program)) installed.add(each);
    if (stopsNode(ran, name)) add("own_process", "stops every Node program, and Hermes is one");
    const clone = clonedFolder(ran, name);
    if (clone !== undefined) clones.push(resolvePathText(clone, ran.cwd));
    const archive = unpackedArchive(ran, name, (each) => downloads.has(each), isDownloader);
    if (archive) archives.push(archive);
    for (const { text } of fetched(ran, name)) downloads.add(resolvePathText(text, ran.cwd));
  }
  return asks;
}

/** Caches and temporary files do not belong to the user's settings or work. */
function isOutside(path: string, workspace: string): boolean {
  return (
    path.startsWith("/") && !isInside(workspace, path) && !isTemporary(path) && !/^\/dev\/|\/\.cache\//u.test(path)
  );
}

const maxSaid = 300;

const startsUnknown = new RegExp(`^/?${hole}`, "u");

/** Programs that edit the text of a file. The analysis does not compute their result. */
const editors: ReadonlySet<string> = new Set(
  words("sed perl ruby python node awk sort uniq shuf patch ed ex sponge jq yq"),
);

/** Returns the programs that a package manager installs, by the names of their packages. */
function installedPrograms({ argv }: SimpleCommand, name: string): readonly string[] {
  const verb = installers.get(name);
  const index = argv.findIndex(({ text }) => verb?.test(text));
  if (index < 0) return [];
  const { operands, has } = readOptions(argv.slice(index + 1), {
    short: "rcepCi",
    long: words("requirement git branch tag version features index-url prefix target"),
  });
  if (has("path", "e", "editable")) return [];
  return operands
    .filter(({ text }) => !/^[./]/u.test(text) && (name !== "go" || text.includes("@")))
    .map(({ text }) => posix.basename(text.replace(/(?<=.)[@=<>~![][^/]*$/u, "").replace(/\/v\d+$/u, "")))
    .filter((program) => !wellKnown.has(program));
}

const installers: ReadonlyMap<string, RegExp> = new Map([
  ...words("go cargo pip pipx uv gem brew conda mamba dotnet").map((name): [string, RegExp] => [name, /^install$/u]),
  ...words("npm pnpm yarn bun").map((name): [string, RegExp] => [name, /^(?:install|i|add)$/u]),
]);

/** Handles `python -m name`. */
function moduleOf({ argv }: SimpleCommand, name: string): string | undefined {
  return name === "python" ? argv.find((_, index) => argv[index - 1]?.text === "-m")?.text : undefined;
}

/** Returns the package or program that a runner downloads if it is missing. */
function fetchedTool({ argv }: SimpleCommand, name: string): string | undefined {
  const args = argv.slice(1);
  const direct = /^(?:npx|bunx|pnpx|uvx)$/u.test(name);
  const index = args.findIndex(({ text }) => verbsOf.get(name)?.test(text));
  if (!direct && index < 0) return undefined;
  const { operands, value } = readOptions(args.slice(direct ? 0 : index + 1), {
    short: "pcw",
    long: ["package", "from", "with", "workspace", "call"],
    isPrefix: true,
  });
  const tool = (value("p", "package", "from") ?? operands[0])?.text;
  if (tool === undefined || value("c", "call") !== undefined) return undefined;
  if (name === "go") return tool.includes("@") && !tool.startsWith("golang.org/") ? tool : undefined;
  if (name === "deno") return /^(?:npm|jsr|https?):/u.test(tool) ? tool : undefined;
  if (name === "nix") return tool.startsWith("nixpkgs#") ? undefined : tool;
  return tool;
}

const verbsOf: ReadonlyMap<string, RegExp> = new Map([
  ["npm", /^(?:exec|x)$/u],
  ["pnpm", /^dlx$/u],
  ["yarn", /^dlx$/u],
  ["bun", /^x$/u],
  ["pipx", /^run$/u],
  ["deno", /^run$/u],
  ["go", /^run$/u],
  ["nix", /^(?:run|shell)$/u],
]);

/** The program is installed in the project, or is a common tool that is downloaded by this name. */
async function isInstalled(
  tool: string,
  { cwd }: SimpleCommand,
  workspace: string,
  project: ProjectFiles | undefined,
): Promise<boolean> {
  const name = tool.replace(/(?<=.)@[^/]*$/u, "");
  if (
    wellKnown.has(name) ||
    /^(?:create-[\w-]+|@(?:types|angular|vue|nestjs|storybook|playwright|biomejs)\/)/u.test(name)
  )
    return true;
  const folders = isInside(workspace, cwd) ? [cwd, workspace] : [cwd];
  for (const folder of project && !cwd.includes(hole) ? folders : []) {
    const file = posix.join(folder, "node_modules/.bin", posix.basename(name));
    if (project && !(await project.isMissing(file))) return true;
  }
  return false;
}

const wellKnown: ReadonlySet<string> = new Set(
  words(`
  tsc typescript ts-node tsx eslint prettier jest vitest mocha webpack vite rollup esbuild next nuxt astro gatsby expo
  react-scripts react-native ng vue playwright cypress storybook sb husky lint-staged commitlint changeset lerna nx turbo
  prisma drizzle-kit typeorm knex sequelize-cli tailwindcss postcss sass serve http-server live-server json-server nodemon
  concurrently rimraf npm-check-updates ncu depcheck madge knip degit serverless sst wrangler vercel netlify firebase-tools
  semantic-release release-it standard xo rome biome c8 nyc tap ava swc babel pkg node-gyp license-checker markdownlint
  markdownlint-cli markdownlint-cli2 cspell black ruff flake8 mypy isort pytest tox nox poetry pre-commit httpie cookiecutter
  pyright sphinx-build mkdocs twine build uv
`),
);

/**
 * Returns whether this is a build, an installation or a program in a folder that version control or an archive has just
 * filled.
 */
function buildsIn(
  clones: readonly string[],
  archives: readonly UnpackedArchive[],
  ran: SimpleCommand,
  name: string,
): boolean {
  if ((clones.length === 0 && archives.length === 0) || !builders.has(name)) return false;
  const places = [
    ran.cwd,
    ...ran.argv.slice(1).flatMap((word) => (isKnown(word) ? [resolvePathText(word.text, ran.cwd)] : [])),
  ];
  return (
    clones.some((clone) => places.some((place) => isInside(clone, place))) ||
    archives.some((archive) => places.some((place) => isFromArchive(archive, place, false)))
  );
}

const builders: ReadonlySet<string> = new Set(
  words(`
  make npm pnpm yarn bun pip pipx uv poetry cargo go mvn gradle gradlew mvnw cmake ninja meson composer bundle rake gem
  python node ruby php perl bash sh zsh source . configure just task tox pytest nox docker setup.py
`),
);

/** In the list of processes, Hermes appears as `node`. */
function stopsNode({ argv }: SimpleCommand, name: string): boolean {
  if (name !== "pkill" && name !== "killall") return false;
  const { operands, has } = readOptions(argv.slice(1), { short: "sugGPtUF", long: ["signal"] });
  return !has("f", "full") && operands.some(({ text }) => text === "node" || text === "^node" || text === "nodejs");
}
