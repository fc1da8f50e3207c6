import { basename, extname } from "node:path";

import type { SessionId, TurnId } from "../../base/ids.ts";
import { isObject } from "../../base/json.ts";
import { oneLine, plural } from "../../base/text/text.ts";
import type { HookBus } from "../../contracts/host/hook.ts";
import type { PendingCall } from "../../contracts/tool/dispatch.ts";
import type { ToolResult } from "../../contracts/tool/tool-result.ts";

export interface VerificationDeps {
  /** True to ask the model to check changed code before it ends its turn. */
  readonly verifyOnStop: boolean;
  readonly sessionId: SessionId;
  readonly hooks: HookBus;
  model(): { readonly model: string };
}

/** The answer that would end a turn. `attempt` is the number of times the turn was already continued. */
export interface UnfinishedAnswer {
  readonly turnId: TurnId;
  readonly answer: string;
  readonly attempt: number;
}

export interface UnwrittenNotice {
  readonly text: string;
  readonly unwritten: readonly string[];
}

/** Tracks the file changes of a turn and the checks that ran after them. */
export interface Verification {
  /** Called at the start of a turn. */
  begin(): void;
  note(call: PendingCall, result: ToolResult): void;
  /** Returns remaining work for the model before its answer is accepted. */
  unfinished(state: UnfinishedAnswer): Promise<string | undefined>;
  /** Returns a notice at the end of the turn: files whose change failed and that were not changed later. */
  leftovers(): UnwrittenNotice | undefined;
}

export function createVerification({ verifyOnStop, sessionId, hooks, model }: VerificationDeps): Verification {
  let changed = new Set<string>();
  let unchecked = new Set<string>();
  let failed = new Map<string, string>();

  return {
    begin() {
      changed = new Set();
      unchecked = new Set();
      failed = new Map();
    },
    note({ tool, prepared, effects }, result) {
      const paths = writtenPaths(effects);
      if (fileTools.has(tool.name)) {
        for (const path of paths) {
          if (result.ok) failed.delete(path);
          else if (result.error.kind !== "denied") failed.set(path, oneLine(result.error.message, 120));
        }
      }
      if (result.ok) {
        for (const path of paths) {
          changed.add(path);
          if (isCode(path)) unchecked.add(path);
        }
      }
      const { command } = prepared.args;
      if (tool.name === "terminal" && typeof command === "string" && isCheck(command) && hasRun(result)) {
        unchecked = new Set();
      }
    },
    async unfinished({ turnId, answer, attempt }) {
      if (verifyOnStop && unchecked.size > 0) {
        const text = checkText([...unchecked]);
        // Reported only once for each set of changes: a model that cannot run a check will say so.
        unchecked = new Set();
        return text;
      }
      if (changed.size === 0 || !hooks.has("beforeVerify")) return undefined;
      const changedPaths = [...changed];
      const about = { sessionId, turnId, model: model().model, isCoding: changedPaths.some(isCode) };
      const event = { ...about, answer, changedPaths, attempt };
      const reply = await hooks.ask("beforeVerify", event, AbortSignal.timeout(hookMs));
      return reply?.continueWith;
    },
    leftovers() {
      if (failed.size === 0) return undefined;
      const lines = Array.from(failed, ([path, why]) => `${path} (${why})`);
      const text = `${plural(failed.size, "file")} could not be changed in this turn: ${lines.slice(0, 10).join("; ")}`;
      return { text, unwritten: [...failed.keys()] };
    },
  };
}

const hookMs = 30_000;
const fileTools: ReadonlySet<string> = new Set(["write_file", "patch"]);

function writtenPaths(effects: PendingCall["effects"]): readonly string[] {
  return effects.flatMap((effect) => {
    if (effect.kind === "write") return [effect.path];
    return effect.kind === "move" ? [effect.to] : [];
  });
}

/** A check counts if it finished, even if a test failed. */
function hasRun(result: ToolResult): boolean {
  return result.ok && isObject(result.value.data) && typeof result.value.data["exit_code"] === "number";
}

function checkText(paths: readonly string[]): string {
  const named = paths.slice(0, 5).map((path) => basename(path));
  const more = paths.length > named.length ? ` and ${paths.length - named.length} more` : "";
  return `You changed ${named.join(", ")}${more} and have not checked it. Run the test, build or lint command of the project that covers it, fix what it reports, then answer. If there is none that can run here, say so.`;
}

const codeEndings = wordSet(
  "c cc cjs cpp cs css cts cxx dart ex exs go h hpp hs html java js jsx kt kts lua m mjs ml mm mts php pl ps1 py r rb rs scala scss sh sql svelte swift ts tsx vue zig",
);

function isCode(path: string): boolean {
  return codeEndings.has(extname(path).slice(1).toLowerCase());
}

/** Commands that test, build or lint, with the names that most projects use. */
export function isCheck(command: string): boolean {
  const words = command
    .slice(0, 4_000)
    .split(/[\s;&|()]+/u)
    .map((word) => basename(word));
  return words.some((word, index) => {
    if (checkers.has(word)) return true;
    const next = words.slice(index + 1, index + 5);
    return (
      (runners.has(word) &&
        next.some((each) => /^(?:t|vet|ci|clippy|compile|run|analyze)$|test|check|build|lint|verify/u.test(each))) ||
      (interpreters.has(word) && next.some((each) => /test|^py_compile$|^--check$|^-n$/u.test(each)))
    );
  });
}

const runners = wordSet(
  "npm pnpm yarn bun deno cargo go dotnet mix swift zig flutter dart gradle gradlew mvn mvnw sbt rake just bazel ninja cmake poetry uv hatch npx",
);
const checkers = wordSet(
  "pytest jest vitest mocha ava tsc eslint oxlint biome ruff mypy pyright flake8 pylint rspec rubocop phpunit phpstan ctest shellcheck golangci-lint clang-tidy swiftlint ktlint make tox nox gcc g++ cc clang rustc javac",
);
const interpreters = wordSet("python python3 node bash sh php ruby perl");

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}
