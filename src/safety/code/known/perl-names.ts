import { once } from "../../../base/async/once.ts";
import { hole } from "../../command/shell/field.ts";
import {
  fileValue,
  deletes,
  enters,
  fetches,
  finds,
  folds,
  gives,
  keeps,
  type NameEffect,
  acting,
  below,
  byNames,
  deletesItself,
  forks,
  noting,
  ties,
  usesItself,
  moves,
  program,
  queries,
  sends,
  shell,
  uses,
} from "../reading/known.ts";
import { formatted } from "../reading/operators.ts";
import {
  unknownValue,
  joinTexts,
  refValue,
  tainted,
  taints,
  textOfValue,
  textOrHole,
  textValue,
  type CodeValue,
  characterOf,
} from "../reading/value.ts";
import { decodedBase64, decodedHex, permission } from "./shared-names.ts";

/** `open F, ">x"`, `open(F, "<", x)`, `open(F, "cmd |")`, `open(STDIN, ">&S")`. */
const opened: NameEffect = gives(({ args: [handle, mode, ...rest], effects, words }) => {
  const text = textOfValue(mode);
  if (text === undefined) {
    if (rest.length === 0 && mode !== undefined) effects.path("read", mode);
    return unknownValue;
  }
  const start = text.trimStart();
  if (/^\+?[<>]{1,2}&/u.test(start)) {
    effects.tie(words);
    return unknownValue;
  }
  if (rest.length > 0) {
    if (start.includes("|")) {
      effects.find("inline_code", words);
      effects.program(rest, words);
    } else effects.path(pathUseOfPerlMode(start), rest[0]);
    return fileValue(rest[0]);
  }
  if (start.startsWith("|") || /\|\s*$/u.test(start)) {
    effects.find("inline_code", words);
    effects.shell({ ...mode, taint: 0, text: start.replace(/^\|/u, "").replace(/\|\s*$/u, "") }, words);
    return handle;
  }
  const file = textValue(start.replace(/^\+?[<>]*\s*/u, "").trim());
  effects.path(pathUseOfPerlMode(start), file);
  return fileValue(file);
});

function pathUseOfPerlMode(mode: string): "read" | "write" | "append" | "edit" {
  if (mode.startsWith(">>")) return "append";
  if (mode.startsWith(">") || mode.startsWith("+>")) return "write";
  return mode.startsWith("+<") ? "edit" : mode.startsWith(hole) ? "write" : "read";
}

const evaluated: NameEffect = acting((call) => {
  const [code] = call.args;
  // A block only catches errors.
  if (code?.fields === undefined) call.run(code ?? unknownValue);
});

const packed: NameEffect = gives(({ args: [format, value] }) => {
  const text = textOfValue(value);
  return /^[Hh]\*?/u.test(textOfValue(format) ?? "") && text !== undefined
    ? textValue(decodedHex(text), taints.decoded)
    : tainted(taints.decoded);
});

const kills: NameEffect = acting(({ args: [signal, ...targets], effects, words }) => {
  if (signal?.number !== 0)
    effects.find(targets.some(({ number }) => number === -1) ? "kill_all" : "inline_code", words);
});

const connects: NameEffect = gives(({ effects, words, args, named }) => {
  effects.connect(words);
  effects.fetch(named.get("PeerAddr") ?? named.get("PeerHost") ?? args[0], words);
  return { ref: "socket()", taint: taints.socket };
});

const reversed: NameEffect = gives(({ args }) =>
  args.length === 1 && args[0]?.text !== undefined
    ? textValue(Array.from(args[0].text).toReversed().join(""), args[0].taint | taints.decoded)
    : undefined,
);

const joined: NameEffect = gives(({ args: [by, ...rest] }) =>
  joinTexts(
    rest.flatMap((arg): readonly CodeValue[] => arg.items ?? [arg]),
    textOrHole(by),
  ),
);

const character: NameEffect = gives(({ args: [code] }) =>
  code?.number === undefined ? tainted(taints.decoded) : textValue(characterOf(code.number), taints.decoded),
);

export const perlNames = once(() =>
  byNames({
    "system exec IPC.Run.run": program(),
    "IPC.Open3.open3 open3 IPC.Open2.open2 open2 dump": finds("inline_code"),
    readpipe: shell(),
    "syscall DynaLoader.dl_load_file": finds("unreadable_code"),
    fork: forks,
    kill: kills,
    // ── files ─────────────────────────────────────────────────────────────────────────────────────────────────────────
    "unlink rmdir": deletes(),
    "rmtree remove_tree File.Path.rmtree File.Path.remove_tree": deletes(0, true),
    "*.remove": noting((call) => {
      if (call.args.length === 0 && call.self?.ref === "Path()") deletesItself().read(call);
    }),
    "*.remove_tree": deletesItself(true),
    path: gives(({ args: [path] }) => ({ ...textValue(textOrHole(path)), ref: "Path()" })),
    "*.spew": usesItself("write"),
    open: opened,
    sysopen: uses("write", 1),
    "rename move File.Copy.move": moves(),
    "File.Copy.copy": moves(true),
    chdir: enters,
    truncate: uses("write"),
    "symlink link": uses("link", 1),
    chmod: permission(1, 0),
    chown: uses("owner", 2),
    glob: gives(({ args: [shape] }) => ({
      ref: "listing",
      text: textOrHole(shape).replace(/[*?[{].*$/su, hole),
      taint: 0,
    })),
    // ── network ───────────────────────────────────────────────────────────────────────────────────────────────────────
    "IO.Socket.INET.new IO.Socket.SSL.new IO.Socket.IP.new IO.Socket.new connect": connects,
    "IO.Socket.UNIX.new socket B.Deparse.new": gives(() => unknownValue),
    "socket().print socket().send agent().request": sends(1),
    "STDIN.fdopen *.fdopen": ties,
    "LWP.Simple.get LWP.Simple.getprint getprint get": fetches(),
    getstore: gives((call) => {
      call.effects.fetch(call.args[0], call.words);
      call.effects.path("write", call.args[1]);
      return tainted(taints.network);
    }),
    "LWP.UserAgent.new HTTP.Tiny.new Mojo.UserAgent.new": gives(() => refValue("agent()")),
    ...below("agent()", "get head mirror", fetches()),
    ...below("agent()", "post put delete post_form", sends()),
    "Net.SMTP.new Net.FTP.new Net.SSH.new": finds("inline_code"),
    // ── databases and code ────────────────────────────────────────────────────────────────────────────────────────────
    "*.do *.prepare": queries(),
    eval: evaluated,
    "*.can": gives(({ self, args: [name] }) =>
      textOfValue(name) === undefined
        ? tainted(taints.reflected)
        : refValue(self?.ref === undefined ? textOrHole(name) : `${self.ref}.${textOrHole(name)}`),
    ),
    // ── texts ─────────────────────────────────────────────────────────────────────────────────────────────────────────
    chr: character,
    ord: gives(({ args: [char] }) => ({ number: textOfValue(char)?.codePointAt(0) ?? 0, taint: 0 })),
    hex: gives(({ args: [text] }) => ({ number: Number.parseInt(textOfValue(text) ?? "0", 16) || 0, taint: 0 })),
    oct: gives(({ args: [text] }) => ({ number: Number.parseInt(textOfValue(text) ?? "0", 8) || 0, taint: 0 })),
    lc: folds(([text = ""]) => text.toLowerCase()),
    uc: folds(([text = ""]) => text.toUpperCase()),
    "lcfirst scalar": keeps,
    reverse: reversed,
    join: joined,
    pack: packed,
    unpack: gives(({ args: [, value] }) => tainted((value?.taint ?? 0) | taints.decoded)),
    sprintf: gives(({ args: [format, ...values] }) =>
      format?.text === undefined ? undefined : formatted(format.text, values, format.taint),
    ),
    "decode_base64 MIME.Base64.decode_base64 MIME.Base64.decode": folds(([text = ""]) => decodedBase64(text), true),
  }),
);
