import { err, ok } from "../../base/result.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { flag, list, object, optional, string } from "../../contracts/host/input-schema.ts";
import { grantsOf, parseGrant } from "../../plugins/permissions.ts";
import { grantWarnings } from "../../runtime/plugins/grant-warnings.ts";
import { readOperation, writeOperation } from "../operation.ts";
import { writeSettings } from "../settings/write-settings.ts";
import { examinePlugins } from "./examine-plugins.ts";
import { declaredPermissions, findPlugin, listedPlugin, settingsId, shownPlugin } from "./plugin-view.ts";
import { pluginChanges } from "./plugins-change.ts";
import { refusedTools } from "./refused-tools.ts";

const name = string("key or name of the plugin");
const permissions = list("such as net:api.example.com, read:~/notes, exec, unconfined", string("a permission"));

/** Plugins: find, enable, install, permit, examine. */
export const operations = {
  ...pluginChanges,

  list: readOperation({
    summary: "List the plugins with their state and the reason for it",
    input: object({ search: optional(flag("search the folders and packages again")) }),
    needs: ["config", "plugins"],
    async run({ search = false }, { config, plugins }, ctx) {
      if (search) await plugins.refresh();
      const statuses = plugins.list();
      const refused = await refusedTools(statuses, config, ctx);
      return ok({
        plugins: statuses.map((status) => listedPlugin(status, refused.get(status.plugin.key))),
        problems: plugins.problems,
      });
    },
  }),

  info: readOperation({
    summary: "Show everything about one plugin",
    input: object({ name }),
    needs: ["config", "plugins", "pluginInstaller"],
    async run({ name: given }, { config, plugins, pluginInstaller }, ctx) {
      const first = await findPlugin(given, plugins);
      if (!first.ok) return first;
      const { state, registration } = first.value;
      // An enabled plugin that has not registered shows whether it can.
      if (state === "active" && !registration) await plugins.refresh();
      const status = await findPlugin(given, plugins);
      if (!status.ok) return status;
      const refused = await refusedTools(plugins.list(), config, ctx);
      return ok(shownPlugin(status.value, config, pluginInstaller, refused.get(status.value.plugin.key)));
    },
  }),

  enable: writeOperation({
    summary: "Enable a plugin and register what it contributes",
    input: object({ name }),
    needs: ["config", "plugins", "pluginInstaller"],
    async run({ name: given }, { config, plugins, pluginInstaller }, ctx) {
      const enabled = await plugins.enable(given);
      if (!enabled.ok) return err({ message: enabled.error, hint: "`hermes plugins list` lists the plugins." });
      const refused = await refusedTools(plugins.list(), config, ctx);
      return ok(shownPlugin(enabled.value, config, pluginInstaller, refused.get(enabled.value.plugin.key)));
    },
  }),

  disable: writeOperation({
    summary: "Disable a plugin and unload it",
    input: object({ name }),
    needs: ["plugins"],
    async run({ name: given }, { plugins }) {
      const disabled = await plugins.disable(given);
      return disabled.ok
        ? ok(listedPlugin(disabled.value))
        : err({ message: disabled.error, hint: "`hermes plugins list` lists the plugins." });
    },
  }),

  grant: writeOperation({
    summary: "Give a plugin permissions beyond those of its manifest",
    input: object({ name, permissions }),
    needs: ["config", "plugins"],
    async run({ name: given, permissions: requested }, { config, plugins }, ctx) {
      const status = await findPlugin(given, plugins);
      if (!status.ok) return status;
      const wishes = readGrants(requested);
      if (!wishes.ok) return wishes;
      const id = settingsId(status.value, config.values);
      const before = config.values.plugins.entries[id]?.grants ?? [];
      const grants = [...new Set([...before, ...wishes.value.grants])];
      const written = await writeGrants(config, id, grants, wishes.value.switches, true, ctx);
      return written.ok
        ? ok({
            key: status.value.plugin.key,
            granted: grants,
            switches: wishes.value.switches,
            all: [...grants, ...switchesAfter(config, id, wishes.value.switches, true)],
            warnings: grantWarnings(wishes.value.grants, config),
          })
        : written;
    },
  }),

  revoke: writeOperation({
    summary: "Revoke permissions that you granted to a plugin",
    input: object({ name, permissions }),
    needs: ["config", "plugins"],
    async run({ name: given, permissions: requested }, { config, plugins }, ctx) {
      const status = await findPlugin(given, plugins);
      if (!status.ok) return status;
      const { key } = status.value.plugin;
      const wishes = readGrants(requested);
      if (!wishes.ok) return wishes;
      const id = settingsId(status.value, config.values);
      const before = config.values.plugins.entries[id]?.grants ?? [];
      const unknown = wishes.value.grants.find((grant) => !before.includes(grant));
      if (unknown !== undefined) {
        const isDeclared = declaredPermissions(status.value).includes(unknown);
        return err({
          message: isDeclared
            ? `${unknown} is not a grant: the manifest of ${key} declares it. To revoke it, disable the plugin.`
            : `${unknown} was not granted to ${key}.`,
          hint: isDeclared ? `hermes plugins disable ${key}` : `hermes plugins info ${key}`,
        });
      }
      const granted = before.filter((grant) => !wishes.value.grants.includes(grant));
      const written = await writeGrants(config, id, granted, wishes.value.switches, false, ctx);
      const all = [...granted, ...switchesAfter(config, id, wishes.value.switches, false)];
      return written.ok ? ok({ key, granted, switches: wishes.value.switches, all }) : written;
    },
  }),

  doctor: readOperation({
    summary: "Check every plugin: manifest, interpreter, variables, pin, sandbox, registration",
    input: object({ name: optional(name) }),
    needs: ["config", "plugins", "pluginInstaller"],
    async run({ name: given }, { config, plugins, pluginInstaller }, ctx) {
      await plugins.refresh();
      const status = given === undefined ? undefined : await findPlugin(given, plugins);
      if (status && !status.ok) return status;
      const statuses = status ? [status.value] : plugins.list();
      return ok({ findings: await examinePlugins(statuses, { config, plugins, installer: pluginInstaller }, ctx) });
    },
  }),
};

/** Grants that are separate settings, by their word in `hermes plugins grant`. */
const switches = {
  unconfined: "unconfined",
  "in-process": "in_process",
  "replace-tools": "allow_tool_override",
} as const;
type Switch = keyof typeof switches;

/** The switches of a plugin that are on after these were turned on or off. */
function switchesAfter(config: LoadedConfig, id: string, changed: readonly Switch[], isOn: boolean): readonly Switch[] {
  const entry = config.values.plugins.entries[id];
  const names = Object.keys(switches) as readonly Switch[];
  return names.filter((each) => (changed.includes(each) ? isOn : entry?.[switches[each]] === true));
}

function readGrants(requested: readonly string[]) {
  const grants: string[] = [];
  const named: Switch[] = [];
  for (const text of requested) {
    if (Object.hasOwn(switches, text)) named.push(text as Switch);
    else {
      const parsed = parseGrant(text);
      if (!parsed.ok)
        return err({
          message: parsed.error,
          hint: `Also: ${Object.keys(switches).join(", ")}.`,
          kind: "input" as const,
        });
      grants.push(...grantsOf(parsed.value));
    }
  }
  if (requested.length === 0)
    return err({ message: "Name a permission, such as net:api.example.com.", kind: "input" as const });
  return ok({ grants, switches: named });
}

function writeGrants(
  config: Parameters<typeof writeSettings>[0],
  id: string,
  grants: readonly string[],
  named: readonly Switch[],
  isOn: boolean,
  ctx: Parameters<typeof writeSettings>[2],
) {
  const entry = ["plugins", "entries", id];
  return writeSettings(
    config,
    [
      { path: [...entry, "grants"], value: grants.length === 0 ? undefined : grants },
      ...named.map((each) => ({ path: [...entry, switches[each]], value: isOn ? true : undefined })),
    ],
    ctx,
  );
}
