/** Whether a host is loopback, in a private network, or a name that exists only there. */
export function isLocalAddress(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? "";
  return (
    /^(?:localhost|host\.docker\.internal|\[::1\]|.*\.(?:local|lan|internal|home\.arpa))$/u.test(host) ||
    /^(?:127|10)\.\d+\.\d+\.\d+$|^192\.168\.\d+\.\d+$|^172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+$|^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.\d+\.\d+$/u.test(
      host,
    ) ||
    /^\[f[cd][\da-f]{2}:/u.test(host)
  );
}
