/** Names as every provider accepts them, given out once for the whole schema, so that each leads back to one real name. */
export interface PropertyNames {
  /** The name that is sent for a real one. The same name always gets the same answer. */
  sent(real: string): string;
}

export function createPropertyNames(taken: ReadonlySet<string>, reserved: ReadonlySet<string>): PropertyNames {
  const given = new Map<string, string>();
  const used = new Set<string>();
  const fine = (name: string): boolean => validName.test(name) && !reserved.has(name) && name !== "__proto__";
  return {
    sent(real) {
      if (fine(real)) return real;
      const known = given.get(real);
      if (known !== undefined) return known;
      const base = cleanName(real);
      let name = base;
      for (let count = 2; !fine(name) || taken.has(name) || used.has(name); count++) {
        const suffix = `_${count}`;
        name = base.slice(0, maxChars - suffix.length) + suffix;
      }
      given.set(real, name);
      used.add(name);
      return name;
    },
  };
}

/** Only letters, digits, `_`, `.` and `-`, at most 64 of them, at least one. */
export function cleanName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_.-]/gu, "_").slice(0, maxChars) || "_";
}

const maxChars = 64;
const validName = /^[A-Za-z0-9_.-]{1,64}$/;
