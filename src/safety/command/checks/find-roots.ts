import { type Field, knownField } from "../shell/field.ts";

export interface Listing {
  /** The folders that are searched. */
  readonly roots: readonly Field[];
  /** True: the tests select only some of the entries. */
  readonly isNarrow: boolean;
  /** The name that `find` searches for, if any. */
  readonly name: Field | undefined;
}

/** The search roots of `find`, and whether it selects everything. `args` excludes the program name. */
export function findListing(args: readonly Field[]): Listing {
  const from = args.findIndex(({ text }) => !/^-(?:[HLPE]|O\d|D)$/u.test(text));
  const words = from < 0 ? [] : args.slice(from);
  const end = words.findIndex(({ text }) => /^[-(!]/u.test(text));
  const roots = end < 0 ? words : words.slice(0, end);
  const index = words.findIndex(({ text }) => /^-i?name$/u.test(text));
  return {
    name: index < 0 ? undefined : words[index + 1],
    roots: roots.length > 0 ? roots : [knownField(".")],
    isNarrow: isNarrow(end < 0 ? [] : words.slice(end).map(({ text }) => text)),
  };
}

function isNarrow(tests: readonly string[]): boolean {
  // `-o -delete` ignores the tests before it.
  if (tests.some((text, index) => /^-or?$/u.test(text) && /^-(?:delete|exec|execdir)$/u.test(tests[index + 1] ?? "")))
    return false;
  return tests.some(
    (text, index) =>
      narrowing.test(text) &&
      !/^\*+$/u.test(tests[index + 1] ?? "") &&
      // A negated test still selects nearly everything.
      !/^(?:!|-not)$/u.test(tests[index - 1] ?? ""),
  );
}

const narrowing =
  /^-(?:i?name|i?path|i?wholename|i?regex|i?lname|[amc](?:time|min)|newer\w*|[ac]newer|size|empty|user|group|uid|gid|perm|inum|links|samefile|fstype|nouser|nogroup|executable|used|xtype)$/u;
