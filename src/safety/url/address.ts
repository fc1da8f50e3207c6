import { isIP } from "node:net";

/** The kind of an address that is not a public internet address. */
export interface AddressFault {
  readonly reason: string;
  /**
   * True for a metadata service, which gives credentials to any client. It is blocked even if private addresses are
   * allowed.
   */
  readonly isMetadata: boolean;
}

/**
 * Returns why an address is not public, or undefined if it is public. `text` is IPv4 or IPv6 as the system prints it,
 * with or without a zone; any other text is a fault. For an IPv6 form that embeds an IPv4 address, both are checked.
 */
export function addressFault(text: string): AddressFault | undefined {
  const bare = text.replace(/%.*$/u, "");
  const version = isIP(bare);
  if (version === 0) return { reason: `${text} is not an address`, isMetadata: false };
  const bytes = version === 4 ? bytesOf4(bare) : bytesOf6(bare);
  if (
    metadataAddresses.some((address) =>
      address.every((byte, index) => byte === bytes[index] && address.length === bytes.length),
    )
  )
    return { reason: `${text} is a metadata service`, isMetadata: true };
  const range = (version === 4 ? ranges4 : ranges6).find(({ prefix, bits }) => isWithin(bytes, prefix, bits));
  const inner = range?.embeds?.(bytes);
  if (inner !== undefined) {
    const fault = addressFault(inner.join("."));
    return (
      fault && {
        reason: `${text} is ${range?.name} of ${inner.join(".")}: ${fault.reason}`,
        isMetadata: fault.isMetadata,
      }
    );
  }
  if (range) return { reason: `${text} is ${range.name}`, isMetadata: range.isMetadata === true };
  if (version === 6 && !isWithin(bytes, [0x20], 3))
    return { reason: `${text} is not a public address`, isMetadata: false };
  // ISATAP addresses have any network prefix, and an IPv4 address as the interface id.
  const isTunnel = version === 6 && ((bytes[8] ?? 0) & 0xfd) === 0 && isWithin(bytes.slice(9), [0, 0x5e, 0xfe], 24);
  const end = isTunnel ? addressFault(lastFour(bytes).join(".")) : undefined;
  return end && { reason: `${text} is the ISATAP form of ${end.reason}`, isMetadata: end.isMetadata };
}

interface Range {
  readonly prefix: readonly number[];
  readonly bits: number;
  readonly name: string;
  readonly isMetadata?: boolean;
  /** Returns the IPv4 address that an IPv6 form embeds. */
  readonly embeds?: (bytes: readonly number[]) => readonly number[];
}

const ranges4: readonly Range[] = [
  { prefix: [0], bits: 8, name: "an address of this host" },
  { prefix: [10], bits: 8, name: "a private address" },
  { prefix: [100, 64], bits: 10, name: "an address shared behind a carrier" },
  { prefix: [127], bits: 8, name: "a loopback address" },
  { prefix: [169, 254], bits: 16, name: "a link-local address", isMetadata: true },
  { prefix: [172, 16], bits: 12, name: "a private address" },
  { prefix: [192, 0, 0], bits: 24, name: "a reserved address" },
  { prefix: [192, 0, 2], bits: 24, name: "an address for documentation" },
  { prefix: [192, 88, 99], bits: 24, name: "a relay address" },
  { prefix: [192, 168], bits: 16, name: "a private address" },
  { prefix: [198, 18], bits: 15, name: "an address for measuring" },
  { prefix: [198, 51, 100], bits: 24, name: "an address for documentation" },
  { prefix: [203, 0, 113], bits: 24, name: "an address for documentation" },
  { prefix: [224], bits: 4, name: "a multicast address" },
  { prefix: [240], bits: 4, name: "a reserved address" },
];

const lastFour = (bytes: readonly number[]) => bytes.slice(12);
const afterTwo = (bytes: readonly number[]) => bytes.slice(2, 6);
const zeros = (count: number): readonly number[] => Array.from({ length: count }, () => 0);

/** Longer prefixes come before those that contain them. */
const ranges6: readonly Range[] = [
  { prefix: zeros(16), bits: 128, name: "the address of no host" },
  { prefix: [...zeros(15), 1], bits: 128, name: "a loopback address" },
  { prefix: [...zeros(10), 0xff, 0xff], bits: 96, name: "the mapped form", embeds: lastFour },
  { prefix: [...zeros(8), 0xff, 0xff, 0, 0], bits: 96, name: "the translated form", embeds: lastFour },
  { prefix: zeros(12), bits: 96, name: "the compatible form", embeds: lastFour },
  { prefix: [0, 0x64, 0xff, 0x9b, 0, 1], bits: 48, name: "a local NAT64 address" },
  { prefix: [0, 0x64, 0xff, 0x9b, ...zeros(8)], bits: 96, name: "the NAT64 form", embeds: lastFour },
  { prefix: [0x20, 0x02], bits: 16, name: "the 6to4 form", embeds: afterTwo },
  { prefix: [0x20, 0x01, 0, 0], bits: 32, name: "a Teredo address" },
  { prefix: [0x20, 0x01, 0x0d, 0xb8], bits: 32, name: "an address for documentation" },
  { prefix: [0x20, 0x01, 0], bits: 23, name: "a reserved address" },
  { prefix: [0x3f, 0xff, 0], bits: 20, name: "an address for documentation" },
  { prefix: [0xfc], bits: 7, name: "a private address" },
  { prefix: [0xfe, 0x80], bits: 10, name: "a link-local address" },
  { prefix: [0xfe, 0xc0], bits: 10, name: "a site-local address" },
  { prefix: [0xff], bits: 8, name: "a multicast address" },
];

/** Metadata addresses in addition to 169.254.0.0/16. */
const metadataAddresses: readonly (readonly number[])[] = [
  [100, 100, 100, 200],
  [100, 96, 0, 96],
  [192, 0, 0, 192],
  [168, 63, 129, 16],
  [0xfd, 0, 0x0e, 0xc2, ...zeros(10), 0x02, 0x54],
  [0xfd, 0x20, 0, 0xce, ...zeros(10), 0x02, 0x54],
];

function isWithin(bytes: readonly number[], prefix: readonly number[], bits: number): boolean {
  for (let index = 0; index * 8 < bits; index++) {
    const mask = 0xff & (0xff << Math.max(0, (index + 1) * 8 - bits));
    if (((bytes[index] ?? 0) & mask) !== ((prefix[index] ?? 0) & mask)) return false;
  }
  return true;
}

function bytesOf4(text: string): number[] {
  return text.split(".").map(Number);
}

function bytesOf6(text: string): number[] {
  // Converts an IPv4 ending, as in ::ffff:10.0.0.1, to two groups.
  const whole = text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/u, (_, ...parts: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = parts.slice(0, 4).map(Number);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [before = "", after] = whole.split("::");
  const groups = (half: string) => (half === "" ? [] : half.split(":").map((group) => Number.parseInt(group, 16)));
  const [first, last] = [groups(before), groups(after ?? "")];
  const middle = after === undefined ? [] : zeros(8 - first.length - last.length);
  return [...first, ...middle, ...last].flatMap((group) => [group >> 8, group & 0xff]);
}
