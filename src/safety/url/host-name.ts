/** Why a name must not be asked for, whatever it would resolve to. Undefined: its addresses decide. */
export function hostNameFault(host: string): { readonly reason: string; readonly isMetadata: boolean } | undefined {
  const name = host.toLowerCase().replace(/\.+$/u, "");
  const isBelow = (parent: string) => name === parent || name.endsWith(`.${parent}`);
  if (metadataNames.some(isBelow)) return { reason: `${host} is a metadata service`, isMetadata: true };
  const special = privateNames.find(isBelow);
  if (special !== undefined)
    return { reason: `${host} is a name of the local network (${special})`, isMetadata: false };
  const loop = loopbackNames.find(isBelow);
  if (loop !== undefined) return { reason: `${host} leads back to this machine (${loop})`, isMetadata: false };
  if (!name.includes(".")) return { reason: `${host} is a name of the local network`, isMetadata: false };
  return undefined;
}

/** The address that a name of an address-in-the-name service (10.0.0.1.nip.io) leads to. */
export function addressInName(host: string): string | undefined {
  const name = host.toLowerCase().replace(/\.+$/u, "");
  const service = addressNames.find((parent) => name.endsWith(`.${parent}`));
  if (service === undefined) return undefined;
  const before = name.slice(0, -service.length - 1);
  const written = /(?:^|[.-])(\d{1,3})[.-](\d{1,3})[.-](\d{1,3})[.-](\d{1,3})$/u.exec(before);
  if (written) return written.slice(1).join(".");
  const hex = /(?:^|[.-])([0-9a-f]{8})$/u.exec(before)?.[1];
  if (hex !== undefined) return Buffer.from(hex, "hex").join(".");
  return /^[0-9a-f-]+$/u.test(before) && before.includes("--") ? before.replaceAll("-", ":") : undefined;
}

const metadataNames: readonly string[] = [
  "metadata.google.internal",
  "metadata.goog",
  "metadata.azure.internal",
  "metadata.azure.com",
  "metadata.tencentyun.com",
  "metadata.packet.net",
  "metadata.platformequinix.com",
  "instance-data",
  "instance-data.ec2.internal",
  "metadata",
];

/** Reserved for networks that are not the internet, by standard or by long custom. */
const privateNames: readonly string[] = [
  "localhost",
  "localdomain",
  "local",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "home.arpa",
  "in-addr.arpa",
  "ip6.arpa",
  "onion",
  "test",
  "invalid",
];

const loopbackNames: readonly string[] = ["localtest.me", "lvh.me", "vcap.me", "lacolhost.com", "fuf.me", "localho.st"];

const addressNames: readonly string[] = ["nip.io", "sslip.io", "xip.io", "traefik.me"];
