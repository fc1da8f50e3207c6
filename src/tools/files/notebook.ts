import { isObject } from "../../base/json.ts";
import { plainText } from "../../base/text/ansi.ts";
import { plural } from "../../base/text/text.ts";

/**
 * Formats the cells of a Jupyter notebook as text, with their outputs; images are described. Undefined if the text is
 * not a notebook.
 */
export function notebookText(content: string): string | undefined {
  let notebook: unknown;
  try {
    notebook = JSON.parse(content.replace(/^\ufeff/u, ""));
  } catch {
    return undefined;
  }
  const cells = cellsOf(notebook);
  return cells
    ?.filter(isObject)
    .map((cell, index) => [
      `# %% [${String(cell["cell_type"])}] cell ${index + 1}`,
      // Version 3 of the format uses the name `input`.
      joined(cell["source"]) || joined(cell["input"]),
      ...outputsOf(cell),
    ])
    .map((parts) => parts.filter((part) => part !== "").join("\n"))
    .join("\n\n");
}

function cellsOf(notebook: unknown): readonly unknown[] | undefined {
  if (!isObject(notebook)) return undefined;
  if (Array.isArray(notebook["cells"])) return notebook["cells"];
  const sheets = notebook["worksheets"];
  if (!Array.isArray(sheets)) return undefined;
  return sheets.filter(isObject).flatMap((sheet) => (Array.isArray(sheet["cells"]) ? sheet["cells"] : []));
}

function outputsOf({ outputs }: Record<string, unknown>): string[] {
  if (!Array.isArray(outputs)) return [];
  return outputs.filter(isObject).map((output) => {
    const data = isObject(output["data"]) ? output["data"] : {};
    const text = joined(output["text"]) || joined(data["text/plain"]) || errorOf(output);
    const others = Object.entries(data).filter(([type]) => type !== "text/plain");
    const left = others.length > 0 ? `[${others.map(notShown).join(", ")} not shown]` : "";
    return ["# output:", plainText(text), left].filter((part) => part !== "").join("\n");
  });
}

/** Returns the error with its traceback, if any. */
function errorOf(output: Record<string, unknown>): string {
  if (output["output_type"] !== "error" && output["output_type"] !== "pyerr") return "";
  const trace = output["traceback"];
  const lines = Array.isArray(trace) ? trace.filter((line) => typeof line === "string").join("\n") : "";
  return lines || `${String(output["ename"])}: ${String(output["evalue"])}`;
}

function notShown([type, value]: [string, unknown]): string {
  if (!type.startsWith("image/") || type === "image/svg+xml") return type;
  const bytes = Math.floor((joined(value).replace(/[\s=]/gu, "").length * 3) / 4);
  return bytes > 100 ? `${type} of ${plural(bytes, "byte")}` : type;
}

/** Notebooks store a text as one string or as a list of lines. */
function joined(text: unknown): string {
  const whole = Array.isArray(text) ? text.join("") : text;
  return typeof whole === "string" ? whole.replace(/\n$/u, "") : "";
}
