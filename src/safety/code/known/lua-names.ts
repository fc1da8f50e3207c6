import { once } from "../../../base/async/once.ts";
import { hole } from "../../command/shell/field.ts";
import {
  contentOf,
  deletes,
  evaluates,
  fetches,
  finds,
  folds,
  gives,
  keeps,
  type KnownNames,
  moves,
  opens,
  reads,
  sends,
  shell,
  uses,
} from "../reading/known.ts";
import { formatted } from "../reading/operators.ts";
import {
  anything,
  joinTexts,
  refValue,
  tainted,
  taints,
  textOf,
  textOrHole,
  textValue,
  wholeText,
  characterOf,
} from "../reading/value.ts";

export const luaNames = once((): KnownNames => ({
  "os.execute": shell(),
  "io.popen": shell(),
  "os.remove": deletes(),
  "os.rename": moves(),
  "lfs.rmdir": deletes(),
  "io.open": opens(),
  "io.output": uses("write"),
  "io.input": reads(),
  "io.lines": reads(),
  "os.getenv": gives(({ args: [name] }) =>
    textOf(name) === "HOME" ? textValue(`/home/${hole}`) : tainted(taints.variable),
  ),
  "posix.exec": shell(),
  "posix.fork": {
    acts: true,
    read: ({ effects, words }) => {
      effects.fork(words);
      return anything;
    },
  },
  load: evaluates(),
  loadstring: evaluates(),
  dofile: gives(({ args: [path], effects }) => {
    effects.path("read", path);
    return contentOf(path);
  }),
  loadfile: gives(({ args: [path], effects }) => {
    effects.path("read", path);
    return contentOf(path);
  }),
  require: gives(({ args: [name], effects, words }) => {
    const text = wholeText(name);
    if (text === undefined) effects.find("unreadable_code", words);
    return text === undefined ? anything : refValue(text);
  }),
  "package.loadlib": finds("unreadable_code"),
  "debug.getregistry": finds("unreadable_code"),
  "debug.getupvalue": finds("unreadable_code"),
  rawget: gives(({ args: [table, key] }) => {
    const text = wholeText(key);
    return text === undefined
      ? tainted(taints.reflected)
      : refValue(table?.ref === "_G" ? text : `${table?.ref ?? "*"}.${text}`);
  }),
  pcall: gives(({ args: [fn, ...rest], call }) => (fn?.ref === undefined ? anything : call(fn.ref, rest))),
  "socket.http.request": gives((call) => (call.args.length > 1 ? sends().read(call) : fetches().read(call))),
  "socket.tcp": gives(() => refValue("socket()")),
  "socket.connect": gives(({ effects, words }) => {
    effects.connect(words);
    return { ref: "socket()", taint: taints.socket };
  }),
  "socket().connect": gives(({ effects, words }) => {
    effects.connect(words);
    return anything;
  }),
  "*.connect": gives(({ effects, words }) => {
    effects.connect(words);
    return anything;
  }),
  assert: keeps,
  "socket().send": sends(1),
  "string.char": gives(({ args }) => {
    const codes = args.map(({ number }) => number);
    return codes.includes(undefined)
      ? tainted(taints.decoded)
      : textValue(codes.map((code) => characterOf(code)).join(""), taints.decoded);
  }),
  "string.reverse": folds(([text = ""]) => Array.from(text).toReversed().join(""), true),
  "*.reverse": folds(([text = ""]) => Array.from(text).toReversed().join(""), true),
  "string.format": gives(({ args: [format, ...values] }) =>
    format?.text === undefined ? undefined : formatted(format.text, values, format.taint),
  ),
  "string.lower": folds(([text = ""]) => text.toLowerCase()),
  "table.concat": gives(({ args: [list, by] }) =>
    list?.items ? joinTexts(list.items, by === undefined ? "" : textOrHole(by)) : undefined,
  ),
}));
