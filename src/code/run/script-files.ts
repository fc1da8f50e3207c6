import type { CodeRequest } from "../../contracts/code/code-run.ts";

/** The files of a script, and the arguments of its interpreter. */
export interface ScriptFiles {
  /** Text by name. */
  readonly files: Readonly<Record<string, string>>;
  /** `folder`: where the process sees the files. */
  readonly args: (folder: string) => readonly string[];
}

/** A small module, until the generated one is there. */
export async function scriptFiles({ code, language, tools }: CodeRequest): Promise<ScriptFiles> {
  if (language === "python") {
    const stubs = tools.flatMap(({ name, alias }) => [name, ...(alias === undefined ? [] : [alias])]);
    const module = `${pythonRpc}\n${stubs.map((name) => `def ${name}(*a, **k): return _call(${JSON.stringify(name)}, a, k)`).join("\n")}\n`;
    const order = Object.fromEntries(
      tools.flatMap(({ name, alias, inputSchema }) => {
        const keys = Object.keys((inputSchema["properties"] ?? {}) as object);
        return [name, ...(alias === undefined ? [] : [alias])].map((each) => [each, keys]);
      }),
    );
    return {
      files: { "hermes_tools.py": `_order = ${JSON.stringify(order)}\n${module}`, "script.py": code },
      args: (folder) => ["-B", "-X", "utf8", `${folder}/script.py`],
    };
  }
  return { files: { "script.mts": code }, args: (folder) => [`${folder}/script.mts`] };
}

const pythonRpc = `
import json, os, socket, threading
_lock = threading.Lock()
_sock = None
_next = 0
def _call(tool, a, k):
    global _sock, _next
    args = dict(zip(_order[tool], a)); args.update(k)
    with _lock:
        if _sock is None:
            s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            s.connect(os.environ["HERMES_RPC_SOCKET"])
            _sock = s.makefile("rwb")
            _sock.write(json.dumps({"token": os.environ["HERMES_RPC_TOKEN"]}).encode() + b"\\n")
        _next += 1
        _sock.write(json.dumps({"id": _next, "tool": tool, "args": args}).encode() + b"\\n")
        _sock.flush()
        line = _sock.readline()
        if not line: raise RuntimeError("Agent process disconnected")
        reply = json.loads(line)
        if "fault" in reply: raise RuntimeError(reply["fault"])
        return reply["result"]
`;
