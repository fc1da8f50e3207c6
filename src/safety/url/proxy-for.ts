/**
 * The proxy that the variables of the environment name for a URL, as curl reads them: `https_proxy`, `http_proxy`,
 * `all_proxy` and `no_proxy`, small letters first; `HTTP_PROXY` counts too. Only http and https proxies are known; another
 * kind rejects, so that nothing goes past it.
 */
export function proxyFor(env: Readonly<Record<string, string | undefined>>): (url: URL) => URL | undefined {
  const named = (name: string) => env[name] || env[name.toUpperCase()] || undefined;
  const except = (named("no_proxy") ?? "").split(/[\s,]+/u).filter(Boolean);
  return (url) => {
    const text = named(url.protocol === "https:" ? "https_proxy" : "http_proxy") ?? named("all_proxy");
    if (text === undefined || except.some((rule) => isExcept(rule.toLowerCase(), url))) return undefined;
    const proxy = URL.parse(text.includes("://") ? text : `http://${text}`);
    if (proxy === null || !/^https?:$/u.test(proxy.protocol))
      throw new Error("the proxy in the environment is none of http or https");
    return proxy;
  };
}

function isExcept(rule: string, { hostname, port, protocol }: URL): boolean {
  if (rule === "*") return true;
  const [, name = "", only] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/u.exec(rule) ?? [];
  if (only !== undefined && only !== (port || (protocol === "https:" ? "443" : "80"))) return false;
  return name !== "" && (hostname === name || hostname.endsWith(`.${name}`));
}
