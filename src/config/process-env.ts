/** The environment as this process was started with it. Everything else gets it as a value. */
export function processEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
