import type { JsonObject, JsonValue } from "../../../base/json.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { type Form, type FormField, typedValue } from "../../../contracts/host/form.ts";
import { escapeInvisible } from "../escape-invisible.ts";
import type { Paint } from "../paint.ts";
import { wrap } from "../table.ts";

/** Shows text and reads lines, at the place where the person types. */
export interface FormDialog {
  readonly paint: Paint;
  columns(): number;
  /** One typed line. Undefined: it was another command and was handled; the question appears again. */
  answer(question: { readonly text: string; readonly prompt: string }): Promise<string | undefined>;
}

type Filled = Result<JsonObject, { readonly reason: "declined" | "cancelled" }>;

/** Asks field by field. Several values are shown once more before they are sent. */
export async function fillInForm(form: Form, dialog: FormDialog): Promise<Filled> {
  const { fields, from } = form;
  const { paint, columns } = dialog;
  const head = wrap(headText(form, paint, columns()), columns());
  if (fields.length === 0) return agree(head, dialog);
  for (let above = head; ; above = head) {
    const values: Record<string, JsonValue> = {};
    for (const [index, field] of fields.entries()) {
      const text = [...(index === 0 ? [above] : []), wrap(fieldText(field, paint), columns())].join("\n");
      const typed = await readField(field, text, dialog);
      if (!typed.ok) return typed;
      if (typed.value !== undefined) values[field.name] = typed.value;
    }
    if (fields.length === 1) return ok(values);
    const shown = fields.map((field) => `  ${label(field)}: ${shownValue(field, values[field.name])}`);
    const text = wrap(["", `These values go to ${escapeInvisible(from)}:`, ...shown].join("\n"), columns());
    const choice = await choose(["send", "again", "decline", "cancel"], text, dialog);
    if (choice === "send") return ok(values);
    if (choice !== "again") return err({ reason: choice === "decline" ? "declined" : "cancelled" });
  }
}

async function agree(text: string, dialog: FormDialog): Promise<Filled> {
  const choice = await choose(["accept", "decline", "cancel"], text, dialog);
  return choice === "accept" ? ok({}) : err({ reason: choice === "decline" ? "declined" : "cancelled" });
}

/** Any other line cancels, so that nothing is sent by mistake. */
async function choose<Word extends string>(words: readonly Word[], text: string, { answer, paint }: FormDialog) {
  const keys = words.map((word) =>
    word === "cancel" ? paint.bold("[C]ancel") : `[${word.slice(0, 1)}]${word.slice(1)}`,
  );
  for (;;) {
    const line = await answer({ text, prompt: `${keys.join("  ")} (Enter cancels): ` });
    if (line === undefined) continue;
    const typed = line.trim().toLowerCase().replace(/^\//u, "");
    return words.find((word) => typed !== "" && (typed === word || typed === word.slice(0, 1))) ?? "cancel";
  }
}

async function readField(
  field: FormField,
  question: string,
  { answer, paint, columns }: FormDialog,
): Promise<Result<JsonValue | undefined, { readonly reason: "declined" | "cancelled" }>> {
  for (let text = question; ;) {
    const line = await answer({ text, prompt: `${label(field)}> ` });
    if (line === undefined) {
      text = question;
      continue;
    }
    const word = line.trim();
    if (word === "/decline") return err({ reason: "declined" });
    if (word === "/cancel") return err({ reason: "cancelled" });
    if (word === "" && field.default !== undefined) return ok(field.default);
    if (word === "" && !field.isRequired) return ok(undefined);
    const value = word === "" ? err("a value is needed") : typedValue(field, word);
    if (value.ok) return value;
    text = wrap(`  ${paint.bad("•")} ${value.error}`, columns());
  }
}

function headText({ from, text, address, fields }: Form, paint: Paint, columns: number): string {
  const edge = `  ${paint.dim("│")} `;
  // Every line of the text starts with a border, so that none of them can imitate the question.
  const lines = text.split("\n").flatMap((line) => wrap(escapeInvisible(line), columns - 4).split("\n"));
  return [
    "",
    `${paint.warn("Question")} of ${paint.bold(escapeInvisible(from))}:`,
    "",
    ...lines.map((line) => `${edge}${line}`),
    "",
    ...(address === undefined ? [] : addressLines(address, paint)),
    ...(fields.length === 0
      ? []
      : [paint.dim("/decline refuses, /cancel closes the question. Enter no secrets here.")]),
  ].join("\n");
}

function addressLines(address: string, paint: Paint): readonly string[] {
  const host = URL.canParse(address) ? new URL(address).host : "an unreadable host";
  return [
    `  Open in your browser, if you trust ${paint.bold(escapeInvisible(host))}:`,
    `  ${paint.accent(escapeInvisible(address))}`,
    "  Hermes does not open it. Accept tells the server that you agree to visit it.",
    "",
  ];
}

function label({ title, name }: FormField): string {
  return escapeInvisible(title ?? name);
}

function fieldText(field: FormField, paint: Paint): string {
  const { description, isRequired } = field;
  const facts = [kindText(field), ...(isRequired ? ["required"] : ["optional"])].join(", ");
  const choices = field.kind === "choice" ? field.choices : [];
  const enter =
    field.default === undefined ? (isRequired ? "" : "Enter skips it.") : `Enter: ${shownValue(field, field.default)}`;
  return [
    `${paint.bold(label(field))} ${paint.dim(`(${facts})`)}`,
    ...(description === undefined ? [] : [`  ${escapeInvisible(description)}`]),
    ...choices.map(({ title }, index) => `  ${index + 1}. ${escapeInvisible(title)}`),
    ...(enter === "" ? [] : [paint.dim(`  ${enter}`)]),
  ].join("\n");
}

function kindText(field: FormField): string {
  switch (field.kind) {
    case "text":
      return field.format ?? "text";
    case "number":
      return field.isWhole ? "whole number" : "number";
    case "yes_no":
      return "yes or no";
    case "choice":
      return field.hasSeveral ? "numbers separated by commas" : "a number";
  }
}

function shownValue(field: FormField, value: JsonValue | undefined): string {
  if (value === undefined) return "(none)";
  if (typeof value === "boolean") return value ? "yes" : "no";
  const titleOf = (each: JsonValue) => {
    const choice = field.kind === "choice" ? field.choices.find((one) => one.value === each) : undefined;
    return choice?.title ?? (typeof each === "string" ? each : JSON.stringify(each));
  };
  return escapeInvisible(Array.isArray(value) ? value.map(titleOf).join(", ") || "(none)" : titleOf(value));
}
