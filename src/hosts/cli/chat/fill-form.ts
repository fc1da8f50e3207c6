import type { JsonObject, JsonValue } from "../../../base/json.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { fieldFault, type Form, type FormField, typedValue } from "../../../contracts/host/form.ts";
import { escapeInvisible } from "../escape-invisible.ts";
import type { Paint } from "../paint.ts";
import { wrap } from "../table.ts";
import { type ChoiceMenu, createChoiceMenu } from "./typing/choice-menu.ts";

/** Shows text and reads the user's lines. */
export interface FormDialog {
  readonly paint: Paint;
  columns(): number;
  rows(): number;
  /** False: the terminal cannot redraw, so choices are numbered lists. */
  readonly hasMenus: boolean;
  /** Reads one line. Undefined: the line was another command, which was handled; the question is shown again. */
  answer(question: {
    readonly text: string;
    readonly prompt: string;
    readonly menu?: ChoiceMenu;
    /** Printed instead of the menu. */
    readonly reply?: (line: string) => string;
  }): Promise<string | undefined>;
}

type Filled = Result<JsonObject, { readonly reason: "declined" | "cancelled" }>;

/** Asks for the fields one by one. If there are several values, it shows them again before they are sent. */
export async function fillInForm(form: Form, dialog: FormDialog): Promise<Filled> {
  const { fields, from } = form;
  const { paint, columns } = dialog;
  const head = wrap(headText(form, paint, columns()), columns());
  if (fields.length === 0) return agree(head, dialog);
  for (let above = head; ; above = head) {
    const values: Record<string, JsonValue> = {};
    for (const [index, field] of fields.entries()) {
      const text = [...(index === 0 ? [above] : []), wrap(fieldText(field, dialog), columns())].join("\n");
      const typed = await readField(field, text, dialog);
      if (!typed.ok) return typed;
      if (typed.value !== undefined) values[field.name] = typed.value;
    }
    if (fields.length === 1) return ok(values);
    const shown = fields.map((field) => `  ${fieldLabel(field)}: ${shownValue(field, values[field.name])}`);
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
  dialog: FormDialog,
): Promise<Result<JsonValue | undefined, { readonly reason: "declined" | "cancelled" }>> {
  const { answer, paint, columns, hasMenus } = dialog;
  for (let text = question; ;) {
    const menu = hasMenus ? fieldMenu(field, dialog) : undefined;
    const prompt = `${fieldLabel(field)}> `;
    const reply = (typed: string) => {
      const value = menu?.answer?.words === "" ? pickedValue(field, menu.answer.picked) : undefined;
      return `${prompt}${value === undefined ? escapeInvisible(typed) : shownValue(field, value)}`;
    };
    const line = await answer({ text, prompt, ...(menu && { menu, reply }) });
    if (line === undefined) {
      text = question;
      continue;
    }
    const word = line.trim();
    if (word === "/decline") return err({ reason: "declined" });
    if (word === "/cancel" || (menu && !menu.answer)) return err({ reason: "cancelled" });
    const picked = menu?.answer?.words === "" ? pickedValue(field, menu.answer.picked) : undefined;
    if (picked === undefined && word === "" && field.default !== undefined) return ok(field.default);
    if (picked === undefined && word === "" && !field.isRequired) return ok(undefined);
    const value =
      picked === undefined
        ? word === ""
          ? err("a value is needed")
          : typedValue(field, word)
        : fitting(field, picked);
    if (value.ok) return value;
    text = wrap(`  ${paint.bad("•")} ${value.error}`, columns());
  }
}

/** The choices of the field above its line. A text field has none. */
function fieldMenu(field: FormField, { paint, columns, rows }: FormDialog): ChoiceMenu {
  const choices = menuChoices(field);
  const preset = field.default;
  const chosen = (value: JsonValue) => (Array.isArray(preset) ? preset.includes(value) : preset === value);
  return createChoiceMenu({
    choices: choices.map(({ title }) => ({ label: title })),
    hasSeveral: field.kind === "choice" && field.hasSeveral,
    // A typed line may be a command or a value.
    allowsText: true,
    initial: choices.flatMap(({ value }, index) => (chosen(value) ? [index] : [])),
    canBeEmpty: true,
    hint: hintOf(field),
    paint,
    columns,
    rows,
  });
}

function hintOf(field: FormField): string {
  const isList = field.kind === "choice" && field.hasSeveral;
  const how = isList ? "↑↓ and space, or numbers mark · " : "↑↓ or a number, Enter answers · ";
  return `${menuChoices(field).length === 0 ? "" : how}Esc closes the question`;
}

/** The choices of a field; empty for text and numbers. */
export function menuChoices(field: FormField): readonly { readonly value: JsonValue; readonly title: string }[] {
  if (field.kind === "choice") return field.choices;
  if (field.kind !== "yes_no") return [];
  return [
    { value: true, title: "yes" },
    { value: false, title: "no" },
  ];
}

/** The value of the chosen entries. Undefined: the person chose nothing. */
export function pickedValue(field: FormField, picked: readonly number[]): JsonValue | undefined {
  const values = picked.flatMap((index) => menuChoices(field)[index]?.value ?? []);
  const isList = field.kind === "choice" && field.hasSeveral && (values.length > 0 || field.default !== undefined);
  return isList ? values : values[0];
}

function fitting(field: FormField, value: JsonValue): Result<JsonValue, string> {
  const fault = fieldFault(field, value);
  return fault === undefined ? ok(value) : err(fault);
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

export function fieldLabel({ title, name }: FormField): string {
  return escapeInvisible(title ?? name);
}

function fieldText(field: FormField, { paint, hasMenus }: FormDialog): string {
  const { description, isRequired } = field;
  const facts = [kindText(field), ...(isRequired ? ["required"] : ["optional"])].join(", ");
  const choices = field.kind === "choice" && !hasMenus ? field.choices : [];
  const enter =
    field.default === undefined ? (isRequired ? "" : "Enter skips it.") : `Enter: ${shownValue(field, field.default)}`;
  return [
    `${paint.bold(fieldLabel(field))} ${paint.dim(`(${facts})`)}`,
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

export function shownValue(field: FormField, value: JsonValue | undefined): string {
  if (value === undefined) return "(none)";
  if (typeof value === "boolean") return value ? "yes" : "no";
  const titleOf = (each: JsonValue) => {
    const choice = field.kind === "choice" ? field.choices.find((one) => one.value === each) : undefined;
    return choice?.title ?? (typeof each === "string" ? each : JSON.stringify(each));
  };
  return escapeInvisible(Array.isArray(value) ? value.map(titleOf).join(", ") || "(none)" : titleOf(value));
}
