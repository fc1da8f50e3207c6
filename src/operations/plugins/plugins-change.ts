import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";

import { describeFault } from "../../base/files/file-fault.ts";
import { err, ok } from "../../base/result.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { flag, object, oneOf, optional, string } from "../../contracts/host/input-schema.ts";
import type { InspectedPlugin } from "../../plugins/install/plugin-installer.ts";
import { describePermissions, grantsOf } from "../../plugins/permissions.ts";
import {
  codeCache,
  placedSkillsFile,
  pluginDataFolder,
  settingsOf,
  stagingFolder,
} from "../../runtime/plugins/plugin-settings.ts";
import { readOperation, writeOperation } from "../operation.ts";
import { writeSettings } from "../settings/write-settings.ts";
import { findPlugin, keepsData, settingsId } from "./plugin-view.ts";

const name = string("key or name of the plugin");

/** Operations that add, replace and delete plugins on disk. */
export const pluginChanges = {
  inspect: readOperation({
    summary: "Fetch a plugin into quarantine and scan it; installs and runs nothing",
    input: object({ source: string("a folder, a .tgz file, a git URL, owner/repository, or npm:NAME") }),
    needs: ["config", "pluginInstaller"],
    async run({ source }, { config, pluginInstaller }, { cwd, signal }) {
      const inspected = await pluginInstaller.inspect(source, cwd, signal);
      if (!inspected.ok) return inspected;
      const { key } = inspected.value.plugin;
      if (inspected.value.installed)
        return err({
          message: `${key} is installed already.`,
          hint: `\`hermes plugins update ${key}\` fetches it again; \`hermes plugins remove ${key}\` removes it.`,
        });
      return ok(inspectedData(inspected.value, config));
    },
  }),

  install: writeOperation({
    summary: "Install an inspected plugin, or the update of one; runs nothing",
    input: object({ hash: string("the hash that `plugins.inspect` or `plugins.checkUpdate` returned") }),
    needs: ["config", "pluginInstaller"],
    async run({ hash }, { config, pluginInstaller }, ctx) {
      const before = pluginInstaller.pins();
      if (!before.ok) return before;
      const installed = await pluginInstaller.install(hash, ctx.signal);
      if (!installed.ok) return installed;
      const { key } = installed.value;
      const { enabled } = config.values.plugins;
      // Removes the name from the enabled list, which may refer to an earlier plugin: a new one loads only when the
      // user enables it.
      if (!before.value.has(key) && enabled.includes(key)) {
        const value = orNothing(enabled.filter((each) => each !== key));
        const written = await writeSettings(config, [{ path: ["plugins", "enabled"], value }], ctx);
        if (!written.ok) return written;
      }
      return ok({ installed: installed.value });
    },
  }),

  checkUpdate: readOperation({
    summary: "Fetch the newest version of an installed plugin into quarantine and compare it; installs nothing",
    input: object({ name }),
    needs: ["config", "plugins", "pluginInstaller"],
    async run({ name: given }, { config, plugins, pluginInstaller }, { cwd, signal }) {
      const status = await findPlugin(given, plugins);
      if (!status.ok) return status;
      const { key, source } = status.value.plugin;
      const pins = pluginInstaller.pins();
      if (!pins.ok) return pins;
      const pin = source === "home" ? pins.value.get(key) : undefined;
      if (!pin) return err({ message: `${key} was not installed by Hermes. ${otherwise[source]}` });
      const next = await pluginInstaller.inspect(pin.source, cwd, signal);
      if (!next.ok) return next;
      if (next.value.plugin.key !== key)
        return err({
          message: `${pin.source} now contains the plugin ${next.value.plugin.key}, not ${key}. The installed version stays.`,
        });
      const isNewer = next.value.hash !== pin.hash || next.value.installed?.isEdited === true;
      return ok({ key, isNewer, pin, next: inspectedData(next.value, config) });
    },
  }),

  installed: readOperation({
    summary: "List the plugins that Hermes installed, with their source and pin",
    needs: ["pluginInstaller"],
    async run(_input, { pluginInstaller }) {
      const pins = pluginInstaller.pins();
      return pins.ok ? ok({ plugins: [...pins.value.values()] }) : pins;
    },
  }),

  remove: writeOperation({
    summary: "Unload a plugin of the home and delete its folder, pin, grants, settings and unedited skills",
    input: object({ name, data: optional(flag("delete its data folder too")) }),
    needs: ["config", "plugins", "pluginInstaller"],
    async run({ name: given, data = false }, { config, plugins, pluginInstaller }, ctx) {
      const status = await findPlugin(given, plugins);
      if (!status.ok) return status;
      const { plugin } = status.value;
      const { key, source, manifest } = plugin;
      if (source !== "home") return err({ message: `${key} cannot be removed here. ${otherwise[source]}` });
      await plugins.forget(key);
      const removed = await pluginInstaller.remove(plugin, ctx.signal);
      if (!removed.ok) return removed;
      const without = (list: readonly string[]) => list.filter((each) => each !== key && each !== manifest.name);
      const { enabled, disabled } = config.values.plugins;
      const written = await writeSettings(
        config,
        [
          { path: ["plugins", "enabled"], value: orNothing(without(enabled)) },
          { path: ["plugins", "disabled"], value: orNothing(without(disabled)) },
          { path: ["plugins", "entries", settingsId(status.value, config.values)], value: undefined },
        ],
        ctx,
      );
      if (!written.ok) return written;
      await plugins.refresh();
      const { removePlacedSkills } = await import("../../skills/place-staged.ts");
      const home = join(config.home.path, homeFiles.skills);
      const skills = await removePlacedSkills({ home, recordFile: placedSkillsFile(config, plugin) });
      const folder = pluginDataFolder(config, plugin);
      const hasData = keepsData(folder) && !data;
      try {
        const code = codeCache(config, plugin);
        const useless = [stagingFolder(config, plugin), code, `${code}.json`, ...(hasData ? [] : [folder])];
        for (const path of useless) await rm(path, { recursive: true, force: true });
      } catch (thrown) {
        return err({ message: describeFault(thrown, folder).message });
      }
      return ok({ removed: key, folder: plugin.folder, skills, ...(hasData && { data: folder }) });
    },
  }),

  create: writeOperation({
    summary: "Write a new plugin with a tool, a README and a test",
    input: object({
      name: string("name of the plugin and its folder"),
      language: oneOf("language of its code", ["typescript", "python"]),
      in: optional(string("parent folder; default: the plugins of the home")),
    }),
    needs: ["config"],
    async run({ name: given, language, in: parent }, { config }, { cwd }) {
      const { createPlugin } = await import("../../plugins/install/create-plugin.ts");
      const below = parent === undefined ? join(config.home.path, homeFiles.plugins) : resolve(cwd, parent);
      const created = await createPlugin({ name: given, language, parent: below });
      return created.ok ? ok({ created: given, language, isInHome: parent === undefined, ...created.value }) : created;
    },
  }),
};

function orNothing(list: readonly string[]): readonly string[] | undefined {
  return list.length === 0 ? undefined : list;
}

/** The next step for plugins that Hermes did not install, by source. */
const otherwise = {
  bundled: "It is part of Hermes; `hermes plugins disable` turns it off.",
  home: "It was written by hand: its folder is yours.",
  project: "It is part of the project: change it in .hermes/plugins there.",
  npm: "It is a package of npm: use npm update or npm uninstall.",
  python: "It is a package of Python: use pip install --upgrade or pip uninstall.",
} as const;

/** A plugin before its installation. */
function inspectedData({ plugin, ...rest }: InspectedPlugin, { secrets, values }: LoadedConfig) {
  const { key, language, manifest } = plugin;
  const { version, description, author, kind, requiresEnv, permissions, provides: announces = {} } = manifest;
  return {
    key,
    language,
    version,
    description,
    author,
    kind,
    announces,
    permissions: {
      may: permissions ? describePermissions(permissions) : [],
      ...(permissions && { declared: grantsOf(permissions) }),
      granted: settingsOf(values, plugin)?.grants ?? [],
    },
    variables: requiresEnv.map((variable) => ({ ...variable, isSet: Boolean(secrets.get(variable.name)) })),
    ...rest,
  };
}
