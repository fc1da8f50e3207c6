import type { TextFinding } from "./injection/finding.ts";
import type { Surface } from "./injection/rule.ts";

/** The first passage that gives the model orders its user did not give. Undefined: none. The first call loads the scanner. */
export async function findInjectedOrder(text: string, surface: Surface): Promise<TextFinding | undefined> {
  const { scanText } = await import("./injection/scan-text.ts");
  return scanText(text, surface).findings[0];
}
