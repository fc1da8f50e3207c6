// Generates the settings as a data module, so that no start loads zod for them.
import { sliceData } from "../src/config/slice-data.ts";

/** Returns JavaScript text with the export of src/config/slice-data.ts. */
export function sliceDataModule(): string {
  return `export const sliceData = JSON.parse(${JSON.stringify(JSON.stringify(sliceData))});`;
}
