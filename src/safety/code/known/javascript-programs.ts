import { hole } from "../../command/shell/field.ts";
import {
  type NameEffect,
  type KnownNames,
  deletes,
  evaluates,
  reportsRule,
  computes,
  returnsItself,
  program,
  shell,
  acts,
  mayAct,
} from "../reading/name-effects.ts";
import { unknownValue, refValue, tainted, taints, textOfValue, wholeText } from "../reading/value.ts";
import { withSync, deletesPath } from "./javascript-values.ts";

const required: NameEffect = {
  acts: false,
  read: ({ args: [name], effects, words }) => {
    const text = textOfValue(name);
    if (text !== undefined && !text.includes(hole)) return refValue(text.replace(/^node:/u, ""));
    // A relative path in an unknown folder is a module of the project.
    if (text === undefined || !/\/[^/]*$/u.test(text) || text.endsWith(hole)) effects.find("unreadable_code", words);
    return unknownValue;
  },
};

/** Only a text argument is executed as code; a function argument is analysed where it is defined. */
const later: NameEffect = mayAct((call) => {
  const [first] = call.args;
  if (first?.text !== undefined) call.run(first);
});

const kills: NameEffect = acts(({ args: [target, signal], effects, words }) => {
  if (signal?.number !== 0) effects.find(target?.number === -1 ? "kill_all" : "inline_code", words);
});

export function javascriptPrograms(): KnownNames {
  return {
    ...withSync("child_process", { exec: shell(), execFile: program(), spawn: program() }),
    "child_process.fork *.execFileSync *.spawnSync execa cross-spawn cross-spawn.sync": program(),
    "*.execSync execa.$ shelljs.exec zx.$ Bun.spawn Bun.spawnSync Bun.$ bun.$ bun.spawn": shell(),
    "*.rmSync *.rmdirSync": deletesPath,
    "*.unlinkSync": deletes(),
    ...withSync("execa", { execa: program(), "execaCommand command": shell() }),
    "shelljs.rm": deletes(0, true),
    "Deno.run": acts(({ args: [options], effects, words }) => {
      effects.find("inline_code", words);
      effects.program(options?.fields?.get("cmd")?.items ?? [unknownValue], words);
    }),
    "Deno.Command": acts(({ args: [name, options], effects, words }) => {
      effects.find("inline_code", words);
      effects.program([name ?? unknownValue, ...(options?.fields?.get("args")?.items ?? [])], words);
    }),
    "Deno.kill process.kill": kills,
    "process.abort cluster.fork": reportsRule("inline_code"),
    "worker_threads.Worker": mayAct((call) => {
      if (call.args[0]?.text !== undefined && call.args[1]?.fields?.has("eval")) call.run(call.args[0]);
    }),
    Function: acts((call) => call.run(call.args.at(-1) ?? unknownValue)),
    "Function(hidden)": acts((call) => {
      call.effects.find("unreadable_code", call.words);
      call.run(call.args.at(-1) ?? unknownValue);
    }),
    "*.constructor": mayAct((call) => {
      if (call.args.at(-1)?.text !== undefined) call.run(call.args.at(-1) ?? unknownValue);
    }),
    [`
      eval GeneratorFunction AsyncFunction vm.runInThisContext vm.runInNewContext vm.runInContext vm.compileFunction
      vm.Script
    `]: evaluates(),
    "setTimeout setInterval setImmediate": later,
    [`
      _load constructor._load Module._load require require.main.require *.require import process.getBuiltinModule
    `]: required,
    createRequire: computes(() => refValue("require")),
    [`
      process.binding process._linkedBinding process.dlopen v8.setFlagsFromString Reflect.construct Deno.dlopen
      WebAssembly.instantiate bun:ffi.dlopen
    `]: reportsRule("unreadable_code"),
    "Reflect.apply": {
      acts: false,
      read: ({ args: [fn, , list], call, effects, words }) => {
        if (fn?.ref !== undefined) return call(fn.ref, list?.items ?? []);
        if (fn !== undefined && (fn.taint & taints.reflected) !== 0) effects.find("unreadable_code", words);
        return unknownValue;
      },
    },
    "Reflect.get": computes(({ args: [target, name] }) => {
      const text = wholeText(name);
      return text === undefined ? tainted(taints.reflected) : refValue(`${target?.ref ?? "*"}.${text}`);
    }),
    Proxy: computes(({ args: [target] }) => target),
    "util.promisify": returnsItself,
  };
}
