import { linkAbort } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Config } from "../../config/load.ts";
import type { AuxiliaryModel } from "../../contracts/host/ports.ts";
import type { ModelClient, ModelFacts, ModelRequest } from "../../contracts/model/model.ts";
import type { AuxiliaryTaskContribution } from "../../contracts/plugin/plugin.ts";
import type { BookedUsage } from "../../contracts/session/session.ts";
import { charsPerToken, estimatePartialUsage } from "../../kernel/loop/answer/partial-answers.ts";
import type { EndpointRow } from "../../providers/endpoints/endpoint-row.ts";
import type { ModelSelection } from "../../providers/endpoints/resolve-model.ts";

export interface AuxiliaryDeps {
  readonly settings: Config["auxiliary"];
  /** The model of the session: used if the task has no model, or if that one fails. */
  readonly main: ModelClient;
  /** The facts of a provider, built in or of a plugin. */
  rowOf(provider: string): EndpointRow | undefined;
  /** Opens a client without the fallbacks of the session. */
  open(
    wish: ModelSelection,
    options: { readonly maxRetries: number; readonly extraBody: JsonObject },
  ): Result<ModelClient>;
  book(usage: BookedUsage): Promise<void>;
  /** Called when the model of a task did not answer and the main model is used instead. */
  fellBack?(task: string, why: string): void;
  /** The reason why the budget allows no model call now. Undefined: it allows calls. */
  readonly refusal?: () => Promise<string | undefined>;
  readonly clock: Clock;
}

/** Answers auxiliary requests, each task with its configured model. */
export function createAuxiliaryModel(deps: AuxiliaryDeps): AuxiliaryModel {
  const { settings, main, clock, book } = deps;

  async function ask(
    client: ModelClient,
    task: string,
    request: Omit<ModelRequest, "model">,
    signal: AbortSignal,
  ): Promise<Result<string>> {
    const refused = await deps.refusal?.();
    if (refused !== undefined) return err({ message: refused });
    let chars = 0;
    for await (const event of client.stream(request, signal)) {
      if ("delta" in event) chars += event.delta.length;
      if ((event.type === "failed" || event.type === "error") && chars > 0) {
        const { provider, model, price } = client.facts();
        const input = Math.ceil(JSON.stringify(request.messages).length / charsPerToken);
        await book({ provider, model, task, usage: estimatePartialUsage(input, chars, price) });
        chars = 0;
      }
      if (event.type === "error") return err({ message: event.error.message });
      if (event.type !== "finish") continue;
      const { usage, by, message } = event;
      await book({ provider: by.provider, model: by.model, task, usage });
      const text = message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
      return text.trim() === "" ? err({ message: `${by.model} answered nothing` }) : ok(text);
    }
    return err({ message: "the model ended without an answer" });
  }

  /** The model for requests with images. Undefined: the main model. */
  const seeing = () => {
    const canFallBack = main.facts().vision;
    return canFallBack ? openSlot(deps, "vision", main.facts()) : openSeeing(deps, main.facts());
  };

  return {
    takesVideo() {
      const own = seeing();
      return (own?.ok ? own.value : main).facts().video === true;
    },
    async complete(task, prompt, { maxTokens, schema, images = [] }, signal) {
      const slot = slotOf(settings, task);
      const canFallBack = images.length === 0 || main.facts().vision;
      const own = canFallBack ? openSlot(deps, task, main.facts()) : openSeeing(deps, main.facts());
      if (!canFallBack && !own?.ok) return own ?? err({ message: "no model that can see is configured" });
      if (own && !own.ok) deps.fellBack?.(task, own.error.message);
      using link = linkAbort(signal);
      using _timer = clock.after(slot.timeout * 1000, () => link.abort(new Error("it took too long")));
      const text =
        schema === undefined
          ? prompt
          : `${prompt}\n\nAnswer with JSON alone that fits this schema:\n${JSON.stringify(schema)}`;
      const content = [{ type: "text", text } as const, ...images];
      const request = { system: [], messages: [{ role: "user", content } as const], tools: [], maxTokens };
      const first = own?.ok ? await ask(own.value, task, request, link.signal) : undefined;
      if (first?.ok || (first && !canFallBack)) return first;
      if (first && isChosen(slot) && !link.signal.aborted && (await deps.refusal?.()) === undefined)
        deps.fellBack?.(task, first.error.message);
      const answer = link.signal.aborted ? first : await ask(main, task, request, link.signal);
      if (answer?.ok || !link.signal.aborted || signal.aborted) return answer ?? err({ message: "interrupted" });
      return err({ message: `no answer for ${task} within ${slot.timeout} s` });
    },
  };
}

type Opening = Pick<AuxiliaryDeps, "settings" | "open" | "rowOf">;

/** The model of a task. Undefined: the main model. */
export function openSlot(
  { settings, open, rowOf }: Opening,
  task: string,
  main: ModelFacts,
): Result<ModelClient> | undefined {
  const slot = slotOf(settings, task);
  const wish = wishFor(slot, task, main, rowOf);
  return wish && open(wish, { maxRetries: settings.transient_retries, extraBody: slot.extra_body });
}

/**
 * The model that describes images for a main model without image input: the one in `auxiliary.vision`, else one of the
 * same provider. Images are never sent to a provider that is not in the settings.
 */
export function openSeeing(opening: Opening, main: ModelFacts): Result<ModelClient> | undefined {
  const { settings, open, rowOf } = opening;
  const { vision: slot } = settings;
  if (isChosen(slot)) return openSlot(opening, "vision", main);
  const row = rowOf(main.provider);
  for (const model of [row?.auxModel, row?.defaultModel]) {
    if (model === undefined) continue;
    const wish = { provider: main.provider, model };
    const opened = open(wish, { maxRetries: settings.transient_retries, extraBody: slot.extra_body });
    if (opened.ok && opened.value.facts().vision) return opened;
  }
  return undefined;
}

function isChosen({ provider, model, base_url }: Slot): boolean {
  return provider !== "auto" || model !== "" || base_url !== "";
}

type Slot = Config["auxiliary"]["compression"];

function slotOf(settings: Config["auxiliary"], task: string): Slot {
  const { transient_retries: _, ...slots } = settings;
  const slotsByName: Readonly<Record<string, Slot>> = slots;
  return slotsByName[task] ?? defaultSlot;
}

const defaultSlot: Slot = {
  provider: "auto",
  model: "",
  base_url: "",
  api_key: "",
  key_env: "",
  timeout: 60,
  extra_body: {},
};

/**
 * Adds the tasks of plugins to the settings, unless the settings define them. A plugin cannot set an address or a key.
 */
export function withTasks(
  settings: Config["auxiliary"],
  tasks: readonly AuxiliaryTaskContribution[],
): Config["auxiliary"] {
  const slots = tasks.map(({ name, defaults: { provider, model, timeout } }): [string, Slot] => [
    name,
    {
      ...defaultSlot,
      ...(typeof provider === "string" && { provider }),
      ...(typeof model === "string" && { model }),
      ...(typeof timeout === "number" && timeout >= 1 && { timeout }),
    },
  ]);
  return { ...Object.fromEntries(slots), ...settings };
}

/** The route of a task. Undefined: the model of the session. */
function wishFor(
  slot: Slot,
  task: string,
  main: ModelFacts,
  rowOf: AuxiliaryDeps["rowOf"],
): ModelSelection | undefined {
  const { provider, model, base_url, api_key, key_env } = slot;
  const endpoint = { base_url, api_key, key_env };
  // Without its own settings, the task uses the URL of the session's provider.
  const given = api_key === "" && key_env === "" ? {} : { at: endpoint };
  if (base_url !== "") return { provider: "custom", model, at: endpoint };
  if (provider === "main") return undefined;
  if (provider !== "auto") return { provider, model, ...given };
  if (model !== "") return { model, ...given };
  const cheap = shortTasks.has(task) ? rowOf(main.provider)?.auxModel : undefined;
  return cheap === undefined ? undefined : { provider: main.provider, model: cheap };
}

/** Tasks for which a cheap model of the same provider is sufficient. */
const shortTasks: ReadonlySet<string> = new Set([
  "title_generation",
  "session_search",
  "skills_hub",
  "profile_describer",
  "goal_judge",
]);
