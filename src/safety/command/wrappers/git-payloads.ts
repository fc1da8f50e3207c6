import { words } from "../../../base/text/words.ts";
import { gitCommand, isExecKey } from "../programs/git-command.ts";
import { readOptions } from "../programs/options.ts";
import { type Field, knownField, unknown } from "../shell/field.ts";
import type { Payload } from "../shell/walk.ts";
import { joinedPayload } from "./shells.ts";
import type { Wrapper } from "./wrapper.ts";

const gitOptions = words(`
  exec extcmd open-files-in-pager upload-pack receive-pack tree-filter index-filter env-filter msg-filter
  commit-filter parent-filter tag-name-filter onto
`);

/**
 * Returns texts that git passes to a shell: aliases with `!`, pagers and editors in settings, `foreach`, `bisect run`,
 * `--exec`.
 */
export const gitWrappers: Wrapper = (ran, via) => {
  const { name, rest, settings } = gitCommand(ran.argv.slice(1));
  const payloads: Payload[] = settings.flatMap(({ key, value }) => settingPayloads(key, value, name, rest, via));
  if (name === undefined || !runsOthers.has(name)) return payloads;
  const read = readOptions(rest, {
    short: name === "rebase" ? "xsXC" : name === "difftool" ? "xtT" : name === "grep" ? "OefmABC" : "u",
    long: gitOptions,
  });
  switch (name) {
    case "difftool":
      payloads.push(...read.values("x", "extcmd").flatMap((code) => joinedPayload([code, unknown, unknown], via)));
      break;
    case "submodule": {
      const offset = rest.findIndex(({ text }) => text === "foreach");
      const code =
        offset < 0
          ? []
          : rest
              .slice(offset + 1)
              .filter(({ text }, index) => !(index === 0 && /^(?:--recursive|-q|--quiet)$/u.test(text)));
      payloads.push(...joinedPayload(code, via));
      break;
    }
    case "bisect":
      if (rest[0]?.text === "run" && rest.length > 1) payloads.push({ argv: rest.slice(1), via });
      break;
    case "config": {
      const given = /^(?:set|add)$/u.test(read.operands[0]?.text ?? "") ? read.operands.slice(1) : read.operands;
      const [key, value] = given;
      if (key && value) payloads.push(...settingPayloads(key.text, value, undefined, [], via));
      break;
    }
    case "ls-remote":
    case "clone":
    case "fetch":
    case "pull":
    case "fetch-pack":
      payloads.push(
        ...read.values("upload-pack", ...(name === "clone" ? ["u"] : [])).flatMap((text) => joinedPayload([text], via)),
      );
      payloads.push(
        ...read.operands
          .filter(({ text }) => text.startsWith("ext::"))
          .flatMap((url) => joinedPayload([{ ...url, text: url.text.slice(5) }], via)),
      );
      break;
    case "grep":
      payloads.push(...read.values("O", "open-files-in-pager").flatMap((code) => joinedPayload([code, unknown], via)));
      break;
    default:
      payloads.push(
        ...read.options.flatMap(({ name: option, value }) =>
          value && (option === "x" || option === "O" || /^(?:exec|extcmd|open-|receive-pack|.*-filter)/u.test(option))
            ? joinedPayload([value], via)
            : [],
        ),
      );
  }
  return payloads;
};

/** Subcommands of git that accept a command as an option or operand. */
const runsOthers: ReadonlySet<string> = new Set(
  words(
    "submodule bisect config ls-remote clone fetch pull fetch-pack send-pack push archive rebase difftool grep filter-branch",
  ),
);

function settingPayloads(
  key: string,
  value: Field | undefined,
  name: string | undefined,
  rest: readonly Field[],
  via: string,
): readonly Payload[] {
  if (!value) return [];
  const alias = /^alias\.(.+)$/iu.exec(key)?.[1];
  if (alias !== undefined) {
    const isCalled = alias === name;
    if (value.text.startsWith("!"))
      return joinedPayload([{ ...value, text: value.text.slice(1) }, ...(isCalled ? rest : [])], via);
    return isCalled ? joinedPayload([knownField("git"), value, ...rest], via) : [];
  }
  if (!isExecKey(key) || /^include|templatedir$/iu.test(key)) return [];
  if (/^credential\./iu.test(key))
    return value.text.startsWith("!") ? joinedPayload([{ ...value, text: value.text.slice(1) }], via) : [];
  return joinedPayload([value], via);
}
