import { type Field, knownField } from "../shell/field.ts";

export interface Listing {
  /** The folders that are searched. */
  readonly roots: readonly Field[];
  /** True if the tests select only some of the entries. */
  readonly isNarrow: boolean;
  /** The file name that `find` searches for, if any. */
  readonly name: Field | undefined;
}

/** Returns the folders that `find` searches, and whether it selects everything. `args` excludes the program name. */
export function findListing(args: readonly Field[]): Listing {
  const from = args.findIndex(({ text }) => !/^-(?:[HLPE]|O\d|D)$/u.test(text));
  const words = from < 0 ? [] : args.slice(from);
  const end = words.findIndex(({ text }) => /^[-(!]/u.test(text));
  const roots = end < 0 ? words : words.slice(0, end);
  return {
    roots: roots.length > 0 ? roots : [knownField(".")],
    ...readTests(end < 0 ? [] : words.slice(end)),
  };
}

/** Returns whether a word ends the command after `-exec`. A `+` does so only after `{}`. */
export function isExecEnd(words: readonly Field[], index: number): boolean {
  const text = words[index]?.text;
  return text === ";" || (text === "+" && words[index - 1]?.text === "{}");
}

/** Parses the expression of `find`. A test applies only to the actions after it. */
function readTests(words: readonly Field[]): Pick<Listing, "isNarrow" | "name"> {
  let index = 0;
  let name: Field | undefined;
  const changing: boolean[] = [];
  const printing: boolean[] = [];
  /** Parses alternatives up to a closing parenthesis. Returns true if each of them selects only some entries. */
  const read = (isOuterNarrow: boolean): boolean => {
    let areOthersNarrow = true;
    let isNarrow = false;
    let isNegated = false;
    while (index < words.length) {
      const text = words[index++]?.text ?? "";
      if (text === ")") break;
      if (text === "!" || text === "-not") {
        isNegated = !isNegated;
        continue;
      }
      let isSelecting = false;
      if (/^(?:-or?|,)$/u.test(text)) {
        areOthersNarrow &&= isNarrow;
        isNarrow = false;
      } else if (text === "(") isSelecting = read(isOuterNarrow || isNarrow);
      else if (/^-(?:exec|ok)(?:dir)?$/u.test(text)) {
        while (index < words.length && !isExecEnd(words, index)) index += 1;
        index += 1;
        changing.push(isOuterNarrow || isNarrow);
      } else if (text === "-delete") changing.push(isOuterNarrow || isNarrow);
      else {
        if (/^-(?:f?print[0f]?|f?ls)$/u.test(text)) printing.push(isOuterNarrow || isNarrow);
        if (/^-i?name$/u.test(text)) name ??= words[index];
        isSelecting = narrowing.test(text) && !/^\*+$/u.test(words[index]?.text ?? "");
        index += text === "-fprintf" ? 2 : withoutValue.test(text) ? 0 : 1;
      }
      // A negated test still selects nearly everything.
      isNarrow ||= isSelecting && !isNegated;
      isNegated = false;
    }
    return areOthersNarrow && isNarrow;
  };
  const isNarrow = read(false);
  const actions = changing.length > 0 ? changing : printing;
  return { name, isNarrow: actions.length > 0 ? actions.every(Boolean) : isNarrow };
}

const withoutValue =
  /^(?!-)|^-(?:a|and|delete|print0?|ls|prune|quit|true|false|empty|executable|readable|writable|nouser|nogroup|depth|d|daystart|follow|mount|xdev|noleaf|\w*warn|\w*readdir_race)$/u;

const narrowing =
  /^-(?:i?name|i?path|i?wholename|i?regex|i?lname|[amc](?:time|min)|newer\w*|[ac]newer|size|empty|user|group|uid|gid|perm|inum|links|samefile|fstype|nouser|nogroup|executable|used|xtype)$/u;
