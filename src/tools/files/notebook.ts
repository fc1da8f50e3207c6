import { isObject } from "../../base/json.ts";

/** The cells of a Jupyter notebook as text, with the text of their outputs. Undefined for what is no notebook. */
export function notebookText(content: string): string | undefined {
  let notebook: unknown;
  try {
    notebook = JSON.parse(content);
  } catch {
    return undefined;
  }
  if (!isObject(notebook) || !Array.isArray(notebook["cells"])) return undefined;
  return notebook["cells"]
    .filter(isObject)
    .map((cell, at) => [
      `# %% [${String(cell["cell_type"])}] cell ${at + 1}`,
      joined(cell["source"]),
      ...outputsOf(cell),
    ])
    .map((parts) => parts.filter((part) => part !== "").join("\n"))
    .join("\n\n");
}

function outputsOf({ outputs }: Record<string, unknown>): string[] {
  if (!Array.isArray(outputs)) return [];
  return outputs.filter(isObject).map((output) => {
    const data = isObject(output["data"]) ? output["data"] : {};
    const error = output["output_type"] === "error" ? `${String(output["ename"])}: ${String(output["evalue"])}` : "";
    const text = joined(output["text"]) || joined(data["text/plain"]) || error;
    const others = Object.keys(data).filter((type) => type !== "text/plain");
    const left = others.length > 0 ? `[${others.join(", ")} not shown]` : "";
    return ["# output:", text, left].filter((part) => part !== "").join("\n");
  });
}

/** Notebooks keep texts whole or as a list of lines. */
function joined(text: unknown): string {
  const whole = Array.isArray(text) ? text.join("") : text;
  return typeof whole === "string" ? whole.replace(/\n$/u, "") : "";
}
