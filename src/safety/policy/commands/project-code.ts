import { isInside } from "../../../base/files/path.ts";
import { words } from "../../../base/text/words.ts";
import { resolvePathText } from "../../command/checks/path-rules.ts";
import { fileThatRuns } from "../../command/checks/script-rules.ts";
import { programName } from "../../command/programs/program-name.ts";
import { displayText } from "../../command/shell/field.ts";
import { contentOf, type SimpleCommand } from "../../command/shell/simple-command.ts";
import { shellNames } from "../../command/wrappers/shells.ts";
import { askOnce, askPerSession, type SubjectAsk } from "../approvals/question.ts";
import type { AnalysedCommand } from "./analysed-command.ts";

export const sessionCodeRule = "session_code";

/**
 * Returns questions about code that the session wrote and that cannot be judged before it runs, if there is no sandbox.
 * One answer per session and program is enough.
 */
export function askAboutSessionCode(
  analysed: AnalysedCommand,
  written: ReadonlySet<string>,
  workspace: string,
): readonly SubjectAsk[] {
  const unread = analysed.unread.map(({ sentence }) => sentence);
  if (unread.length > 0) {
    const files = Array.from(analysed.contents, ([path, text]) => (text === "" ? [] : [path]))
      .flat()
      .toSorted();
    return [
      ask(
        files.join(" "),
        `runs files that changed in this session and that cannot be analysed (${unread[0]}): ${files.join(", ")}`,
      ),
    ];
  }
  if (![...written].some((path) => isInside(workspace, path) && !onlyText.test(path))) return [];
  return analysed.judgement.commands.flatMap((ran) => {
    const program = projectProgram(ran, workspace);
    return program === undefined
      ? []
      : [ask(program, `runs code of the project, which this session has changed: ${program}`)];
  });
}

function ask(what: string, reason: string): SubjectAsk {
  return askPerSession(askOnce(what, { rule: sessionCodeRule, message: reason }), what);
}

/** Returns the program and its file or task, if it runs code of the project that the analysis does not read. */
function projectProgram(ran: SimpleCommand, workspace: string): string | undefined {
  const name = programName(ran.argv[0]) ?? "";
  const verb = ran.argv.slice(1).find(({ text }) => !text.startsWith("-"));
  const tasks = taskRunners.get(name);
  if (tasks) return tasks.test(verb?.text ?? "") ? [name, ...(verb ? [displayText(verb)] : [])].join(" ") : undefined;
  const file = fileThatRuns(ran, name);
  if (!file) return undefined;
  const path = resolvePathText(file.text, ran.cwd);
  // The analysis has read this code and everything that it runs.
  const isRead = contentOf(ran, file) !== undefined && (shellNames.has(name) || name === "source" || name === ".");
  return isRead || !isInside(workspace, path) ? undefined : `${name} ${path}`;
}

/** Files that no program of a project runs. */
const onlyText =
  /\.(?:mdx?|rst|txt|adoc|csv|tsv|log|svg|png|jpe?g|gif|webp|pdf|lock|css|html?)$|\/(?:LICENSE|\.gitignore)$/u;

const anyTask = /^/u;

const taskRunners: ReadonlyMap<string, RegExp> = new Map<string, RegExp>([
  ...words("npm pnpm yarn bun").map((name): [string, RegExp] => [
    name,
    /^(?:t|tst|test|run|run-script|start|stop|restart|exec|x|build|dev|lint|ci|it|cit|install|i|rebuild)?$/u,
  ]),
  ...words(
    "make just task rake pytest tox nox jest vitest mocha ava playwright cypress gulp grunt phpunit rspec ctest gradle gradlew mvn mvnw ant sbt lein bazel",
  ).map((name): [string, RegExp] => [name, anyTask]),
  ["cargo", /^(?:run|r|test|t|build|b|bench|check|c|clippy|nextest)$/u],
  ["go", /^(?:run|test|generate|build)$/u],
  ["dotnet", /^(?:run|test|build|msbuild)$/u],
  ["mix", /^(?:test|run|compile|phx\.server)$/u],
  ["swift", /^(?:run|test|build)$/u],
]);
