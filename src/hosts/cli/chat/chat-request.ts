import { isUtf8 } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

import { effortNamed, reasoningEfforts, type ReasoningEffort } from "../../../contracts/model/model.ts";
import { type CliContext, type CliInput, CommandFailed } from "../command.ts";

/** The chat options of a command line. */
export interface ChatRequest {
  /** The prompt. Undefined: the user types it. */
  readonly prompt?: string;
  /** True: at a terminal the chat starts with this prompt and continues. */
  readonly isOpening: boolean;
  /** Shows only the answer. */
  readonly isQuiet: boolean;
  /** Prints only the answer, not even the session id. */
  readonly isBare: boolean;
  /** The session id, its prefix, a title or `latest`. */
  readonly resume?: string;
  /** A branch of the resumed session. Default: the last one used. */
  readonly branch?: string;
  /** A title; empty for the newest session. */
  readonly goOn?: string;
  /** With `goOn`: an unknown title starts a new session. */
  readonly createsMissing: boolean;
  /** A resumed session works in the current folder. */
  readonly keepsFolder: boolean;
  /** The source of a new session, instead of `cli` or `oneshot`. */
  readonly sourceTag?: string;
  readonly namesSessionId: boolean;
  /** Seconds for the whole run. */
  readonly runBudget?: number;
  /** The toolsets of the command line. */
  readonly toolsets?: string;
  readonly images: readonly string[];
  /** Skills used from the start. */
  readonly skills: readonly string[];
  /** `provider/model`, a model or an alias. */
  readonly model?: string;
  /** The only provider to use. */
  readonly provider?: string;
  readonly maxTurns?: number;
  readonly reasoning?: ReasoningEffort;
  readonly ignoreRules: boolean;
  readonly safeMode: boolean;
  readonly acceptHooks: boolean;
  readonly usageFile?: string;
  /** The file of the recording; empty for the default file. */
  readonly record?: string;
}

/** Parses the chat options. Ends the command with exit code 2 if they contradict each other. */
export function readChatRequest(input: CliInput, ctx: Pick<CliContext, "json" | "env" | "cwd">): ChatRequest {
  const oneshot = input.option("oneshot");
  const query = input.option("query") ?? queryFromFile(input.option("queryFile"), input, ctx.cwd);
  if (oneshot !== undefined && query !== undefined)
    throw new CommandFailed("-z and -q both set the prompt.", "Use one of them.", 2);
  const words = input.rest("prompt").join(" ");
  if (words.trim() !== "" && (oneshot ?? query) !== undefined)
    throw new CommandFailed(`There are two prompts: ${words}`, "Quote a prompt with spaces: hermes -z 'say hi'", 2);
  const isOpening = words.trim() !== "";
  const prompt = oneshot ?? query ?? (isOpening ? words : undefined);
  if (prompt?.trim() === "") throw new CommandFailed("The prompt is empty.", 'For example: hermes -z "say hi"', 2);
  const resume = input.option("resume");
  const goOn = input.option("continue");
  if (resume !== undefined && goOn !== undefined)
    throw new CommandFailed("--resume and --continue both name a session.", "Use one of them.", 2);
  const createsMissing = input.flag("createIfMissing");
  if (createsMissing && !goOn)
    throw new CommandFailed(
      "--create-if-missing needs a title.",
      'For example: hermes -c "my project" --create-if-missing',
      2,
    );
  const sourceTag = tagOf(input.option("source"));
  const runBudget = countOf(input.option("runBudget"), "--run-budget");
  if (runBudget !== undefined && oneshot === undefined && query === undefined)
    throw new CommandFailed("--run-budget needs a prompt.", "Add -z, -q or --query-file.", 2);
  const branch = input.option("branch");
  if (branch !== undefined && resume === undefined && goOn === undefined)
    throw new CommandFailed("--branch needs a session.", "Add --resume or --continue.", 2);
  const maxTurns = countOf(input.option("maxTurns"), "--max-turns");
  const reasoning = effortOf(input.option("reasoning"));
  const [provider, toolsets] = [input.option("provider"), input.option("toolsets")];
  const model = modelOf(input.option("model"), provider, ctx.env["HERMES_INFERENCE_MODEL"]);
  const usageFile = input.option("usageFile");
  const usageFolder = usageFile === undefined ? undefined : dirname(resolve(ctx.cwd, usageFile));
  if (usageFolder !== undefined && !statSync(usageFolder, { throwIfNoEntry: false })?.isDirectory())
    throw new CommandFailed(`--usage-file: the folder ${usageFolder} does not exist.`, undefined, 2);
  const record = input.option("record");
  const safeMode = input.flag("safeMode");
  return {
    ...(prompt !== undefined && { prompt }),
    isOpening,
    isBare: oneshot !== undefined,
    isQuiet: oneshot !== undefined || input.flag("quiet") || ctx.json,
    ...(resume !== undefined && { resume }),
    ...(goOn !== undefined && { goOn }),
    ...(branch !== undefined && { branch }),
    createsMissing,
    keepsFolder: input.flag("noRestoreCwd"),
    ...(sourceTag !== undefined && { sourceTag }),
    namesSessionId: input.flag("passSessionId"),
    ...(runBudget !== undefined && { runBudget }),
    ...(toolsets !== undefined && { toolsets }),
    images: input.list("image"),
    skills: input.list("skills").flatMap((names) => names.split(/[\s,]+/u).filter((name) => name !== "")),
    ...(model !== undefined && { model }),
    ...(provider !== undefined && { provider }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(reasoning !== undefined && { reasoning }),
    ignoreRules: safeMode || input.flag("ignoreRules"),
    safeMode,
    acceptHooks: input.flag("acceptHooks"),
    ...(usageFile !== undefined && { usageFile }),
    ...(record !== undefined && { record }),
  };
}

const maxQueryBytes = 8_000_000;

/** The text of `--query-file`. `-` is standard input, which `-q -` reads. */
function queryFromFile(file: string | undefined, input: CliInput, cwd: string): string | undefined {
  if (file === undefined || file === "-") return file;
  if (input.option("oneshot") !== undefined)
    throw new CommandFailed("-z and --query-file both set the prompt.", "Use one of them.", 2);
  const path = resolve(cwd, file);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats?.isFile()) throw new CommandFailed(`${path} is not a file.`, undefined, 2);
  if (stats.size > maxQueryBytes) throw new CommandFailed(`${path} is too long for a prompt.`, undefined, 2);
  const bytes = readFileSync(path);
  if (!isUtf8(bytes)) throw new CommandFailed(`${path} is not UTF-8 text.`, undefined, 2);
  const text = bytes.toString("utf8");
  // A file whose text is only `-` must not be taken for standard input.
  return text.trim() === "-" ? "- " : text;
}

function tagOf(tag: string | undefined): string | undefined {
  if (tag === undefined || /^[a-z][a-z0-9_-]{0,31}$/u.test(tag)) return tag;
  throw new CommandFailed(`--source ${tag}: use small letters, digits, - and _.`, undefined, 2);
}

function modelOf(model: string | undefined, provider: string | undefined, defaultModel: string | undefined) {
  if (provider === undefined) return model;
  const name = model ?? (defaultModel?.trim() || undefined);
  if (name === undefined)
    throw new CommandFailed("--provider needs a model.", "Add --model, or set HERMES_INFERENCE_MODEL.", 2);
  return name.startsWith(`${provider}/`) ? name.slice(provider.length + 1) : name;
}

function countOf(given: string | undefined, option: string): number | undefined {
  if (given === undefined) return undefined;
  const count = Number(given);
  if (Number.isSafeInteger(count) && count >= 1) return count;
  throw new CommandFailed(`${option} needs a whole number of at least 1, not "${given}".`, undefined, 2);
}

function effortOf(given: string | undefined): ReasoningEffort | undefined {
  if (given === undefined) return undefined;
  const effort = effortNamed(given);
  if (effort !== undefined) return effort;
  throw new CommandFailed(`--reasoning must be one of ${reasoningEfforts.join(", ")}, not "${given}".`, undefined, 2);
}
