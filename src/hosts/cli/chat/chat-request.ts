import { effortNamed, reasoningEfforts, type ReasoningEffort } from "../../../contracts/model/model.ts";
import { type CliContext, type CliInput, CommandFailed } from "../command.ts";

/** The chat options of a command line. */
export interface ChatRequest {
  /** Undefined: the user types it. */
  readonly prompt?: string;
  /** At a terminal the chat starts with the prompt. */
  readonly isOpening: boolean;
  /** Only the answer is shown. */
  readonly isQuiet: boolean;
  /** Prints nothing but the answer, not even the session id. */
  readonly isBare: boolean;
  /** The session id, its prefix, a title or `latest`. */
  readonly resume?: string;
  /** A branch of the resumed session. Default: the last one used. */
  readonly branch?: string;
  /** A title; empty for the newest session. */
  readonly goOn?: string;
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
export function readChatRequest(input: CliInput, ctx: Pick<CliContext, "json" | "env">): ChatRequest {
  const oneshot = input.option("oneshot");
  const query = input.option("query");
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
  const branch = input.option("branch");
  if (branch !== undefined && resume === undefined && goOn === undefined)
    throw new CommandFailed("--branch needs a session.", "Add --resume or --continue.", 2);
  const maxTurns = countOf(input.option("maxTurns"), "--max-turns");
  const reasoning = effortOf(input.option("reasoning"));
  const provider = input.option("provider");
  const model = modelOf(input.option("model"), provider, ctx.env["HERMES_INFERENCE_MODEL"]);
  const usageFile = input.option("usageFile");
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
