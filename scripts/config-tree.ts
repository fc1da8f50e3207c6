// The settings as a generated module: what the slices say, as data, so that no start loads zod for it.
import { sliceData } from "../src/config/slice-data.ts";

/** JavaScript text with the export of src/config/slice-data.ts. */
export function sliceDataModule(): string {
  return `export const sliceData = JSON.parse(${JSON.stringify(JSON.stringify(sliceData))});`;
}
