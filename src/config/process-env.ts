/** The environment at the start of this process. All other code gets it as a parameter. */
export function processEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
