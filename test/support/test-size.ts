/** The size of generated data: `quick` in `npm test`, `full` in `npm run fuzz`. */
export function testSize({ quick, full }: { readonly quick: number; readonly full: number }): number {
  return process.env["FUZZ_RUNS"] === undefined ? quick : full;
}
