import type { JsonObject, JsonValue } from "../../../../base/json.ts";
import { err, ok, type Result } from "../../../../base/result.ts";
import { fieldFault, type Form, type FormField, typedValue } from "../../../../contracts/host/form.ts";
import { fieldLabel, menuChoices, pickedValue, shownValue } from "../../chat/fill-form.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { fit, folded } from "../../table.ts";
import type { Drawn, KeyPress, Panel, Space, Theme } from "../parts.ts";
import type { ScreenTexts } from "../texts/english.ts";
import { around, type ChoiceList, createChoiceList } from "./choice-list.ts";
import { createLineInput, type LineInput } from "./line-input.ts";
import { createScrollView, titleLine } from "./panel-layout.ts";

export type FormOutcome = Result<JsonObject, { readonly reason: "declined" | "cancelled" }>;

export interface FormPanelParts {
  readonly form: Form;
  readonly theme: Theme;
  readonly texts: ScreenTexts;
  close(outcome: FormOutcome): void;
  redraw(): void;
}

/** A field while the person edits it. */
interface FieldEditor {
  readonly field: FormField;
  readonly input?: LineInput;
  readonly list?: ChoiceList;
  /** The chosen positions of a list; undefined until the user chooses. */
  picked?: readonly number[];
  fault: string;
}

/**
 * All fields of a form. Tab and Shift-Tab move between them, Enter goes to the next; after the last one come the
 * buttons. A form without fields asks for consent, with Cancel preselected.
 */
export function createFormPanel(parts: FormPanelParts): Panel {
  const { form, theme, close, redraw } = parts;
  const { panels } = parts.texts;
  const texts = panels.form;
  const editors = form.fields.map((field) => editorOf(field, parts));
  const buttons =
    editors.length === 0 ? (["accept", "decline", "cancel"] as const) : (["send", "decline", "cancel"] as const);
  const body = createScrollView();
  let focus = 0;
  let button = editors.length === 0 ? buttons.length - 1 : 0;

  function finish(index: number): void {
    const chosen = buttons[index];
    if (chosen === "decline") return close(err({ reason: "declined" }));
    if (chosen === "cancel") return close(err({ reason: "cancelled" }));
    for (const editor of editors) editor.fault = "";
    const values: Record<string, JsonValue> = {};
    for (const [position, editor] of editors.entries()) {
      const value = valueOf(editor, texts.needed);
      if (!value.ok) {
        editor.fault = value.error;
        focus = position;
        return undefined;
      }
      if (value.value !== undefined) values[editor.field.name] = value.value;
    }
    return close(ok(values));
  }

  function move(step: number): void {
    const editor = editors[focus];
    const value = editor && valueOf(editor, texts.needed);
    // An empty field may be filled in later; an invalid value is reported at once.
    if (editor) editor.fault = value && !value.ok && !isEmpty(editor) ? value.error : "";
    focus = (focus + step + editors.length + 1) % (editors.length + 1);
  }

  /** Enter in a field: an invalid value keeps the focus. */
  function next(editor: FieldEditor): void {
    const value = valueOf(editor, texts.needed);
    editor.fault = value.ok ? "" : value.error;
    if (!value.ok) return;
    if (editors.length === 1) finish(0);
    else focus += 1;
  }

  function pressField(editor: FieldEditor, key: KeyPress): void {
    const { list, input } = editor;
    if (input) {
      if (key.chord === "enter") next(editor);
      else if (key.chord === "up" || key.chord === "down") move(key.chord === "up" ? -1 : 1);
      else if (input.press(key)) editor.fault = "";
      return;
    }
    if (!list) return;
    if (key.chord === "backspace" || key.chord === "delete") {
      delete editor.picked;
      return;
    }
    const outcome = list.press(key);
    const isSeveral = editor.field.kind === "choice" && editor.field.hasSeveral;
    if (outcome === "answered") {
      if (!isSeveral || editor.picked || list.answer.picked.length > 0) editor.picked = list.answer.picked;
      next(editor);
    } else if (outcome === "taken" && isSeveral) editor.picked = list.answer.picked;
  }

  function pressButton({ chord, text }: KeyPress): void {
    const letter = buttons.findIndex((name) => chord !== "paste" && name.startsWith(text?.toLowerCase() ?? "\0"));
    if (chord === "enter") finish(button);
    else if (letter >= 0) finish(letter);
    else if (chord === "left") button = Math.max(0, button - 1);
    else if (chord === "right") button = Math.min(buttons.length - 1, button + 1);
    else if (chord === "up" && editors.length > 0) move(-1);
  }

  function press(key: KeyPress): boolean {
    const editor = editors[focus];
    if (key.chord === "escape") close(err({ reason: "cancelled" }));
    else if (key.chord === "tab") move(1);
    else if (key.chord === "shift+tab") move(-1);
    else if (body.press(key)) redraw();
    else if (editor) pressField(editor, key);
    else pressButton(key);
    redraw();
    return true;
  }

  function fieldBlock(editor: FieldEditor, index: number, { columns, rows }: Space): Drawn {
    const { field, input, list, fault } = editor;
    const isFocused = index === focus;
    const name = `${isFocused ? "❯" : " "} ${fieldLabel(field)}${field.isRequired ? "" : ` (${texts.optional})`}`;
    const faultLines = fault === "" ? [] : folded(fault, columns - 6).map((line) => `    ${theme.bad("•")} ${line}`);
    const value = list ? shownPick(editor) : (input?.text ?? "");
    if (!isFocused) return { lines: [fit(`${name}: ${theme.dim(escapeInvisible(value))}`, columns), ...faultLines] };
    const about = aboutLines(editor, columns);
    const lines = [
      theme.paintAs("menuCurrent", fit(name, columns)),
      ...about.slice(0, maxAboutRows(rows)).map((line) => theme.dim(`    ${line}`)),
    ];
    if (list) {
      const chosen = editor.picked === undefined ? [] : [fit(`    ${texts.chosen(shownPick(editor))}`, columns)];
      const shown = list.draw(columns - 6, Math.max(1, Math.min(12, rows - lines.length - chosen.length)));
      return { lines: [...lines, ...shown.lines.map((line) => `    ${line}`), ...chosen, ...faultLines] };
    }
    const line = input?.draw(columns - 8) ?? { text: "", column: 0 };
    const row = lines.length;
    return { lines: [...lines, `    > ${line.text}`, ...faultLines], cursor: { row, column: 6 + line.column } };
  }

  function aboutLines({ field }: FieldEditor, columns: number): readonly string[] {
    return field.description === undefined ? [] : folded(escapeInvisible(field.description), columns - 6);
  }

  const maxAboutRows = (rows: number) => (rows < 6 ? 0 : 3);

  /** The description and the choice of the current field, if they have no room there. The page keys reach them. */
  function cutLines(columns: number, rows: number): readonly string[] {
    const editor = editors[focus];
    if (!editor) return [];
    const about = aboutLines(editor, columns);
    return [
      ...(about.length > maxAboutRows(rows) ? about.map((line) => theme.dim(`    ${line}`)) : []),
      ...(editor.list?.cutChoice(columns - 6, Math.max(1, rows - 2)).map((line) => `    ${line}`) ?? []),
    ];
  }

  function buttonRow(columns: number): string {
    const words = buttons.map((name, index) => {
      const isCurrent = focus === editors.length && index === button;
      const word = `${isCurrent ? "❯" : " "}${texts.buttons[name]}`;
      return isCurrent ? theme.paintAs("menuCurrent", word) : word;
    });
    return fit(` ${words.join("  ")}`, columns);
  }

  function headLines(columns: number): readonly string[] {
    const edge = `  ${theme.dim("│")} `;
    const text = form.text.split("\n").flatMap((line) => folded(escapeInvisible(line), columns - 5));
    if (form.address === undefined) return text.map((line) => edge + line);
    const host = URL.canParse(form.address) ? new URL(form.address).host : texts.unreadableHost;
    return [
      ...text.map((line) => edge + line),
      ...folded(texts.visit(escapeInvisible(host)), columns - 2).map((line) => ` ${line}`),
      ...folded(escapeInvisible(form.address), columns - 3).map((line) => `  ${theme.accent(line)}`),
      ...folded(texts.neverOpened, columns - 2).map((line) => theme.dim(` ${line}`)),
    ];
  }

  return {
    isQuestion: true,
    press,
    draw({ columns, rows }) {
      const free = Math.max(3, rows - 3);
      const fieldRows = Math.ceil((free * 2) / 3);
      const head = [...headLines(columns), ...cutLines(columns, fieldRows)];
      const drawn = editors.map((editor, index) => fieldBlock(editor, index, { columns, rows: fieldRows }));
      const height = drawn.reduce((sum, { lines }) => sum + lines.length, 0);
      const headRows = Math.min(head.length, Math.max(Math.floor(free / 3), free - height));
      const visible = body.visible(head, Math.max(1, headRows));
      const blocks = drawn.map(({ lines }) => lines);
      const index = Math.min(focus, editors.length - 1);
      const fields = around(blocks, index, Math.max(1, free - visible.length), (count, isAbove) =>
        theme.dim(isAbove ? panels.choices.moreAbove(count) : panels.choices.moreBelow(count)),
      );
      const { above, below } = body.hidden;
      const hint = editors.length === 0 ? texts.consentHint : texts.hint;
      const scroll = above + below > 0 ? `${panels.choices.scroll(above, below)} · ` : "";
      const lines = [
        titleLine(theme, panels.choices.questionFrom(escapeInvisible(form.from)), "", columns, "warn"),
        ...visible,
        ...fields.lines,
        buttonRow(columns),
        theme.dim(fit(` ${scroll}${hint}`, columns)),
      ].slice(0, Math.max(1, rows));
      const cursor = drawn[focus]?.cursor;
      if (!cursor) return { lines };
      const before = blocks.slice(fields.first, focus).reduce((sum, block) => sum + block.length, 0);
      const row = 1 + visible.length + (fields.hasNoteAbove ? 1 : 0) + before + cursor.row;
      return row < lines.length ? { lines, cursor: { ...cursor, row } } : { lines };
    },
  };
}

function editorOf(field: FormField, { theme, texts }: Pick<FormPanelParts, "theme" | "texts">): FieldEditor {
  const choices = menuChoices(field);
  if (choices.length === 0) {
    const initial = field.default === undefined ? "" : String(field.default);
    return { field, input: createLineInput({ initial }), fault: "" };
  }
  const preset = field.default;
  const isPreset = (value: JsonValue) => (Array.isArray(preset) ? preset.includes(value) : preset === value);
  const initial = choices.flatMap(({ value }, index) => (isPreset(value) ? [index] : []));
  const hasSeveral = field.kind === "choice" && field.hasSeveral;
  const labels = choices.map(({ title }) => ({ label: title }));
  const list = createChoiceList({ choices: labels, hasSeveral, allowsText: false, initial, theme, texts });
  return { field, list, fault: "", ...(preset !== undefined && { picked: initial }) };
}

function isEmpty({ input, picked }: FieldEditor): boolean {
  return input ? input.text.trim() === "" : picked === undefined;
}

function shownPick({ field, picked }: FieldEditor): string {
  return picked === undefined ? "" : shownValue(field, pickedValue(field, picked));
}

/** The value of a field. Undefined: the field stays empty. */
function valueOf(editor: FieldEditor, needed: string): Result<JsonValue | undefined, string> {
  const { field, input, picked } = editor;
  if (isEmpty(editor)) return field.isRequired ? err(needed) : ok(undefined);
  if (input) return typedValue(field, input.text);
  const value = pickedValue(field, picked ?? []);
  if (value === undefined) return field.isRequired ? err(needed) : ok(undefined);
  const fault = fieldFault(field, value);
  return fault === undefined ? ok(value) : err(fault);
}
