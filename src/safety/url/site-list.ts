import { domainToASCII } from "node:url";

/** The user's blocked sites: `host` (with all its subdomains) or `*.host` (only the subdomains). */
export function siteList(rules: readonly string[]): (host: string) => string | undefined {
  /** Creates a map by host, so that lookups in long lists are as fast as in short ones. */
  const whole = new Map<string, string>();
  const below = new Map<string, string>();
  for (const rule of rules) {
    const text = rule.replace(/#.*$/u, "").trim().toLowerCase();
    const [, star, name = ""] = /^(\*\.)?(.*)$/u.exec(text.replace(/^\w+:\/\//u, "").replace(/[/?].*$/u, "")) ?? [];
    const host = bare(name.replace(/:\d*$/u, ""));
    if (host !== "") (star === undefined ? whole : below).set(host, text);
  }
  return (hostname) => {
    const host = bare(hostname);
    const own = whole.get(host);
    if (own !== undefined) return own;
    for (let dot = host.indexOf("."); dot >= 0; dot = host.indexOf(".", dot + 1)) {
      const parent = host.slice(dot + 1);
      const rule = whole.get(parent) ?? below.get(parent);
      if (rule !== undefined) return rule;
    }
    return undefined;
  };
}

function bare(host: string): string {
  const name = host
    .toLowerCase()
    .replace(/\.+$/u, "")
    .replace(/^\[(.*)\]$/u, "$1");
  return (domainToASCII(name) || name).replace(/^www\./u, "");
}
