import type { Clock } from "../../base/clock.ts";
import { silentLog } from "../../base/log/log.ts";
import { err, ok } from "../../base/result.ts";
import { oneLine, plural } from "../../base/text/text.ts";
import { version } from "../../base/version.ts";
import { keptModel } from "../../config/kept-model.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { problemText } from "../../config/problem.ts";
import { setValues } from "../../config/write.ts";
import type { Command, CommandHost } from "../../contracts/host/command.ts";
import type { Runtime, Session } from "../../contracts/session/runtime.ts";
import { providerIdOf } from "../../providers/endpoints/find-row.ts";
import { type ProviderView, providerViews } from "../models/model-catalog.ts";
import { openModels } from "../models/models.ts";

export interface CommandHostParts {
  readonly config: LoadedConfig;
  readonly runtime: Runtime;
  /** The conversation that commands are about now. */
  session(): Session;
  readonly commands: readonly Command[];
  /** Who answers from here: `the terminal`. */
  readonly answersAs: string;
  readonly clock: Clock;
  readonly confirm?: CommandHost["confirm"];
  /** How wide a line may be now. */
  columns(): number;
}

/** What slash commands ask of a program with this runtime. */
export function createCommandHost(parts: CommandHostParts): CommandHost {
  const { config, runtime, session, commands, clock } = parts;
  const { values } = config;

  async function views(): Promise<readonly ProviderView[]> {
    await using models = openModels(config, { clock, log: silentLog });
    return providerViews(models, config);
  }

  return {
    version,
    commands,
    get columns() {
      return parts.columns();
    },
    ...(parts.confirm && { confirm: parts.confirm }),
    skills: runtime.skills,
    async models() {
      const aliases = Object.entries(values.model.aliases).map(([name, note]) => ({ name, note }));
      const more = Object.entries(values.model_aliases).map(([name, { model, provider }]) => ({
        name,
        note: provider === "" ? model : `${provider}/${model}`,
      }));
      const listed = (await views()).flatMap(({ isUsable, id, title, defaultModel, models }) => {
        if (!isUsable) return [];
        if (models.length > 0) return models.map(({ name }) => ({ name, note: title }));
        return defaultModel === undefined ? [] : [{ name: `${id}/${defaultModel}`, note: title }];
      });
      return [...aliases, ...more, ...listed];
    },
    mixtures: { presets: Object.keys(values.moa.presets), usual: values.moa.default_preset },
    async providers() {
      const usable = (await views()).filter(({ isUsable }) => isUsable);
      return usable.map(({ id, title, keys }) => ({
        name: id,
        note: keys.length === 0 ? title : `${title}, ${plural(keys.length, "key")}`,
      }));
    },
    async keepModel({ provider, model }, signal) {
      const staysThere = providerIdOf(values.model.provider) === provider;
      const changes = keptModel(provider, model, staysThere ? undefined : {});
      const written = await setValues(config.home, changes, { signal, clock });
      return written.ok ? ok(undefined) : err({ message: written.error.problems.map(problemText).join("; ") });
    },
    approvals: {
      mode: () => session().approvals.mode(),
      setMode: (mode) => session().approvals.setMode(mode),
      pending: async () =>
        (await session().approvals.pending()).map(({ id, text }) => ({ id, text: oneLine(text, 200) })),
      async answer(answer, id) {
        const { approvals } = session();
        const wanted = id ?? (await approvals.pending())[0]?.id;
        if (wanted === undefined) return err({ message: "Nothing waits for approval here." });
        const answered = await approvals.answer(wanted, answer, parts.answersAs);
        return answered.ok ? ok(oneLine(answered.value.text, 200)) : answered;
      },
    },
  };
}
