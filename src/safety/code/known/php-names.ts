import { once } from "../../../base/async/once.ts";
import { hole } from "../../command/shell/field.ts";
import {
  argument,
  contentOf,
  deletes,
  enters,
  evaluates,
  fetches,
  finds,
  folds,
  gives,
  keeps,
  type Known,
  type KnownNames,
  moves,
  opens,
  passed,
  queries,
  shell,
  uses,
} from "../reading/known.ts";
import { formatted } from "../reading/operators.ts";
import {
  anything,
  joinTexts,
  tainted,
  taints,
  textOf,
  textOrHole,
  textValue,
  type Value,
  wholeText,
  characterOf,
} from "../reading/value.ts";
import { decodedBase64, decodedHex, permission, rot13 } from "./shared-names.ts";

const isAddress = (value: Value | undefined) => /^(?:https?|ftp):/iu.test(textOf(value) ?? "");

const read: Known = gives(({ args: [path], effects, words }) => {
  if (isAddress(path)) {
    effects.fetch(path, words);
    return tainted(taints.network);
  }
  effects.path("read", path);
  return contentOf(path);
});

/** A function that is handed over by its name: the first text among the arguments that names one. */
const calls = (at: number): Known => ({
  acts: false,
  read: ({ args, call, effects, words }) => {
    const name = args[at];
    const ref = name?.ref ?? wholeText(name);
    if (ref === undefined) {
      if (name?.text !== undefined || ((name?.taint ?? 0) & taints.decoded) !== 0)
        effects.find("unreadable_code", words);
      return anything;
    }
    return call(
      ref,
      args.filter((_, index) => index !== at).flatMap((arg) => arg.items ?? [arg]),
    );
  },
});

/** `curl_setopt` with something to send. */
const curlOption: Known = gives(({ args: [handle, name, value], effects, words }) => {
  const option = name?.ref ?? "";
  if (/postfields|upload|infile/u.test(option)) effects.send(undefined, value ? [value] : [], words);
  else if (option.endsWith("url")) effects.fetch(value, words);
  return handle;
});

const connects: Known = gives(({ effects, words, args: [host] }) => {
  effects.connect(words);
  effects.fetch(host, words);
  return { ref: "socket()", taint: taints.socket };
});

const joined: Known = gives(({ args: [by, list] }) =>
  list?.items ? joinTexts(list.items, textOrHole(by)) : by?.items ? joinTexts(by.items) : undefined,
);

const kills: Known = {
  acts: true,
  read: ({ args: [target, signal], effects, words }) => {
    if (signal?.number === 0) return anything;
    effects.find(target?.number === -1 ? "kill_all" : "inline_code", words);
    return anything;
  },
};

const sends: Known = {
  acts: true,
  read: ({ args, effects, words }) => {
    effects.send(undefined, args, words);
    return anything;
  },
};

const writesTo: Known = gives(({ args: [handle, ...data], effects, words }) => {
  if (((handle?.taint ?? 0) & taints.socket) !== 0) effects.send(undefined, data, words);
  return anything;
});

export const phpNames = once((): KnownNames => ({
  system: shell(),
  exec: shell(),
  shell_exec: shell(),
  passthru: shell(),
  proc_open: shell(),
  popen: shell(),
  pcntl_exec: {
    acts: true,
    read: ({ args: [name, list], effects, words }) => {
      effects.find("inline_code", words);
      effects.program([name ?? anything, ...(list?.items ?? [])], words);
      return anything;
    },
  },
  pcntl_fork: {
    acts: true,
    read: ({ effects, words }) => {
      effects.fork(words);
      return anything;
    },
  },
  posix_kill: kills,
  mail: sends,
  unlink: deletes(),
  rmdir: deletes(),
  rename: moves(),
  copy: moves(true),
  move_uploaded_file: moves(),
  symlink: uses("link", 1),
  link: uses("link", 1),
  chmod: permission(0, 1),
  chown: uses("owner"),
  touch: uses("write"),
  file_put_contents: gives((call) => {
    const [path, data] = call.args;
    if (isAddress(path)) call.effects.send(path, data ? [data] : [], call.words);
    else call.effects.path(/file_append/iu.test(call.words) ? "append" : "write", path);
    return anything;
  }),
  fopen: gives((call) => (isAddress(call.args[0]) ? read.read(call) : opens().read(call))),
  file_get_contents: read,
  file: read,
  readfile: read,
  fwrite: writesTo,
  fputs: writesTo,
  ftruncate: gives(() => anything),
  glob: gives(({ args: [shape] }) => ({
    ref: "listing",
    text: textOrHole(shape).replace(/[*?[{].*$/su, hole),
    taint: 0,
  })),
  getenv: gives(({ args: [name] }) =>
    name === undefined
      ? tainted(taints.environment)
      : textOf(name) === "HOME"
        ? textValue(`/home/${hole}`)
        : tainted(taints.variable),
  ),
  putenv: gives(({ args: [value], effects, words }) => {
    if (/^(?:LD_PRELOAD|LD_LIBRARY_PATH)=/u.test(textOf(value) ?? "")) effects.find("loader_variable", words);
    return anything;
  }),
  chdir: enters,
  getcwd: gives(() => textValue(".")),
  sys_get_temp_dir: gives(() => textValue("/tmp")),
  curl_init: fetches(),
  curl_setopt: curlOption,
  curl_exec: gives(() => tainted(taints.network)),
  fsockopen: connects,
  pfsockopen: connects,
  stream_socket_client: connects,
  socket_connect: connects,
  socket_write: sends,
  socket_send: sends,
  ftp_put: sends,
  mysqli_query: queries(1),
  pg_query: gives((call) => queries(call.args.length > 1 ? 1 : 0).read(call)),
  "*.query": queries(),
  "*.exec": queries(),
  "*.prepare": queries(),
  eval: evaluates(),
  assert: gives((call) => {
    if (call.args[0]?.text !== undefined) call.run(call.args[0]);
    return anything;
  }),
  create_function: evaluates(1),
  call_user_func: calls(0),
  call_user_func_array: calls(0),
  array_map: calls(0),
  array_filter: calls(1),
  array_walk: calls(1),
  array_reduce: calls(1),
  iterator_apply: calls(1),
  array: gives(({ args, named }) => ({
    items: args,
    fields: named,
    taint: passed({ args, named, self: undefined }).taint,
  })),
  usort: calls(1),
  uasort: calls(1),
  uksort: calls(1),
  preg_replace_callback: calls(1),
  register_shutdown_function: calls(0),
  register_tick_function: calls(0),
  forward_static_call: calls(0),
  ob_start: calls(0),
  "closure.fromcallable": gives(({ args: [fn] }) => (fn?.text === undefined ? fn : { ref: fn.text, taint: fn.taint })),
  reflectionfunction: gives(({ args: [fn] }) =>
    fn?.text === undefined ? tainted(taints.reflected) : { ref: fn.text, taint: fn.taint },
  ),
  preg_replace: gives((call) => {
    if (/^(.).*\1[a-z]*e/su.test(textOf(call.args[0]) ?? "")) call.run(argument(call, 1) ?? anything);
    return anything;
  }),
  unserialize: gives(({ args: [data], effects, words }) => {
    if (((data?.taint ?? 0) & (taints.network | taints.decoded)) !== 0) effects.find("unreadable_code", words);
    return anything;
  }),
  "ffi.cdef": finds("unreadable_code"),
  dl: finds("unreadable_code"),
  chr: gives(({ args: [code] }) =>
    code?.number === undefined ? tainted(taints.decoded) : textValue(characterOf(code.number), taints.decoded),
  ),
  ord: gives(({ args: [char] }) => ({ number: textOf(char)?.codePointAt(0) ?? 0, taint: 0 })),
  base64_decode: folds(([text = ""]) => decodedBase64(text), true),
  hex2bin: folds(([text = ""]) => decodedHex(text), true),
  pack: gives(({ args: [format, value] }) =>
    (textOf(format) ?? "").startsWith("H") && value?.text !== undefined
      ? textValue(decodedHex(value.text), taints.decoded)
      : tainted(taints.decoded),
  ),
  str_rot13: folds(([text = ""]) => rot13(text), true),
  strrev: folds(([text = ""]) => Array.from(text).toReversed().join(""), true),
  strtolower: folds(([text = ""]) => text.toLowerCase()),
  strtoupper: folds(([text = ""]) => text.toUpperCase()),
  str_replace: folds(([from = "", to = "", text = ""]) => (from === "" ? text : text.replaceAll(from, () => to))),
  gzinflate: gives(({ args: [data] }) => tainted((data?.taint ?? 0) | taints.decoded)),
  gzuncompress: gives(({ args: [data] }) => tainted((data?.taint ?? 0) | taints.decoded)),
  implode: joined,
  join: joined,
  trim: keeps,
  sprintf: gives(({ args: [format, ...values] }) =>
    format?.text === undefined ? undefined : formatted(format.text, values, format.taint),
  ),
  escapeshellarg: keeps,
}));
