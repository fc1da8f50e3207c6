import { err, ok, type Result } from "../result.ts";

export type ProxyEnv = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for an address, by `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, also in lower case. Addresses of this
 * machine and the metadata services of clouds have none. An invalid setting is an error and never a direct connection.
 */
export function proxyFor(url: URL, env: ProxyEnv): Result<URL | undefined, string> {
  const names = [url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY", "ALL_PROXY"];
  const name = names.find((one) => setting(env, one) !== undefined) ?? "";
  const value = setting(env, name);
  if (value === undefined || isOwn(url.hostname) || isExcluded(url, setting(env, "NO_PROXY") ?? ""))
    return ok(undefined);
  const proxy = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//iu.test(value) ? value : `http://${value}`);
  if (proxy === null || proxy.hostname === "") return err(`${name} is not the address of a proxy`);
  if (proxy.protocol === "http:" || proxy.protocol === "https:") return ok(proxy);
  return err(`${name}: proxies of the kind ${proxy.protocol}// are not supported, only http:// and https://`);
}

function setting(env: ProxyEnv, name: string): string | undefined {
  const value = (env[name.toLowerCase()] ?? env[name] ?? "").trim();
  return value === "" ? undefined : value;
}

function isOwn(hostname: string): boolean {
  return (
    ["localhost", "[::1]", "[fd00:ec2::254]", "[fd00:ec2::23]"].includes(hostname) ||
    /^(?:127\.\d+|169\.254)(?:\.\d+){2}$/u.test(hostname)
  );
}

/** `*`, `example.com` (with what is below it), `.example.com`, `*.example.com`, an address, a network `10.0.0.0/8`; each with a port or not. */
function isExcluded(url: URL, list: string): boolean {
  const { isIPv6 } = process.getBuiltinModule("node:net");
  const host = url.hostname.replaceAll(/^\[|\]$/gu, "").toLowerCase();
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return list.split(/[\s,]+/u).some((entry) => {
    if (entry === "*") return true;
    const [, name = "", onlyPort = port] = isIPv6(entry) ? ["", entry] : (/^(.*?)(?::(\d+))?$/u.exec(entry) ?? []);
    const pattern = name.toLowerCase().replaceAll(/^\[|\]$/gu, "");
    if (pattern === "" || onlyPort !== port) return false;
    if (pattern.includes("/")) return isInNetwork(host, pattern);
    const suffix = pattern.replace(/^\*?\./u, "");
    return host === suffix || host.endsWith(`.${suffix}`);
  });
}

function isInNetwork(host: string, network: string): boolean {
  const { BlockList, isIP, isIPv6 } = process.getBuiltinModule("node:net");
  const [base = "", bits = ""] = network.split("/");
  const family = isIPv6(base) ? "ipv6" : "ipv4";
  const length = Number(bits);
  if (isIP(base) === 0 || isIP(host) === 0 || !Number.isInteger(length) || length > (family === "ipv6" ? 128 : 32))
    return false;
  const list = new BlockList();
  list.addSubnet(base, length, family);
  return list.check(host, isIPv6(host) ? "ipv6" : "ipv4");
}
