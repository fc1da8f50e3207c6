import type { CallScope } from "../../../contracts/tool/dispatch.ts";
import { type ServiceName, servicePurpose, type Services } from "../../../contracts/tool/services.ts";
import { fail, settingHints, type ToolFailure } from "../../../contracts/tool/tool-result.ts";
import type { Tool } from "../../../contracts/tool/tool.ts";

/** Returns the value of an environment variable that a tool requires. */
export type SecretLookup = (name: string) => string | undefined;

/** Returns why the tool cannot run here: a service or a secret that it requires is missing. */
export function missingNeeds(tool: Tool, scope: CallScope, secrets: SecretLookup): ToolFailure | undefined {
  // The dispatcher itself creates `call`.
  const services = tool.needs.filter((name) => name !== "call" && scope.services[name] === undefined);
  if (services.length > 0) {
    const names = services.map((name) => `${servicePurpose(name)} (service ${name})`).join(" and ");
    return fail(`${tool.name} needs ${names}, which is not available here`, "unavailable").error;
  }
  const unset = tool.requiresEnv.filter((name) => !secrets(name));
  if (unset.length === 0) return undefined;
  return fail(`${tool.name} needs ${settingHints(unset)}`, "unavailable").error;
}

export function servicesFor(tool: Tool, services: Partial<Services>): Partial<Services> {
  const named: Partial<Record<ServiceName, unknown>> = {};
  for (const name of tool.needs) named[name] = services[name];
  // Each value is stored under its own name.
  return named as Partial<Services>;
}

export function secretsFor(tool: Tool, secrets: SecretLookup): Readonly<Record<string, string>> {
  if (tool.requiresEnv.length === 0) return noSecrets;
  return Object.fromEntries(tool.requiresEnv.map((name) => [name, secrets(name) ?? ""]));
}

const noSecrets: Readonly<Record<string, string>> = Object.freeze({});
