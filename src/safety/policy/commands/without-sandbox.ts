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
import { askAbout, askPerSession, type SubjectAsk } from "../approvals/question.ts";
import type { ProjectFiles } from "./build-output.ts";
import { fetchedCode } from "./fetched-code.ts";
import { foreignImage } from "./foreign-image.ts";
import type { JudgedCommand } from "./judged-command.ts";
import { openedDoor } from "./open-doors.ts";
import { outsidePath } from "./outside-path.ts";
import { fetchedTool, installedPrograms, isInstalled, moduleOf, namedPackage } from "./package-runners.ts";
import { receiverOfData } from "./sent-data.ts";
import { bringsTemporary, temporaryCode } from "./temporary-code.ts";
import { unforeseenUse } from "./unforeseen-use.ts";

/** Returns questions about effects that a sandbox would limit. Without a sandbox, a person decides. */
export async function askWithoutSandbox(
  { commands, subjectOf }: Pick<JudgedCommand, "commands" | "subjectOf">,
  place: { readonly home: string; readonly workspace: string },
  project: ProjectFiles | undefined,
  functions: Readonly<Record<string, string>> = {},
): Promise<readonly SubjectAsk[]> {
  const { workspace } = place;
  const asks: SubjectAsk[] = [];
  const clones: string[] = [];
  const downloads = new Set<string>();
  const archives: UnpackedArchive[] = [];
  const installed = new Set<string>();
  const edited = new Set<string>();
  const written = new Set<string>();
  const remotes = new Set<string>();
  const defined = new Set(Object.keys(functions));
  for (const { argv } of commands) if (argv[0]?.text === "function" && argv[1]) defined.add(argv[1].text);
  for (const ran of commands) {
    const asksBefore = asks.length;
    const askFor = (rule: string, effect: string) => {
      const message = `${effect}: ${oneLine(ran.argv.map(displayText).join(" "), maxSaid)}`;
      return askAbout(subjectOf(ran), { rule, message });
    };
    const add = (rule: string, effect: string) => asks.push(askFor(rule, `${effect}, and no sandbox limits it`));
    const addOnce = (rule: string, what: string, effect: string) => {
      const reason = `${effect}, and no sandbox limits it (one approval of "${what}" is enough for this session)`;
      asks.push(askPerSession(askFor(rule, reason), what));
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
    const loaded = temporaryCode(ran, name, place, (path) => written.has(path));
    if (loaded !== undefined) add("unknown_code", "runs or loads a file of a temporary folder");
    for (const { how, path } of paths) if (how !== "read" && how !== "delete") written.add(path);
    const how = tool === undefined ? fetchedCode(ran, program) : undefined;
    if (how !== undefined) add("remote_code", how);
    const covered = isKnownProgram(name) ? paths.map(({ path }) => path) : [];
    if (outsidePath(ran, name, program, place, covered) !== undefined)
      add("outside_workspace", "may change files outside the workspace");
    const [verb, second, remote] = name === "git" ? ran.argv.slice(1).map(({ text }) => text) : [];
    if (verb === "remote" && second === "add") for (const { text } of ran.argv.slice(3)) remotes.add(text);
    if (verb === "push" && [second, remote].some((each) => each !== undefined && remotes.has(each)))
      add("open_door", "sends the project to a place that the same command added");
    const added = namedPackage(ran, program);
    if (added !== undefined) addOnce("remote_code", `${program} packages`, "installs a package by name");
    const image = foreignImage(ran, name);
    if (image !== undefined) addOnce("remote_code", `image ${image}`, "runs an image of others");
    const receiver = receiverOfData(ran, name);
    if (receiver !== undefined)
      addOnce("sends_data", receiver, `sends data or a request that may change data to ${receiver}`);
    const door = openedDoor(ran, name);
    if (door !== undefined) add("open_door", door);
    if (installed.has(program)) add("remote_code", "runs a program that it has installed");
    for (const each of installedPrograms(ran, program)) installed.add(each);
    if (stopsNode(ran, name)) add("own_process", "stops every Node program, and Hermes is one");
    const clone = clonedFolder(ran, name) ?? clonedByGh(ran, name);
    if (clone !== undefined) clones.push(resolvePathText(clone, ran.cwd));
    const brings = downloadsPackage(ran, program) || bringsTemporary(ran, name, place);
    if (brings && !isTemporary(ran.cwd)) clones.push(ran.cwd);
    const isAsked = asks.slice(asksBefore).some(({ sessionKey }) => sessionKey === undefined);
    const use = isAsked || defined.has(name) ? undefined : unforeseenUse(ran, name, workspace);
    if (use !== undefined) addOnce("unforeseen", use, "has effects that are not known before it runs");
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

/** Handles `gh repo clone owner/name folder`. */
function clonedByGh({ argv }: SimpleCommand, name: string): string | undefined {
  const [, group, verb, repository, folder] = argv.map(({ text }) => text);
  if (name !== "gh" || group !== "repo" || verb !== "clone") return undefined;
  return folder ?? repository?.slice(repository.lastIndexOf("/") + 1);
}

const maxSaid = 300;

const startsUnknown = new RegExp(`^/?${hole}`, "u");

/** Programs that edit the text of a file. The analysis does not compute their result. */
const editors: ReadonlySet<string> = new Set(
  words("sed perl ruby python node awk sort uniq shuf patch ed ex sponge jq yq"),
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

/** Handles `pip download x`, `npm pack x` and `gem fetch x`, which leave an archive in the folder. */
function downloadsPackage({ argv }: SimpleCommand, program: string): boolean {
  const [verb, name] = argv.filter(({ text }) => !text.startsWith("-")).slice(-2);
  return verb !== undefined && /^[\w@]/u.test(name?.text ?? "") && packers.get(program)?.test(verb.text) === true;
}

const packers: ReadonlyMap<string, RegExp> = new Map([
  ["pip", /^download$/u],
  ["npm", /^pack$/u],
  ["gem", /^(?:fetch|unpack)$/u],
]);

/** In the list of processes, Hermes appears as `node`. */
function stopsNode({ argv }: SimpleCommand, name: string): boolean {
  if (name !== "pkill" && name !== "killall") return false;
  const { operands, has } = readOptions(argv.slice(1), { short: "sugGPtUF", long: ["signal"] });
  return !has("f", "full") && operands.some(({ text }) => text === "node" || text === "^node" || text === "nodejs");
}
