import { words } from "../../base/text/words.ts";
export interface NameFault {
  readonly reason: string;
  readonly isMetadata: boolean;
}

/**
 * Returns why a name must not be resolved, independent of its addresses. Undefined if its addresses decide. `isKnown`:
 * the addresses are available.
 */
export function hostNameFault(host: string, isKnown: boolean): NameFault | undefined {
  const name = bare(host);
  const isBelow = (parent: string) => name === parent || name.endsWith(`.${parent}`);
  if (metadataNames.some(isBelow)) return { reason: `${host} is a metadata service`, isMetadata: true };
  const special = privateNames.find(isBelow) ?? (isKnown ? undefined : unregistered.find(isBelow));
  if (special !== undefined)
    return { reason: `${host} is a name of the local network (${special})`, isMetadata: false };
  const loop = loopbackNames.find(isBelow);
  if (loop !== undefined) return { reason: `${host} resolves to this machine (${loop})`, isMetadata: false };
  const turning = rebindingNames.find(isBelow);
  if (turning !== undefined)
    return { reason: `${host} changes its address from answer to answer (${turning})`, isMetadata: false };
  if (!name.includes(".")) return { reason: `${host} is a name of the local network`, isMetadata: false };
  return undefined;
}

/** Returns the addresses in the name of services such as 10.0.0.1.nip.io. */
export function addressesInName(host: string): readonly string[] {
  const name = bare(host);
  const service = addressNames.find((parent) => name.endsWith(`.${parent}`));
  if (service === undefined) return [];
  const before = name.slice(0, -service.length - 1);
  const four = /(?<![^.-])(?=(\d{1,3})[.-](\d{1,3})[.-](\d{1,3})[.-](\d{1,3})(?![^.-]))/gu;
  return [
    ...[...before.matchAll(four)].map((parts) => parts.slice(1).map(Number).join(".")),
    ...[...before.matchAll(/(?<![^.-])(?:0x)?([0-9a-f]{8})(?![^.-])/gu)].map(([, hex = ""]) =>
      Buffer.from(hex, "hex").join("."),
    ),
    ...before
      .split(".")
      .filter((label) => /^[0-9a-f-]+$/u.test(label) && (label.includes("--") || label.split("-").length === 8))
      .map((label) => label.replaceAll("-", ":")),
  ];
}

function bare(host: string): string {
  return host.toLowerCase().replace(/\.+$/u, "");
}

const metadataNames: readonly string[] = words(`
  metadata.google.internal metadata.goog metadata.azure.internal metadata.azure.com metadata.tencentyun.com
  metadata.cloud.ibm.com metadata.oraclecloud.com metadata.packet.net metadata.platformequinix.com instance-data
  instance-data.ec2.internal rancher-metadata metadata
`);

/** Names reserved for private networks, by standard or by convention. */
const privateNames: readonly string[] = words(`
  localhost localdomain local internal intranet private corp home lan home.arpa in-addr.arpa ip6.arpa onion i2p
  svc kubernetes.default consul fritz.box
`);

/** Names that no public registry assigns: only private name servers resolve them. */
const unregistered: readonly string[] = ["test", "invalid"];

const loopbackNames: readonly string[] = words(`
  localtest.me lvh.me vcap.me lacolhost.com fuf.me localho.st localhost.direct lcl.host lndo.site ddev.site
  local.gd smackaho.st yoogle.com spoofed.burpcollaborator.net
`);

const rebindingNames: readonly string[] = ["rbndr.us", "1u.ms", "rebind.network", "rebind.it"];

const addressNames: readonly string[] = words(
  "nip.io sslip.io xip.io traefik.me backname.io local-ip.co local-ip.sh plex.direct",
);
