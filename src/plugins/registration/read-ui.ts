import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { oneLine } from "../../base/text/text.ts";
import type { FormField, TextFormat } from "../../contracts/host/form.ts";
import { isPluginChord, type UiKind, type UiRegistration } from "../../contracts/plugin/ui.ts";
import { isJsonList, type PartReader, partReader, type TextRule, WrongPart } from "./read-parts.ts";

const kinds: readonly UiKind[] = ["segment", "key", "panel", "dialog"];
const formats: readonly TextFormat[] = ["email", "uri", "date", "date-time"];
const maxFields = 20;
const maxChoices = 100;

const name: TextRule = { pattern: /^[\w-]{1,64}$/u, form: '1 to 64 letters, digits, "_" or "-"' };
const line: TextRule = { maxChars: 200, rewrite: (text) => oneLine(text.replaceAll(/\p{Cc}+/gu, " "), 200) };
const about: TextRule = { maxChars: 2_000, fallback: "" };

/** A part of the full-screen interface. Invalid keys and fields are rejected. */
export function readUi(part: PartReader): UiRegistration {
  const kind = kinds.find((each) => each === part.text("kind"));
  if (!kind) throw new WrongPart(`kind must be one of ${kinds.join(", ")}`);
  const chord = part.text("chord", { fallback: "" }).toLowerCase();
  if (kind === "key" && !isPluginChord(chord))
    throw new WrongPart(
      `the key ${JSON.stringify(oneLine(chord, 40))} cannot be used: use F2 to F12, or a letter or digit with Ctrl or Alt that Hermes does not use itself`,
    );
  const given = part.list("fields");
  return {
    id: part.text("id", { maxChars: 200, pattern: /^\S+$/u, form: "text without spaces" }),
    kind,
    name: part.text("name", name),
    title: part.text("title", line) || part.text("name", name),
    text: part.text("text", about),
    chord: kind === "key" ? chord : "",
    everySeconds: Math.max(1, part.countIfAny("everySeconds") ?? 10),
    priority: part.countIfAny("priority") ?? 100,
    fields: kind === "dialog" ? readFields(given) : [],
  };
}

function readFields(given: readonly JsonValue[]): readonly FormField[] {
  if (given.length > maxFields) throw new WrongPart(`a dialog has at most ${maxFields} fields`);
  return given.map((each) => readField(partReader(each), isObject(each) ? each : {}));
}

function readField(part: PartReader, given: JsonObject): FormField {
  const title = part.textIfAny("title", line);
  const description = part.textIfAny("description", line);
  const facts = {
    name: part.text("name", name),
    isRequired: part.flag("isRequired"),
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
  };
  const { default: preset } = given;
  switch (part.text("kind")) {
    case "text": {
      const format = formats.find((each) => each === given["format"]);
      return {
        kind: "text",
        ...facts,
        ...(format && { format }),
        ...(typeof preset === "string" && { default: preset }),
      };
    }
    case "number":
      return {
        kind: "number",
        ...facts,
        isWhole: part.flag("isWhole"),
        ...(typeof given["min"] === "number" && { min: given["min"] }),
        ...(typeof given["max"] === "number" && { max: given["max"] }),
        ...(typeof preset === "number" && { default: preset }),
      };
    case "yes_no":
      return { kind: "yes_no", ...facts, ...(typeof preset === "boolean" && { default: preset }) };
    case "choice":
      return {
        kind: "choice",
        ...facts,
        hasSeveral: part.flag("hasSeveral"),
        choices: readChoices(given["choices"]),
        ...(typeof preset === "string" && { default: preset }),
      };
    default:
      throw new WrongPart("the kind of a field must be text, number, yes_no or choice");
  }
}

function readChoices(given: JsonValue | undefined) {
  if (!isJsonList(given) || given.length === 0 || given.length > maxChoices)
    throw new WrongPart(`choices must be a list of 1 to ${maxChoices}`);
  return given.map((each) => {
    if (typeof each === "string") return { value: each, title: oneLine(each, 200) };
    const part = partReader(each);
    const value = part.text("value", { maxChars: 200 });
    return { value, title: part.textIfAny("title", line) ?? value };
  });
}
