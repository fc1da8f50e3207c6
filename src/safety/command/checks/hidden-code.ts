import { type Fact, rule } from "../fact.ts";
import { programName } from "../programs/program-name.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";
import { readShell, shellNames } from "../wrappers/shells.ts";

/** Finds pipes from a decoder into a shell, which can hide any command. */
export function hiddenCode(ran: SimpleCommand, name: string): readonly Fact[] {
  if (ran.stdin.from.length === 0) return [];
  if (!shellNames.has(name) && !/^(?:python|node|perl|ruby|php|source|\.|eval|xargs|parallel)$/u.test(name)) return [];
  const decoder = ran.stdin.from.find((each) => isDecoding(each));
  const readsCode = shellNames.has(name)
    ? readShell(ran.argv.slice(1)).code === undefined
    : ran.argv.length === 1 || ran.argv[1]?.text === "-";
  return decoder && readsCode ? [rule("hidden_code", ...decoder.argv, ...ran.argv)] : [];
}

/** Returns whether the command decodes unreadable input to text. */
export function isDecoding({ argv }: SimpleCommand, name = programName(argv[0]) ?? ""): boolean {
  if (!decoders.has(name)) return false;
  const words = argv.slice(1).map(({ text }) => text);
  if (/^base(?:64|32|16|nc)$|^uudecode$|^base58$/u.test(name))
    return (
      name === "uudecode" ||
      words.some((text) => /^(?:-[a-zA-Z]*[dD][a-zA-Z]*|--d(?:e(?:c(?:o(?:d(?:e)?)?)?)?)?)$/u.test(text))
    );
  if (name === "xxd") return words.some((text) => /^-[a-z]*r/u.test(text));
  if (name === "openssl") return words.some((text) => text === "-d");
  // Matches `\x72` and similar escapes for plain letters.
  if (name === "printf" || name === "echo")
    return words.some((text) => /(?:\\x[2-7][0-9a-f]|\\0?(?:[4-7][0-7]|1[0-7]{2})){2}/iu.test(text));
  if (/^(?:python|perl|ruby|node|php|lua)$/u.test(name)) return words.some((text) => decodes.test(text));
  return (
    name === "tr" ||
    name === "rev" ||
    name === "gunzip" ||
    name === "zcat" ||
    /^(?:bz|xz|zstd)cat$|^(?:bunzip2|unxz|unzstd)$/u.test(name) ||
    (/^(?:gzip|bzip2|xz|zstd|lzma)$/u.test(name) && words.some((text) => /^-\w*d|^--decompress$/u.test(text)))
  );
}

const decoders: ReadonlySet<string> = new Set(
  (
    "base64 base32 base16 basenc base58 uudecode xxd openssl printf echo python perl ruby node php lua tr rev gunzip zcat " +
    "bzcat xzcat zstdcat bunzip2 unxz unzstd gzip bzip2 xz zstd lzma"
  ).split(" "),
);

const decodes =
  /b(?:ase)?(?:64|32|16)_?decode|decode_?base64|\bdecode\b|fromhex|unhexlify|hex2bin|\bpack\b|\bchr\b|fromCharCode|Buffer\.from|\batob\b|rot_?13|\[::-1\]|\breverse/iu;
