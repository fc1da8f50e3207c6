import { type NameEffect, type KnownNames, evaluates, finds, gives } from "../reading/known.ts";
import { anything, refValue, tainted, taints, textOf, wholeText } from "../reading/value.ts";
import { oneValue } from "./shared-names.ts";

/** The object of a lookup, and the name. */
const attribute: NameEffect = {
  acts: false,
  read: ({ args, effects, words }) => {
    const [target, name] = args;
    const text = wholeText(name);
    if (text !== undefined)
      return { ref: `${target?.ref ?? "*"}.${text}`, ...(target && { self: target }), taint: target?.taint ?? 0 };
    if (textOf(name) !== undefined) effects.find("unreadable_code", words);
    return tainted(taints.reflected);
  },
};

const imported: NameEffect = {
  acts: false,
  read: ({ args: [name], effects, words }) => {
    const text = wholeText(name);
    if (text !== undefined) return refValue(words.startsWith("__import__") ? (text.split(".")[0] ?? text) : text);
    effects.find("unreadable_code", words);
    return anything;
  },
};

export function pythonCode(): KnownNames {
  return {
    exec: evaluates(),
    eval: evaluates(),
    execfile: finds("unreadable_code"),
    compile: gives(({ args: [code] }) => code),
    "code.InteractiveInterpreter": finds("unreadable_code"),
    "code.interact": finds("unreadable_code"),
    "*.runsource": evaluates(),
    "*.runcode": evaluates(),
    "runpy.run_path": finds("unreadable_code"),
    "types.FunctionType": finds("unreadable_code"),
    "types.CodeType": finds("unreadable_code"),
    "types.LambdaType": finds("unreadable_code"),
    "marshal.loads": finds("unreadable_code"),
    "marshal.load": finds("unreadable_code"),
    "pickle.loads": gives(({ args: [data], effects, words }) => {
      const taint = data?.taint ?? 0;
      if ((taint & taints.network) !== 0) effects.find("remote_code", words);
      else if ((taint & (taints.decoded | taints.reflected)) !== 0 || data?.text !== undefined)
        effects.find("unreadable_code", words);
      return anything;
    }),
    "yaml.unsafe_load": finds("unreadable_code"),
    "ctypes.CDLL": finds("unreadable_code"),
    "ctypes.PyDLL": finds("unreadable_code"),
    "ctypes.cdll.LoadLibrary": finds("unreadable_code"),
    "ctypes.util.find_library": finds("unreadable_code"),
    "ctypes.pythonapi": finds("unreadable_code"),
    "cffi.FFI": finds("unreadable_code"),
    getattr: attribute,
    "operator.attrgetter": finds("unreadable_code"),
    "operator.methodcaller": finds("unreadable_code"),
    setattr: gives(() => anything),
    __import__: imported,
    "importlib.import_module": imported,
    "importlib.__import__": imported,
    "importlib.util.spec_from_file_location": finds("unreadable_code"),
    "importlib.machinery.SourceFileLoader": finds("unreadable_code"),
    "imp.load_source": finds("unreadable_code"),
    "pydoc.locate": imported,
    "pkgutil.resolve_name": imported,
    globals: oneValue(refValue("globals()")),
    locals: oneValue(refValue("globals()")),
    "globals().get": gives(({ args: [name] }) =>
      wholeText(name) === undefined ? tainted(taints.reflected) : refValue(wholeText(name) ?? ""),
    ),
    "sys.modules.get": gives(({ args: [name] }) =>
      wholeText(name) === undefined ? tainted(taints.reflected) : refValue(wholeText(name) ?? ""),
    ),
    "globals().__getitem__": gives(({ args: [name] }) =>
      wholeText(name) === undefined ? tainted(taints.reflected) : refValue(wholeText(name) ?? ""),
    ),
    vars: gives(({ args: [of] }) => (of === undefined ? refValue("globals()") : of)),
    "*.__subclasses__": finds("unreadable_code"),
    "*.__getattribute__": finds("unreadable_code"),
    "sys._getframe": finds("unreadable_code"),
    "gc.get_objects": finds("unreadable_code"),
    "inspect.currentframe": finds("unreadable_code"),
    "sys.settrace": finds("unreadable_code"),
  };
}
