import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { isSecretName } from "../../config/keys/secret-names.ts";

/**
 * Moves secrets of a server's settings to `.env`, and replaces them with variables: values of `env` and `headers`,
 * parameters of the address, and arguments such as `--api-key VALUE` and `--header "Authorization: Bearer VALUE"`.
 */
export function secretsMoved(
  name: string,
  settings: JsonObject,
): { readonly settings: JsonObject; readonly variables: Readonly<Record<string, string>> } {
  const variables: Record<string, string> = {};

  /** The value, or the variable that replaces it. */
  function hide(key: string, value: string): string {
    if (value === "" || value.includes("${") || !isSecret(key, value)) return value;
    const base = `MCP_${name}_${key}`.toUpperCase().replaceAll(/[^A-Z0-9]+/gu, "_");
    let variable = base;
    // Two secrets of the same name, such as a header and an argument, need two variables.
    for (let number = 2; (variables[variable] ?? value) !== value; number++) variable = `${base}_${number}`;
    variables[variable] = value;
    return `\${${variable}}`;
  }

  function inMap(key: "env" | "headers"): JsonObject {
    const values = settings[key];
    if (!isObject(values)) return {};
    const pairs = Object.entries(values).map(([each, value]): readonly [string, JsonValue] => [
      each,
      typeof value === "string" ? hide(each, value) : value,
    ]);
    return { [key]: Object.fromEntries(pairs) };
  }

  function inAddress(): JsonObject {
    const { url } = settings;
    if (typeof url !== "string") return {};
    return { url: url.replaceAll(/(?<=[?&])([^=&#]+)=([^&#]*)/gu, (_, key, value) => `${key}=${hide(key, value)}`) };
  }

  function inArguments(): JsonObject {
    const { args } = settings;
    if (!Array.isArray(args)) return {};
    return {
      args: args.map((arg: JsonValue, index): JsonValue => {
        if (typeof arg !== "string") return arg;
        const [, option, value] = /^--?([\w-]+)=(.+)$/su.exec(arg) ?? [];
        if (option !== undefined && value !== undefined) return arg.slice(0, -value.length) + hide(option, value);
        const [, header, content] = /^([\w-]+):\s*(.+)$/su.exec(arg) ?? [];
        if (header !== undefined && content !== undefined) return arg.slice(0, -content.length) + hide(header, content);
        const before: JsonValue | undefined = args[index - 1];
        const [, flag] = /^--([\w-]+)$/u.exec(typeof before === "string" ? before : "") ?? [];
        return flag === undefined || arg.startsWith("-") ? arg : hide(flag, arg);
      }),
    };
  }

  return {
    settings: { ...settings, ...inMap("env"), ...inMap("headers"), ...inAddress(), ...inArguments() },
    variables,
  };
}

function isSecret(name: string, value: string): boolean {
  return isSecretName(name) || /^(?:bearer|basic|token)\s/iu.test(value);
}
