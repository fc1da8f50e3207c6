import { domainToASCII } from "node:url";

/** The list of sites that the user does not want reached: `host` (and all below it) or `*.host` (only those below it). */
export function siteList(rules: readonly string[]): (host: string) => string | undefined {
  const read = rules.flatMap((rule) => {
    const text = rule.replace(/#.*$/u, "").trim().toLowerCase();
    const [, below, name = ""] = /^(\*\.)?(.*)$/u.exec(text.replace(/^\w+:\/\//u, "").replace(/[/:].*$/u, "")) ?? [];
    const host = bare(name);
    return host === "" ? [] : [{ rule: text, host, isOnlyBelow: below !== undefined }];
  });
  return (asked) => {
    const host = bare(asked);
    return read.find((each) => (host === each.host ? !each.isOnlyBelow : host.endsWith(`.${each.host}`)))?.rule;
  };
}

function bare(host: string): string {
  const name = host.toLowerCase().replace(/\.+$/u, "");
  return (domainToASCII(name) || name).replace(/^www\./u, "");
}
