import { waitFor } from "../../../base/async/bounded-wait.ts";
import { once } from "../../../base/async/once.ts";
import { type Clock, systemClock } from "../../../base/clock.ts";
import type { NamedList } from "../../../base/named-list.ts";
import type { LoadedConfig } from "../../../config/load.ts";
import type { FileSystem } from "../../../contracts/environment/environment.ts";
import type { AuxiliaryModel } from "../../../contracts/host/ports.ts";
import type { ModelClient } from "../../../contracts/model/model.ts";
import type { ContextEngineContribution, PromptSectionContribution } from "../../../contracts/plugin/plugin.ts";
import type { BookedUsage } from "../../../contracts/session/session.ts";
import type { PendingCall } from "../../../contracts/tool/dispatch.ts";
import type { ToolResult } from "../../../contracts/tool/tool-result.ts";
import { createContextMeter } from "../../../kernel/context/meter.ts";
import { createVerification } from "../../../kernel/loop/verification.ts";
import { cacheMarks } from "../../../kernel/prompt/cache-marks.ts";
import type { ContextFolder } from "../../../kernel/prompt/context-files.ts";
import { localFolder, remoteFolder } from "../../../kernel/prompt/context-folder.ts";
import { createFolderHints, type FolderHintsDeps } from "../../../kernel/prompt/folder-hints.ts";
import { systemPrompt } from "../../../kernel/prompt/system-prompt.ts";
import { type MainAuxiliaryDeps, mainAuxiliary } from "../../../providers/client/main-auxiliary.ts";
import { createJudge } from "../../prompt/judge-text.ts";
import { promptFacts, gitRoot } from "../../prompt/prompt-facts.ts";
import type { SessionModel, SessionModelInput, ModelParts } from "../session-model.ts";

export interface SessionModelDeps {
  readonly clock: Clock;
  /** Opens the auxiliary model. Default: the model of the session. */
  readonly auxiliary?: (of: MainAuxiliaryDeps) => AuxiliaryModel;
  readonly engines: NamedList<ContextEngineContribution>;
  /** Sections of plugins in the prompt of a new session. */
  readonly sections?: NamedList<PromptSectionContribution>;
  /** Replaces the engine of the settings. */
  readonly engine?: ContextEngineContribution;
}

/** Opens the model side of a session according to the settings: prompt, context engine, meter and auxiliary model. */
export function sessionModelOpener(config: LoadedConfig, deps: SessionModelDeps): ModelParts["openSessionModel"] {
  const { values } = config;
  const judge = createJudge(config.home.path);
  const tokenizers = once(async () => (await import("../../../providers/facts/tokenizer.ts")).createTokenizers());
  return async (input): Promise<SessionModel> => {
    const { model, log, hooks, sessionId, ignoreRules, say } = input;
    const auxiliary = auxiliaryFor(input, deps);
    const engine = chosenEngine(config, input, auxiliary, deps);
    if (!deps.engine && engine.name !== values.context.engine) {
      say(`There is no context engine ${values.context.engine}; ${engine.name} is used instead.`);
    }
    const ttl = values.prompt_caching.cache_ttl;
    const isOffline = model.facts().offline === true;
    const verification = createVerification({
      verifyOnStop: values.agent.verify_on_stop && !isOffline,
      sessionId,
      hooks,
      model: model.facts,
    });
    const hints = createFolderHints({
      at: hintPlace(),
      judge,
      history: () => log.history.messages,
      say,
    });
    async function remarksOf(call: PendingCall, result: ToolResult): Promise<string | undefined> {
      const remarks = [ignoreRules ? undefined : await hints.remark(call), await input.learner?.heard(call, result)];
      return remarks.filter((each) => each !== undefined).join("\n\n") || undefined;
    }
    return {
      auxiliary,
      engine,
      meter: createContextMeter({ tokenizerOf: async (name) => (await tokenizers())(name) }),
      ...caching(ttl),
      async prompt({ place, source }) {
        const { facts, notices } = await promptFacts(config, {
          ...input,
          judge,
          ...(deps.sections && { sections: deps.sections }),
          model: model.facts(),
          place,
          source,
          now: deps.clock.now(),
          remoteFiles: async () => (await input.workbench.surroundings(input.signal)).services.environment?.files,
        });
        const system = systemPrompt(facts);
        // Without a cache lifetime, requests have no cache marks.
        const suspects = facts.contextFiles.flatMap(({ path, isSuspect }) => (isSuspect ? [path] : []));
        return { system: ttl === "off" ? system.map(({ text }) => ({ text })) : system, notices, suspects };
      },
      remark(call, result) {
        verification.note(call, result);
        // Does not count results of nested calls, because the model does not read them.
        return call.scope.parent ? undefined : remarksOf(call, result);
      },
      unfinished: verification.unfinished,
      leftovers: verification.leftovers,
      watch(event) {
        if (event.type === "turn.started") verification.begin();
        if (event.type === "context.compacted") hints.forget();
      },
    };
  };
}

function auxiliaryFor({ model, log, refusal }: SessionModelInput, deps: SessionModelDeps): AuxiliaryModel {
  const main: ModelClient = {
    facts: () => (model.beside ?? model).facts(),
    stream: (request, signal) => (model.beside ?? model).stream(request, signal),
  };
  const book = async (usage: BookedUsage) => void (await log.append([{ type: "usage", ...usage }]));
  const of = { main, book, refusal };
  return deps.auxiliary?.(of) ?? mainAuxiliary(of);
}

/** The engine of the embedding program, else of the settings, else the first loaded one. */
function chosenEngine(
  { values }: LoadedConfig,
  { redactor }: SessionModelInput,
  model: AuxiliaryModel,
  deps: SessionModelDeps,
) {
  const { engines, clock } = deps;
  const chosen = deps.engine ?? engines.find(values.context.engine) ?? engines.list()[0];
  if (!chosen) throw new Error("No context engine is loaded.");
  return chosen.create({ model, redactor, clock });
}

function caching(ttl: "5m" | "1h" | "off"): Pick<SessionModel, "cacheMarks" | "cacheTtl"> {
  return ttl === "off" ? { cacheMarks: () => [] } : { cacheMarks, cacheTtl: ttl };
}

/** The folder access for rules of deeper folders: local, or through the environment. */
function hintPlace(): FolderHintsDeps["at"] {
  const roots = new WeakMap<FileSystem, Promise<string>>();
  return async ({ scope }) => {
    const { backend, workspace, cwd } = scope.place;
    if (backend === "local") return workspace === undefined ? undefined : { folder: localFolder, root: workspace };
    const files = scope.services.environment?.files;
    if (!files) return undefined;
    const folder = bounded(remoteFolder(files, scope.signal), scope.signal);
    const root =
      workspace === undefined
        ? (roots.get(files) ?? folder.real(cwd).then((path) => gitRoot(folder, path)))
        : undefined;
    if (root) roots.set(files, root);
    return { folder, root: workspace ?? (await root) ?? cwd };
  };
}

const maxWaitMs = 3_000;

/**
 * Time limit for reading rules: if the machine is slow, no rules are returned, so that the result of the call is not
 * delayed.
 */
function bounded(folder: ContextFolder, signal: AbortSignal): ContextFolder {
  const within = async <T>(work: Promise<T>, otherwise: T): Promise<T> => {
    const waited = await waitFor(work, { signal, ms: maxWaitMs, clock: systemClock }).catch(() => undefined);
    return waited?.how === "done" ? waited.value : otherwise;
  };
  return {
    read: (path) => within(folder.read(path), undefined),
    list: (path) => within(folder.list(path), []),
    real: (path) => within(folder.real(path), path),
  };
}
