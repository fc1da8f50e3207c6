/** An option as the parser needs it. */
export interface OptionFacts {
  /** The long name without dashes. */
  readonly name: string;
  readonly short: string | undefined;
  readonly takesValue: boolean;
  readonly repeats: boolean;
  /** True: the value may be absent. If it is present, it consists of all words up to the next option. */
  readonly isOptional: boolean;
}

/** Options that every command has. */
export const globalOptionFlags: readonly { readonly flags: string; readonly summary: string }[] = [
  { flags: "-p, --profile <name>", summary: "use the home of this profile" },
  { flags: "-t, --toolsets <names>", summary: "toolsets for this run, separated by commas" },
  { flags: "--set <key=value>...", summary: "override a setting for this run; repeatable" },
  { flags: "--json", summary: "print JSON" },
  { flags: "-V, --version", summary: "print the version" },
  { flags: "-h, --help", summary: "show help" },
];

export const globalOptions: readonly OptionFacts[] = globalOptionFlags.map(({ flags }) => optionFacts(flags));

/** Reads `-n, --limit <count>`; `[name]` is optional, three dots at the end mark a repeatable option. Throws if the declaration has no long option. */
export function optionFacts(flags: string): OptionFacts {
  const match = /^(?:-(\w), )?--([\w-]+)( <[^>]+>)?( \[[^\]]+\])?(\.\.\.)?$/.exec(flags);
  if (!match?.[2]) throw new TypeError(`invalid option declaration: ${flags}`);
  const isOptional = match[4] !== undefined;
  const takesValue = isOptional || match[3] !== undefined;
  return { name: match[2], short: match[1], takesValue, repeats: match[5] !== undefined, isOptional };
}

export function camelCase(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
