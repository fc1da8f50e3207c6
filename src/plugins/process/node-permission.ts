/** Node arguments that restrict a plugin on a machine without a sandbox. They do not restrict the network. */
export function permissionArguments(rights: {
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  readonly exec: boolean;
  readonly maxMemoryBytes: number;
}): readonly string[] {
  const { readable, writable, exec, maxMemoryBytes } = rights;
  return [
    "--permission",
    "--disable-warning=SecurityWarning",
    `--max-old-space-size=${Math.floor(maxMemoryBytes / 2 ** 20)}`,
    ...[...readable, ...writable].map((path) => `--allow-fs-read=${path}`),
    ...writable.map((path) => `--allow-fs-write=${path}`),
    ...(exec ? ["--allow-child-process"] : []),
  ];
}
