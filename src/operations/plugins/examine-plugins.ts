import { plural } from "../../base/text/text.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Finding } from "../../contracts/host/finding.ts";
import type { OperationContext } from "../../contracts/host/operation.ts";
import type { PluginState, PluginStatus } from "../../contracts/plugin/status.ts";
import type { OperationServices } from "../operation.ts";
import { type RefusedTool, refusedTools } from "./refused-tools.ts";

interface Parts {
  readonly config: LoadedConfig;
  readonly plugins: OperationServices["plugins"];
  readonly installer: OperationServices["pluginInstaller"];
}

/** Checks plugins one by one, and what they need on this machine. */
export async function examinePlugins(
  statuses: readonly PluginStatus[],
  { config, plugins, installer }: Parts,
  ctx: OperationContext,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [await examineSandbox(config, statuses.length > 0)];
  if (statuses.some(({ plugin }) => plugin.language === "python")) {
    const { findPython } = await import("../../plugins/runner/python-runner.ts");
    const python = await findPython(config.env, ctx);
    findings.push(
      python.ok
        ? { name: "python", state: "good", found: `${python.value.path} (${python.value.version})` }
        : { name: "python", state: "bad", found: python.error },
    );
  }
  const pins = installer.pins();
  if (!pins.ok) findings.push({ name: "pins", state: "bad", found: pins.error.message });
  const refused = await refusedTools(plugins.list(), config, ctx);
  for (const status of statuses) {
    findings.push(...(await examine(status, plugins, installer)));
    const { key: name } = status.plugin;
    for (const tool of refused.get(name) ?? []) findings.push(refusal(name, tool));
  }
  return [
    ...findings,
    ...plugins.problems.map(({ path, message }): Finding => ({
      name: path.split("/").at(-1) ?? path,
      state: "bad",
      found: message,
    })),
  ];
}

async function examineSandbox(config: LoadedConfig, isNeeded: boolean): Promise<Finding> {
  const { findSandbox } = await import("../../runtime/environment/find-sandbox.ts");
  const sandbox = await findSandbox(config, undefined, false);
  const name = "sandbox";
  if (!sandbox.ok) {
    const { message, hint: advice } = sandbox.error;
    return { name, state: isNeeded ? "bad" : "note", found: message, advice };
  }
  const { kind, weaker } = sandbox.value;
  return weaker
    ? { name, state: "note", found: weaker.why, advice: weaker.hint }
    : { name, state: "good", found: `${kind} works` };
}

const states: Readonly<Record<PluginState, Finding["state"]>> = {
  active: "good",
  offered: "note",
  disabled: "note",
  missing: "bad",
  unavailable: "bad",
  broken: "bad",
};

async function examine(
  status: PluginStatus,
  plugins: Parts["plugins"],
  installer: Parts["installer"],
): Promise<readonly Finding[]> {
  const { plugin, state, why, missing, registration } = status;
  const { key: name, folder, manifest, source } = plugin;
  const isEdited = source === "home" && installer.isEdited(name, folder);
  const trial = state === "active" ? await plugins.tryRegistration(name) : undefined;
  const counts = trial?.ok
    ? `registers ${plural(trial.value.tools.length, "tool")} and ${plural(trial.value.hooks.length, "hook")}`
    : "";
  const last = trial?.ok ? trial.value : registration;
  return [
    trial && !trial.ok
      ? { name, state: "bad", found: trial.error, advice: `Fix it, then: hermes plugins enable ${name}` }
      : {
          name,
          state: states[state],
          found: state === "disabled" ? "not enabled" : (why ?? counts),
          ...(missing.length > 0 && state === "missing" && { advice: variableAdvice(status) }),
        },
    ...(isEdited
      ? [
          {
            name,
            state: "bad" as const,
            found: "its folder has changed since the installation",
            advice: `hermes plugins update ${name} restores it; hermes plugins enable ${name} accepts it.`,
          },
        ]
      : []),
    ...(manifest.version === "" ? [note(name, "its manifest has no version")] : []),
    ...(last?.unsupported ?? []).map(({ member, detail }) =>
      note(name, `${member} is ${unsupported}${detail === "" || detail === unsupported ? "" : `: ${detail}`}`),
    ),
    ...(last?.warnings ?? []).map((warning) => note(name, warning)),
  ];
}

/** The reason that a process gives for a member of the original without a port. */
const unsupported = "not supported by this host";

/** Where to get the variables, and how to set them. */
function variableAdvice({ plugin, missing }: PluginStatus): string {
  const { key, manifest } = plugin;
  const places = manifest.requiresEnv.flatMap(({ name, prompt, url }) =>
    missing.includes(name) && (prompt ?? url) !== undefined
      ? [`${name}: ${[prompt, url].filter(Boolean).join(", ")}`]
      : [],
  );
  return [...places, `\`hermes plugins enable ${key}\` asks for it`].join("; ");
}

function refusal(plugin: string, { name, why, advice }: RefusedTool): Finding {
  const detail = `its tool ${name} is not used: ${why}`;
  return { name: plugin, state: "note", found: detail, advice: advice ?? "Ask its author for another name." };
}

function note(name: string, detail: string): Finding {
  return { name, state: "note", found: detail };
}
