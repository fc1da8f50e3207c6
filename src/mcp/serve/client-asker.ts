import type { JsonObject } from "../../base/json.ts";
import { err, ok } from "../../base/result.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import { type Form, type FormField, formFault } from "../../contracts/host/form.ts";
import type { Asker } from "../../contracts/host/ports.ts";
import { type Choice, choiceTitle, type PersonQuestion } from "../../contracts/host/question.ts";
import type { ClientPorts, Elicit } from "./served-client.ts";

/** Asks the user through the client. Returns undefined if the client cannot show forms. */
export function clientAsker({ elicit }: Pick<ClientPorts, "elicit">): Asker | undefined {
  if (!elicit) return undefined;
  const fillIn: Asker["fillIn"] = async (form, signal) => {
    const answered = await elicit({ message: messageOf(form), schema: formSchema(form) }, signal);
    if (!answered.ok) return err({ reason: signal.aborted ? "aborted" : "cancelled" });
    const { value } = answered;
    if (value.action !== "accept") return err({ reason: value.action === "decline" ? "declined" : "cancelled" });
    return formFault(form, value.content) === undefined ? ok(value.content) : err({ reason: "cancelled" });
  };
  return {
    fillIn,
    async ask(question, signal) {
      if (question.isOptional) return err({ reason: "declined" });
      const filled = await fillIn({ from: question.from ?? "", ...questionForm(question) }, signal);
      if (!filled.ok) return err({ reason: filled.error.reason === "cancelled" ? "declined" : filled.error.reason });
      const { answer = [], other = "" } = filled.value;
      const words = typeof other === "string" ? other.trim() : "";
      // The cast is safe: the form was validated, so the value is a string or a list of strings.
      const chosen = Array.isArray(answer) ? (answer as readonly string[]) : [answer as string];
      const answers = [...(words === "" || question.hasSeveral ? chosen : []), ...(words === "" ? [] : [words])];
      return answers.length === 0 ? err({ reason: "declined" }) : ok(answers);
    },
  };
}

/** The question as a form: the choices, and a field for free text, which replaces a single choice. */
function questionForm({ text, choices = [], hasSeveral = false, allowsText = true }: PersonQuestion) {
  if (choices.length === 0) {
    const field: FormField = { kind: "text", name: "answer", isRequired: true };
    return { text, fields: [field] };
  }
  const titled = (choice: Choice) =>
    choice.description === undefined ? choiceTitle(choice) : `${choiceTitle(choice)}: ${choice.description}`;
  const fields: readonly FormField[] = [
    {
      kind: "choice",
      name: "answer",
      isRequired: !allowsText,
      choices: choices.map((choice) => ({ value: choice.label, title: titled(choice) })),
      hasSeveral,
    },
    ...(allowsText ? [ownWords] : []),
  ];
  return { text, fields };
}

const ownWords: FormField = { kind: "text", name: "other", title: "Your own answer", isRequired: false };

/** An asker for a session whose client supports forms. Each call provides the real asker. */
export const absentAsker: Asker = {
  ask: async () => err({ reason: "declined" }),
  fillIn: async () => err({ reason: "declined" }),
};

function messageOf({ text, address }: Form): string {
  return address === undefined ? text : `${text}\n${address}`;
}

function formSchema({ fields }: Form): Parameters<Elicit>[0]["schema"] {
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
    ...(required.length > 0 && { required }),
  };
}

function fieldSchema(field: FormField): JsonObject {
  const { title, description } = field;
  const about = { ...(title !== undefined && { title }), ...(description !== undefined && { description }) };
  switch (field.kind) {
    case "text":
      return withoutUndefined({
        type: "string",
        ...about,
        format: field.format,
        minLength: field.minChars,
        maxLength: field.maxChars,
        default: field.default,
      });
    case "number":
      return withoutUndefined({
        type: field.isWhole ? "integer" : "number",
        ...about,
        minimum: field.min,
        maximum: field.max,
        default: field.default,
      });
    case "yes_no":
      return withoutUndefined({ type: "boolean", ...about, default: field.default });
    case "choice": {
      const isTitled = field.choices.some(({ value, title: shown }) => shown !== value);
      const values = field.choices.map(({ value }) => value);
      const titled = field.choices.map(({ value, title: shown }) => ({ const: value, title: shown }));
      const { min, max, default: preset } = field;
      if (!field.hasSeveral)
        return withoutUndefined({
          type: "string",
          ...about,
          ...(isTitled ? { oneOf: titled } : { enum: values }),
          default: typeof preset === "string" ? preset : undefined,
        });
      return withoutUndefined({
        type: "array",
        ...about,
        items: isTitled ? { anyOf: titled } : { type: "string", enum: values },
        minItems: min,
        maxItems: max,
        default: typeof preset === "string" || preset === undefined ? undefined : [...preset],
      });
    }
  }
}
