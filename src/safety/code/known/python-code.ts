import { type NameEffect, type KnownNames, evaluates, reportsRule, computes } from "../reading/name-effects.ts";
import { unknownValue, refValue, tainted, taints, textOfValue, wholeText } from "../reading/value.ts";
import { constantResult } from "./shared-names.ts";

/** Handles `getattr(object, name)` and similar lookups. */
const attribute: NameEffect = {
  acts: false,
  read: ({ args, effects, words }) => {
    const [target, name] = args;
    const text = wholeText(name);
    if (text !== undefined)
      return { ref: `${target?.ref ?? "*"}.${text}`, ...(target && { self: target }), taint: target?.taint ?? 0 };
    if (textOfValue(name) !== undefined) effects.find("unreadable_code", words);
    return tainted(taints.reflected);
  },
};

const imported: NameEffect = {
  acts: false,
  read: ({ args: [name], effects, words }) => {
    const text = wholeText(name);
    if (text !== undefined) return refValue(words.startsWith("__import__") ? (text.split(".")[0] ?? text) : text);
    effects.find("unreadable_code", words);
    return unknownValue;
  },
};

export function pythonCode(): KnownNames {
  return {
    "exec eval *.runsource *.runcode": evaluates(),
    [`
      execfile code.InteractiveInterpreter code.interact runpy.run_path types.FunctionType types.CodeType
      types.LambdaType marshal.loads marshal.load yaml.unsafe_load ctypes.CDLL ctypes.PyDLL
      ctypes.cdll.LoadLibrary ctypes.util.find_library ctypes.pythonapi cffi.FFI operator.attrgetter
      operator.methodcaller importlib.util.spec_from_file_location importlib.machinery.SourceFileLoader
      imp.load_source *.__subclasses__ *.__getattribute__ sys._getframe gc.get_objects inspect.currentframe
      sys.settrace
    `]: reportsRule("unreadable_code"),
    compile: computes(({ args: [code] }) => code),
    "pickle.loads": computes(({ args: [data], effects, words }) => {
      const taint = data?.taint ?? 0;
      if ((taint & taints.network) !== 0) effects.find("remote_code", words);
      else if ((taint & (taints.decoded | taints.reflected)) !== 0 || data?.text !== undefined)
        effects.find("unreadable_code", words);
      return unknownValue;
    }),
    getattr: attribute,
    setattr: computes(() => unknownValue),
    "__import__ importlib.import_module importlib.__import__ pydoc.locate pkgutil.resolve_name": imported,
    "globals locals": constantResult(refValue("globals()")),
    "globals().get sys.modules.get globals().__getitem__": computes(({ args: [name] }) =>
      wholeText(name) === undefined ? tainted(taints.reflected) : refValue(wholeText(name) ?? ""),
    ),
    vars: computes(({ args: [of] }) => (of === undefined ? refValue("globals()") : of)),
  };
}
