import { SaxesParser } from "saxes";

/** Handlers for tags by local name, because programs use different prefixes. */
export interface XmlEvents {
  open?(name: string, tag: XmlTag): void;
  close?(name: string): void;
  text?(text: string): void;
}

export interface XmlTag {
  /** Returns an attribute by its local name. A prefixed one takes precedence (`r:id` before `id`). */
  attribute(name: string): string | undefined;
}

/**
 * Parses XML in chunks. Returns false if it is damaged, after the events before the damage. Declared entities are never
 * expanded, so a small file cannot become a big text.
 */
export function readXml(
  bytes: Uint8Array,
  events: XmlEvents,
  entities: Readonly<Record<string, string>> = {},
): boolean {
  const parser = new SaxesParser();
  Object.assign(parser.ENTITIES, entities);
  parser.on("error", (error) => {
    throw new DamagedXml(error.message);
  });
  let depth = 0;
  parser.on("opentag", ({ name, attributes }) => {
    if (++depth > maxDepth) throw new DamagedXml("too deep");
    events.open?.(localName(name), { attribute: (attributeName) => attributeOf(attributes, attributeName) });
  });
  parser.on("closetag", ({ name }) => {
    depth--;
    events.close?.(localName(name));
  });
  if (events.text) {
    const text = events.text.bind(events);
    parser.on("text", text);
    parser.on("cdata", text);
  }
  try {
    const decoder = new TextDecoder(encodingOf(bytes));
    for (let index = 0; index < bytes.length; index += pieceBytes)
      parser.write(decoder.decode(bytes.subarray(index, index + pieceBytes), { stream: true }));
    parser.write(decoder.decode());
    parser.close();
    return true;
  } catch (thrown) {
    if (thrown instanceof DamagedXml) return false;
    throw thrown;
  }
}

class DamagedXml extends Error {}

function localName(name: string): string {
  const colon = name.indexOf(":");
  return colon < 0 ? name : name.slice(colon + 1);
}

function attributeOf(attributes: Readonly<Record<string, string>>, attributeName: string): string | undefined {
  for (const name of Object.keys(attributes))
    if (
      name.length > attributeName.length &&
      name.endsWith(attributeName) &&
      name[name.length - attributeName.length - 1] === ":"
    )
      return attributes[name];
  return attributes[attributeName];
}

function encodingOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return "utf-8";
}

const maxDepth = 2000;
const pieceBytes = 256 * 1024;
