import { lstat } from "node:fs/promises";
import { join } from "node:path";

import { isObject } from "../../base/json.ts";
import { ok } from "../../base/result.ts";
import { homeFiles } from "../../config/home.ts";
import { isSecretName } from "../../config/keys/secret-names.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { weakSettings } from "../../config/weak-settings.ts";
import { readYaml } from "../../config/yaml/read-yaml.ts";
import { flag, object, optional } from "../../contracts/host/input-schema.ts";
import type { OperationContext } from "../../contracts/host/operation.ts";
import { packageOf } from "../../mcp/entries/package-of.ts";
import { type OperationServices, readOperation } from "../operation.ts";

/** One weakness, and how to fix it. */
interface SecurityFinding {
  readonly level: "low" | "moderate" | "high" | "critical";
  /** A place such as `settings` or `mcp NAME`. */
  readonly place: string;
  readonly message: string;
  readonly advice: string;
}

export const operations = {
  audit: readOperation({
    summary:
      "Check for weaknesses in settings, file modes, files with secrets, MCP servers and plugins; changes nothing",
    input: object({
      skipPlugins: optional(flag("Do not look at plugins")),
      skipMcp: optional(flag("Do not look at MCP servers")),
    }),
    needs: ["config", "mcp", "plugins"],
    async run({ skipPlugins = false, skipMcp = false }, { config, mcp, plugins }, ctx) {
      const servers = skipMcp ? { findings: [], unchecked: [] } : await serverFindings(mcp, config, ctx);
      const findings = [
        ...settingFindings(config),
        ...(await modeFindings(config.home.path)),
        ...(await plainSecrets(config.home.path)),
        ...(skipPlugins ? [] : pluginFindings(plugins)),
        ...servers.findings,
      ];
      return ok({ findings, unchecked: servers.unchecked });
    },
  }),
};

function settingFindings({ values }: LoadedConfig): readonly SecurityFinding[] {
  const weak = weakSettings(values).map((message): SecurityFinding => ({
    level: "high",
    place: "settings",
    message,
    advice: "`hermes config unset KEY` restores the default.",
  }));
  const automatic: readonly SecurityFinding[] = values.hooks_auto_accept
    ? [
        {
          level: "moderate",
          place: "settings",
          message: "hooks_auto_accept is on: new shell hooks run without a question",
          advice: "hermes config unset hooks_auto_accept",
        },
      ]
    : [];
  return [...weak, ...automatic];
}

/** Reports files of the home that other users can read. */
async function modeFindings(home: string): Promise<readonly SecurityFinding[]> {
  const { config, env, credentials, mcpSignIns, mcpServeToken, sessions } = homeFiles;
  const findings: SecurityFinding[] = [];
  for (const name of ["", config, env, credentials, mcpSignIns, mcpServeToken, sessions]) {
    const path = join(home, name);
    const stats = process.platform === "win32" ? undefined : await lstat(path).catch(() => undefined);
    if (!stats || stats.isSymbolicLink() || (stats.mode & 0o077) === 0) continue;
    const isSecret = [env, credentials, mcpSignIns, mcpServeToken].some((each) => each === name);
    const mode = (stats.mode & 0o777).toString(8).padStart(4, "0");
    findings.push({
      level: isSecret ? "high" : "low",
      place: path,
      message: `has mode ${mode}: other users of this machine may read it`,
      advice: `chmod ${stats.isDirectory() ? "700" : "600"} ${path}`,
    });
  }
  return findings;
}

/** Reports keys in config.yaml, because they are part of every backup and every copy of the file. */
async function plainSecrets(home: string): Promise<readonly SecurityFinding[]> {
  const file = join(home, homeFiles.config);
  const read = await readYaml(file);
  const findings: SecurityFinding[] = [];
  const walk = (value: unknown, path: readonly string[]): void => {
    if (Array.isArray(value)) value.forEach((each, index) => walk(each, [...path, String(index)]));
    else if (isObject(value)) for (const [name, each] of Object.entries(value)) walk(each, [...path, name]);
    else if (
      typeof value === "string" &&
      value.length >= 8 &&
      !/^\$\{\w+\}$/u.test(value) &&
      isSecretName(path.at(-1) ?? "")
    )
      findings.push({
        level: "moderate",
        place: file,
        message: `${path.join(".")} is a secret as plain text`,
        advice: "Put it into .env (`hermes config set NAME VALUE`) and write ${NAME} here.",
      });
  };
  walk(read.ok ? read.value?.tree : undefined, []);
  return findings;
}

function pluginFindings(plugins: OperationServices["plugins"]): readonly SecurityFinding[] {
  return plugins.list().flatMap(({ plugin, state, why }): readonly SecurityFinding[] => {
    if (state === "disabled" || plugin.source === "bundled") return [];
    const place = `plugin ${plugin.key}`;
    if (why !== undefined && /chang|differ/iu.test(why))
      return [{ level: "high", place, message: why, advice: `hermes plugins info ${plugin.key}` }];
    return plugin.manifest.version === ""
      ? [
          {
            level: "low",
            place,
            message: "has no version, so it cannot be compared with advisories",
            advice: `hermes plugins info ${plugin.key}`,
          },
        ]
      : [];
  });
}

async function serverFindings(
  mcp: OperationServices["mcp"],
  config: LoadedConfig,
  { clock, signal }: OperationContext,
) {
  const findings: SecurityFinding[] = [];
  const unchecked: string[] = [];
  const add = (name: string, level: SecurityFinding["level"], message: string, advice: string) =>
    void findings.push({ level, place: `mcp ${name}`, message, advice });
  for (const { name, entry, state, isUnconfined } of mcp.list()) {
    if (!entry || state === "disabled") continue;
    if (isUnconfined) add(name, "moderate", "runs with all your rights", `hermes mcp configure ${name} --sandbox`);
    const { target } = entry;
    if (target.kind !== "stdio") {
      const url = URL.parse(target.url);
      const isLocal = url !== null && ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
      if (url?.protocol === "http:" && !isLocal)
        add(name, "high", "is reached without encryption (http:)", "Use its https: address.");
      continue;
    }
    const fetched = packageOf(target);
    if (!fetched) continue;
    if (fetched.version === undefined)
      add(
        name,
        "moderate",
        `fetches the newest ${fetched.name} at each start`,
        `Name a version: ${fetched.name}@VERSION`,
      );
    const { adviceAbout } = await import("../../runtime/mcp/ask-osv.ts");
    const advice = await adviceAbout(fetched, config, clock, signal);
    if (!advice.ok) unchecked.push(`${fetched.name}: ${advice.error}`);
    else
      for (const { id, summary, isMalware } of advice.value)
        add(
          name,
          isMalware ? "critical" : "high",
          `${fetched.name}: ${id} ${summary}`,
          "Remove it, or use a fixed version.",
        );
  }
  return { findings, unchecked };
}
