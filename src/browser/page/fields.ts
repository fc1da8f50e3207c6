import { err, ok, type Result } from "../../base/result.ts";
import type { BrowserFault, FilledField } from "../../contracts/web/browser.ts";
import type { Tab } from "../sessions/tab.ts";
import type { FrameWorlds } from "./frame-worlds.ts";
import type { FieldFacts } from "./in-page/targets.ts";
import { pressKey, readKey, typeText } from "./keys.ts";
import type { FoundTarget, Pointing } from "./pointing.ts";

export interface Fields {
  /** Replaces the text of a field. Returns a sentence that never contains a secret. */
  type(ref: string, text: string): Promise<Result<string, BrowserFault>>;
  select(ref: string, options: readonly string[]): Promise<Result<string, BrowserFault>>;
  /** Sets a field of any kind. */
  set(field: FilledField): Promise<Result<string, BrowserFault>>;
}

export function createFields(tab: Tab, worlds: FrameWorlds, pointing: Pointing): Fields {
  type Field = FoundTarget & { readonly facts: FieldFacts };

  async function field(ref: string): Promise<Result<Field, BrowserFault>> {
    const target = await pointing.find(ref);
    if (!target.ok) return target;
    const { world, local, words } = target.value;
    const facts = await worlds.call(world, "field", [local]);
    if (!facts) return err({ kind: "gone", message: `${words} is gone: the page removed it.` });
    if (facts.isDisabled) return err({ kind: "refused", message: `${words} is disabled.` });
    return ok({ ...target.value, facts });
  }

  async function typeInto({ world, local, words, facts }: Field, text: string): Promise<Result<string, BrowserFault>> {
    if (!isTyped(facts)) return err({ kind: "invalid", message: `${words} does not take text${otherWay(facts)}.` });
    if (facts.isReadOnly) return err({ kind: "refused", message: `${words} is read-only.` });
    // Clicks first, like a user, because some pages show the real field only then.
    const spot = await pointing.point({ world, local, words });
    if (spot.ok) await pointing.click(spot.value);
    else if (spot.error.kind === "covered" || spot.error.kind === "gone") return spot;
    if (!(await worlds.call(world, "selectText", [local])))
      return err({ kind: "failed", message: `${words} did not take the focus.` });
    const isLine = facts.tag === "input";
    const typed = isLine ? text.replaceAll(/[\r\n]+/gu, " ").trimEnd() : text;
    const erase = readKey("Backspace");
    if (typed === "" && erase) await pressKey(tab.main, erase);
    else await typeText(tab.main, typed);
    const now = await worlds.call(world, "field", [local]).catch(() => undefined);
    const shown = facts.isSecret ? `${text.length} hidden characters` : JSON.stringify(clip(typed));
    const isOther =
      now && !facts.isSecret && now.value.trim() !== typed.trim() && facts.tag !== "" && facts.role !== "combobox";
    const note = isOther && now.tag !== "div" ? `; the field now holds ${JSON.stringify(clip(now.value))}` : "";
    return ok(`Typed ${shown} into ${refOf(words)}${note}.`);
  }

  async function setNatively(
    { world, local, words, facts }: Field,
    value: string,
  ): Promise<Result<string, BrowserFault>> {
    const stored = await worlds.call(world, "setValue", [local, value]);
    if (stored === "" && value !== "")
      return err({
        kind: "invalid",
        message: `${words} (${facts.type}) does not accept ${JSON.stringify(clip(value))}${formatHint(facts.type)}.`,
      });
    return ok(`Set ${refOf(words)} to ${JSON.stringify(stored)}.`);
  }

  async function selectIn(
    { world, local, words, facts }: Field,
    requested: readonly string[],
  ): Promise<Result<string, BrowserFault>> {
    if (facts.tag !== "select")
      return err({
        kind: "invalid",
        message: `${words} is not a select: click it, then click the option that appears.`,
      });
    if (requested.length > 1 && !facts.isMultiple)
      return err({ kind: "invalid", message: `${words} takes one option.` });
    const values: string[] = [];
    for (const wish of requested) {
      const match = bestOption(facts.options, wish);
      if (!match)
        return err({
          kind: "invalid",
          message: `${words} has no option ${JSON.stringify(clip(wish))}. Options: ${optionList(facts.options)}`,
        });
      if (match.isDisabled)
        return err({ kind: "refused", message: `The option ${JSON.stringify(match.label)} of ${words} is disabled.` });
      values.push(match.value);
    }
    await worlds.call(world, "setOptions", [local, values]);
    return ok(`Selected ${requested.map((wish) => JSON.stringify(clip(wish))).join(", ")} in ${refOf(words)}.`);
  }

  async function check(target: Field, isWanted: boolean): Promise<Result<string, BrowserFault>> {
    const { world, local, words, facts } = target;
    if (facts.isChecked === isWanted) return ok(`${words} is ${isWanted ? "checked" : "unchecked"} already.`);
    if (facts.role === "radio" && !isWanted)
      return err({ kind: "invalid", message: `${words} is a radio button: choose another one of its group instead.` });
    const spot = await pointing.point(target);
    if (!spot.ok) return spot;
    await pointing.click(spot.value);
    const now = await worlds.call(world, "field", [local]).catch(() => undefined);
    if (now && now.isChecked !== isWanted)
      return err({ kind: "failed", message: `${words} was clicked, but its state did not change.`, isActed: true });
    return ok(`${isWanted ? "Checked" : "Unchecked"} ${refOf(words)}.`);
  }

  return {
    async type(ref, text) {
      const target = await field(ref);
      if (!target.ok) return target;
      return isNative(target.value.facts) ? setNatively(target.value, text) : typeInto(target.value, text);
    },
    async select(ref, options) {
      const target = await field(ref);
      return target.ok ? selectIn(target.value, options) : target;
    },
    async set({ ref, value }) {
      const target = await field(ref);
      if (!target.ok) return target;
      const { facts, words } = target.value;
      if (facts.type === "file") return err({ kind: "refused", message: `${words} takes files: use browser_upload.` });
      const single = typeof value === "object" ? value.join(", ") : String(value);
      if (facts.tag === "select") return selectIn(target.value, typeof value === "object" ? value : [single]);
      if (checkable.has(facts.role)) {
        const isWanted = typeof value === "boolean" ? value : !/^(?:false|no|off|0|unchecked|)$/iu.test(single.trim());
        return check(target.value, isWanted);
      }
      return isNative(facts) ? setNatively(target.value, single) : typeInto(target.value, single);
    },
  };
}

const checkable: ReadonlySet<string> = new Set(["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"]);

function isNative({ type }: FieldFacts): boolean {
  return ["date", "datetime-local", "month", "week", "time", "color", "range"].includes(type);
}

function isTyped({ tag, type, role }: FieldFacts): boolean {
  if (tag === "input")
    return !["button", "submit", "reset", "image", "checkbox", "radio", "file", "hidden"].includes(type);
  return tag === "textarea" || role === "textbox" || role === "searchbox" || role === "spinbutton";
}

function otherWay({ tag, type, role }: FieldFacts): string {
  if (tag === "select") return ": use browser_select";
  if (type === "file") return ": use browser_upload";
  return checkable.has(role) ? ": use browser_click or browser_fill" : "";
}

function formatHint(type: string): string {
  const hints: Readonly<Record<string, string>> = {
    date: "; write 2026-12-31",
    "datetime-local": "; write 2026-12-31T18:00",
    month: "; write 2026-12",
    week: "; write 2026-W52",
    time: "; write 18:30",
    color: "; write #ff8800",
    range: "; write a number",
  };
  return hints[type] ?? "";
}

/**
 * Finds the option with this label or value: an exact match, then ignoring case, then the only one with this prefix.
 */
function bestOption(options: FieldFacts["options"], wish: string): FieldFacts["options"][number] | undefined {
  const requested = wish.trim();
  const lower = requested.toLowerCase();
  const starting = options.filter(({ label }) => label.toLowerCase().startsWith(lower));
  return (
    options.find(({ label, value }) => label === requested || value === requested) ??
    options.find(({ label, value }) => label.toLowerCase() === lower || value.toLowerCase() === lower) ??
    (lower !== "" && starting.length === 1 ? starting[0] : undefined)
  );
}

function optionList(options: FieldFacts["options"]): string {
  const shown = options.slice(0, 30).map(({ label }) => label);
  return `${shown.join(", ")}${options.length > shown.length ? ` and ${options.length - shown.length} more` : ""}`;
}

/** Returns only the reference: the changes that follow name the field. */
function refOf(words: string): string {
  return words.split(" ", 1)[0] ?? words;
}

function clip(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
