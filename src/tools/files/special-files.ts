/** Why a path is not opened although it looks like a file: it waits, never ends, or shows what nobody meant to show. */
export function specialFile(path: string): string | undefined {
  if (
    /^\/dev\/(?:fd\/|std(?:in|out|err)$)/u.test(path) ||
    /^\/proc\/[^/]+\/(?:task\/[^/]+\/)?(?:fd|map_files)\//u.test(path)
  )
    return `${path} is an open file of a running program: a device, pipe or socket, not a file. It is not opened.`;
  if (/^\/proc\/[^/]+\/(?:task\/[^/]+\/)?environ$/u.test(path))
    return `${path} has the variables of a running program, keys among them. It is not opened.`;
  const isMemory =
    /^\/proc\/(?:kcore|kmsg|kpage\w+|sysrq-trigger)$/u.test(path) ||
    /^\/proc\/[^/]+\/(?:task\/[^/]+\/)?(?:mem|pagemap|clear_refs)$/u.test(path) ||
    /^\/sys\/kernel\/(?:debug\/)?tracing\/.*pipe/u.test(path);
  return isMemory ? `${path} is a special file of the system, like a device. It is not opened.` : undefined;
}
