import type { JsonObject, JsonValue } from "../../base/json.ts";

/**
 * The same bytes as `JSON.stringify` makes. Elements of the lists at the top (messages, tools) are written once as long as
 * they are the same objects: of a long conversation only what is new has to be.
 */
export function createBodyWriter(): (body: JsonObject) => Buffer {
  const written = new WeakMap<object, Buffer>();

  function element(value: JsonValue): Buffer {
    if (typeof value !== "object" || value === null) return Buffer.from(JSON.stringify(value));
    const bytes = written.get(value) ?? Buffer.from(JSON.stringify(value));
    written.set(value, bytes);
    return bytes;
  }

  return (body) => {
    const parts: Buffer[] = [];
    let before = "{";
    for (const [name, value] of Object.entries(body)) {
      before += `${JSON.stringify(name)}:`;
      if (Array.isArray(value)) {
        parts.push(Buffer.from(`${before}[`));
        value.forEach((each, index) => parts.push(...(index > 0 ? [comma] : []), element(each)));
        before = "],";
      } else before += `${JSON.stringify(value)},`;
    }
    parts.push(Buffer.from(`${before.replace(/,$/u, "")}}`));
    return Buffer.concat(parts);
  };
}

const comma = Buffer.from(",");
