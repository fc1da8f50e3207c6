import { words } from "../../base/text/words.ts";

/**
 * The variables that scripts see, in this order: those granted to skills; names of `env` that the user passes on; no
 * name that looks like a secret; path, locale and user variables; variables of Hermes that are not secret; variables
 * that Windows needs. No others.
 */
export function scriptVariables(
  env: Readonly<Record<string, string | undefined>>,
  passed: readonly string[],
  granted: ReadonlyMap<string, string> = new Map(),
): Record<string, string> {
  const listed = new Set(passed);
  const isSeen = (name: string) => {
    if (listed.has(name)) return !isProviderKey(name);
    const upper = name.toUpperCase();
    if (secretWords.some((word) => upper.includes(word))) return false;
    return beginnings.some((each) => name.startsWith(each)) || exact.has(name) || windows.has(upper);
  };
  const own = [...granted].filter(([name]) => !isProviderKey(name));
  const seen = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value !== undefined && isSeen(name) ? [[name, value]] : [])),
  );
  return { ...seen, ...Object.fromEntries(own) };
}

/** No setting passes on the keys of model providers. */
function isProviderKey(name: string): boolean {
  return /_API_KEY\d*$|^(?:OPENAI|ANTHROPIC|CLAUDE_CODE)_/u.test(name);
}

const secretWords = words("KEY TOKEN SECRET PASSWORD CREDENTIAL PASSWD AUTH DSN WEBHOOK CREDS BEARER APIKEY");
const beginnings = words(
  "PATH HOME USER LANG LC_ TERM TMPDIR TMP TEMP SHELL LOGNAME XDG_ PYTHONPATH VIRTUAL_ENV CONDA",
);
const exact: ReadonlySet<string> = new Set(
  words("TZ HERMES_HOME HERMES_PROFILE HERMES_CONFIG HERMES_ENV HERMES_DELEGATED_CHILD_CONTEXT"),
);
const windows: ReadonlySet<string> = new Set(
  words(`
    ALLUSERSPROFILE APPDATA COMMONPROGRAMFILES COMMONPROGRAMFILES(X86) COMMONPROGRAMW6432 COMPUTERNAME COMSPEC HOMEDRIVE
    HOMEPATH LOCALAPPDATA NUMBER_OF_PROCESSORS OS PATHEXT PROCESSOR_ARCHITECTURE PROGRAMDATA PROGRAMFILES
    PROGRAMFILES(X86) PROGRAMW6432 PUBLIC SYSTEMDRIVE SYSTEMROOT USERPROFILE WINDIR
  `),
);
