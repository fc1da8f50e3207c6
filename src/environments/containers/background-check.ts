/**
 * Shell code with exit code 0 when a background process is alive where it runs: each has a watcher that is known by its
 * arguments. Other commands do not count: one that goes on after its program was killed must not keep a container.
 */
export const hasBackground = `grep -qs 'hermes-[0-9]*-[^/]*/proc_[0-9a-z]' /proc/[0-9]*/cmdline`;

/** A line that makes the script it stands in count as one. */
export const countsAsBackground = "# hermes-0-terminal/proc_0";
