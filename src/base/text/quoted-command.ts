import { quoteForShell } from "./shell-quote.ts";

/**
 * Inserts values into the placeholders of a shell command, such as `{input_path}`, quoted for their position: inside
 * double quotes, inside single quotes or unquoted. Unknown placeholders stay unchanged.
 */
export function quotedCommand(template: string, values: Readonly<Record<string, string>>): string {
  let command = "";
  let quote = "";
  for (let index = 0; index < template.length; index++) {
    const sign = template[index] ?? "";
    if (sign === "\\" && quote !== "'") {
      command += sign + (template[++index] ?? "");
      continue;
    }
    if (sign === "{") {
      const name = /^\{([a-z_]+)\}/u.exec(template.slice(index, index + 40))?.[1];
      if (name !== undefined && Object.hasOwn(values, name)) {
        command += quotedIn(quote, values[name] ?? "");
        index += name.length + 1;
        continue;
      }
    }
    if (quote === "" && (sign === "'" || sign === '"')) quote = sign;
    else if (sign === quote) quote = "";
    command += sign;
  }
  return command;
}

/** A NUL character cannot be part of a command. */
function quotedIn(quote: string, value: string): string {
  const plain = value.replaceAll("\0", "");
  if (quote === "'") return plain.replaceAll("'", String.raw`'\''`);
  return quote === '"' ? plain.replaceAll(/[\\"$`]/gu, String.raw`\$&`) : quoteForShell(plain);
}
