import type { TextFinding } from "./injection/finding.ts";
import type { Surface } from "./injection/rule.ts";

export type { TextFinding } from "./injection/finding.ts";

/**
 * Returns passages with instructions to the model that its user did not give, in the order of the text. The first call
 * loads the scanner.
 */
export async function findInjectedOrders(text: string, surface: Surface): Promise<readonly TextFinding[]> {
  const { scanText } = await import("./injection/scan-text.ts");
  return scanText(text, surface).findings;
}
