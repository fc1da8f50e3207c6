import { effortNamed, reasoningEfforts, type ReasoningEffort } from "../../../contracts/model/model.ts";
import { type CliContext, type CliInput, CommandFailed } from "../command.ts";

/** The chat options of a command line. */
export interface ChatRequest {
  /** Undefined: it is typed. */
  readonly prompt?: string;
  /** At a terminal the chat starts with the prompt. */
  readonly isOpening: boolean;
  /** Only the answer is shown. */
  readonly isQuiet: boolean;
  /** Prints nothing but the answer, not even the session id. */
  readonly isBare: boolean;
  /** The id, its beginning, a title or `latest`. */
  readonly resume?: string;
  /** Of the resumed one, in place of the one that was left last. */
  readonly branch?: string;
  /** A title, or nothing for the newest. */
  readonly goOn?: string;
  readonly images: readonly string[];
  /** Used from the beginning. */
  readonly skills: readonly string[];
  /** `provider/model`, a model or an alias. */
  readonly model?: string;
  /** Nobody else may serve it. */
  readonly provider?: string;
  readonly maxTurns?: number;
  readonly reasoning?: ReasoningEffort;
  readonly ignoreRules: boolean;
  readonly safeMode: boolean;
  readonly usageFile?: string;
  /** The file; empty for the usual one. */
  readonly record?: string;
}

/** Ends the command with exit code 2 when it asks for what cannot be. */
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
