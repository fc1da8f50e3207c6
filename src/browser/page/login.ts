import type { Tab } from "../sessions/tab.ts";

/** Returns why the page looks as if someone is logged in; undefined if it does not. */
export async function sessionCookie(tab: Tab): Promise<string | undefined> {
  try {
    const { cookies } = await tab.main.send<{ cookies: readonly SiteCookie[] }>(
      "Network.getCookies",
      { urls: [tab.url] },
      2000,
    );
    const cookie = cookies.find(isSessionCookie);
    return cookie && `the site has a cookie "${cookie.name.slice(0, 40)}" that looks like a login`;
  } catch {
    // In doubt, one question too many is better.
    return "the cookies of the site could not be read";
  }
}

export interface SiteCookie {
  readonly name: string;
  readonly value: string;
  readonly httpOnly?: boolean;
}

/**
 * Whether a cookie may contain a login: its name suggests it, or scripts cannot read it and it is long enough for a
 * token.
 */
export function isSessionCookie({ name, value, httpOnly = false }: SiteCookie): boolean {
  if (
    value.length < 8 ||
    /^(?:_ga|_gid|_fbp|__cf|cf_|_csrf|csrf|xsrf|consent|cookie_?consent|euconsent|locale|lang)/iu.test(name)
  )
    return false;
  if (/sess|auth|token|login|user|jwt|sid\b|_sid|remember|identity|connect\.|sso/iu.test(name)) return true;
  return httpOnly && value.length >= 20;
}
