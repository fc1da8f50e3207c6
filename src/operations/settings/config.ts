import { join } from "node:path";

import { err, ok } from "../../base/result.ts";
import { homeFiles, resolveHome } from "../../config/home.ts";
import { createValueMask } from "../../config/keys/mask-values.ts";
import { loadConfig } from "../../config/load.ts";
import { problemText } from "../../config/problem.ts";
import { weakSettings } from "../../config/weak-settings.ts";
import { flag, object, optional, string } from "../../contracts/host/input-schema.ts";
import { readServers } from "../mcp/server-settings.ts";
import { type ConfigPlace, readOperation, writeOperation } from "../operation.ts";
import { configOutcome } from "./config-fault.ts";
import { originText, settingValue, settingValues } from "./config-values.ts";

const key = string('The setting, such as approvals.mode or plugins.entries."my.plugin"');

export const operations = {
  show: readOperation({
    summary: "Show settings with their values and origins; secrets are masked",
    input: object({
      key: optional(string("A setting or a section; default: all")),
      changed: optional(flag("Only values that are not the default")),
    }),
    needs: ["config"],
    async run({ key: name, changed = false }, { config }) {
      const values = settingValues(config, name);
      if (!values.ok) return values;
      const settings = values.value.filter(({ origin }) => !changed || origin.from !== "default");
      const { path: home, profile } = config.home;
      const omitted = values.value.length - settings.length;
      return ok({ home, profile, settings, omitted, warnings: config.warnings });
    },
  }),

  get: readOperation({
    summary: "Get one value or section; secrets are masked",
    input: object({ key }),
    needs: ["config"],
    run: async ({ key: name }, { config }) => settingValue(config, name),
  }),

  set: writeOperation({
    summary: "Change one setting; secrets and environment variables go to .env, everything else to config.yaml",
    input: object({
      key,
      value: string("The new value, read as YAML: true, 12, [a, b]"),
      force: optional(flag("Write an unknown key (never among safety settings)")),
    }),
    needs: ["configPlace"],
    async run({ key: name, value, force = false }, { configPlace }, { signal, clock }) {
      const home = await homeAt(configPlace);
      if (!home.ok) return home;
      const { setKey } = await import("../../config/write.ts");
      const written = configOutcome(await setKey(home.value, name, value, { force, signal, clock }));
      if (!written.ok) return written;
      const { file, notices, key: writtenKey } = written.value;
      const now = await loadConfig(configPlace);
      const origin = now.ok ? now.value.origins.get(writtenKey) : undefined;
      const isOverridden = origin !== undefined && origin.from !== "user file" && origin.from !== "default";
      const mask = createValueMask(now.ok ? now.value.secrets : { values: [] });
      return ok({
        key: writtenKey,
        value: written.value.value === undefined ? "***" : mask(writtenKey, written.value.value),
        file,
        notices: isOverridden ? [...notices, `another source overrides this value: ${originText(origin)}`] : notices,
      });
    },
  }),

  reloadEnv: writeOperation({
    summary: "Read the .env of the home again; keys are used from the next request on. Reports names, never values",
    needs: ["config", "redactor"],
    async run(_input, { config, redactor }) {
      const { readEnvironmentView } = await import("../../config/sources/environment.ts");
      const view = await readEnvironmentView(config.home, config.env);
      const [fault] = view.faults;
      if (fault) return err({ message: problemText(fault) });
      const { newValues, ...names } = config.secrets.renew(view);
      for (const value of newValues) redactor.add(value);
      return ok({ file: view.file, ...names, warnings: view.warnings.map(problemText) });
    },
  }),

  unset: writeOperation({
    summary: "Remove one setting from the file",
    input: object({ key }),
    needs: ["configPlace"],
    async run({ key: name }, { configPlace }, { signal, clock }) {
      const home = await homeAt(configPlace);
      if (!home.ok) return home;
      const { unsetKey } = await import("../../config/write.ts");
      const done = configOutcome(await unsetKey(home.value, name, { signal, clock }));
      return done.ok ? ok({ key: name, file: done.value.file, removed: done.value.removed }) : done;
    },
  }),

  path: readOperation({
    summary: "Show the paths of the configuration, the home and the logs",
    needs: ["configPlace"],
    async run(_input, { configPlace }) {
      const home = await homeAt(configPlace);
      if (!home.ok) return home;
      const { path, profile } = home.value;
      return ok({
        config: join(path, homeFiles.config),
        env: join(path, homeFiles.env),
        home: path,
        logs: join(path, homeFiles.logs),
        profile,
      });
    },
  }),

  check: readOperation({
    summary: "Check the configuration and list every problem",
    needs: ["configPlace"],
    async run(_input, { configPlace }) {
      const loaded = await loadConfig(configPlace);
      if (!loaded.ok) {
        const problems = loaded.error.problems.map((problem) => ({ ...problem, text: problemText(problem) }));
        return ok({ ok: false, problems, warnings: [], unused: [] });
      }
      const servers = readServers(loaded.value, {});
      const warnings = [
        ...loaded.value.warnings,
        ...weakSettings(loaded.value.values),
        ...servers.problems.map(({ message }) => message),
        ...servers.notices.map(({ name: server, message }) => `mcp_servers.${server}: ${message}`),
      ];
      return ok({ ok: true, problems: [], warnings, unused: [...loaded.value.unused.keys()] });
    },
  }),

  migrate: writeOperation({
    summary: "Rename deprecated keys in config.yaml",
    input: object({ dryRun: optional(flag("Only list the changes")) }),
    needs: ["configPlace"],
    async run({ dryRun = false }, { configPlace }, { signal, clock }) {
      const home = await homeAt(configPlace);
      if (!home.ok) return home;
      const { migrateConfig, planMigration } = await import("../../config/keys/migrate.ts");
      const { readYaml } = await import("../../config/yaml/read-yaml.ts");
      const file = join(home.value.path, homeFiles.config);
      const yaml = await readYaml(file);
      const tree = configOutcome(yaml.ok ? yaml : err({ problems: yaml.error }));
      if (!tree.ok) return tree;
      const plan = tree.value === undefined ? undefined : await planMigration(tree.value);
      if (plan?.ok === false) return err({ message: `${file}: ${plan.error}` });
      const planned = plan?.value?.notices ?? [];
      if (dryRun || planned.length === 0) return ok({ file, moves: planned, written: false });
      const moves = configOutcome(await migrateConfig(home.value, { signal, clock }));
      return moves.ok ? ok({ file, moves: moves.value, written: true }) : moves;
    },
  }),

  restore: writeOperation({
    summary: "Restore the last valid config.yaml after the file was emptied, truncated or removed",
    input: object({ discard: optional(flag("Accept the file as it is instead")) }),
    needs: ["configPlace"],
    async run({ discard = false }, { configPlace }) {
      const home = await homeAt(configPlace);
      if (!home.ok) return home;
      const { restoreConfig } = await import("../../config/restore-config.ts");
      const changed = configOutcome(await restoreConfig(home.value, { discard }));
      return changed.ok ? ok({ file: join(home.value.path, homeFiles.config), changed: changed.value }) : changed;
    },
  }),

  schema: readOperation({
    summary: "Get the JSON Schema of config.yaml, for editors",
    needs: [],
    async run() {
      const { configJsonSchema } = await import("../../config/json-schema.ts");
      return ok(configJsonSchema());
    },
  }),

  openDraft: writeOperation({
    summary: "Copy config.yaml for an editor, or resume the copy that an earlier edit left",
    needs: ["configPlace"],
    async run(_input, { configPlace }) {
      const home = await homeAt(configPlace);
      return home.ok ? (await import("./config-draft.ts")).openDraft(home.value) : home;
    },
  }),

  closeDraft: writeOperation({
    summary: "Replace config.yaml by the edited copy if the copy is valid; delete an unchanged copy",
    input: object({
      base: optional(string("Digest that config.openDraft returned")),
      apply: flag("Replace the file; false only deletes an unchanged copy"),
    }),
    needs: ["configPlace"],
    async run(input, { configPlace }, ctx) {
      const home = await homeAt(configPlace);
      return home.ok ? (await import("./config-draft.ts")).closeDraft(home.value, input, ctx) : home;
    },
  }),
};

async function homeAt({ env, cwd, profile }: ConfigPlace) {
  return configOutcome(await resolveHome(env, cwd, profile));
}
