/** How a cell with a number is shown, as far as it matters to a reader. */
export type CellFormat = "number" | "percent" | "date" | "time" | "date and time" | "duration";

/** By the number of a built-in format, or by the text of an own one. */
export function cellFormat(id: number, code: string | undefined): CellFormat {
  if (code === undefined) return builtIn(id);
  // Text in quotes, escaped characters, colours, conditions and fillers say nothing of the kind; only the first part counts.
  const plain = code
    .split(";", 1)
    .join("")
    .replace(/"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]/giu, "")
    .toLowerCase();
  if (/\[[hms]+\]/u.test(plain)) return "duration";
  if (plain === "" || plain === "general" || /[#0?]/u.test(plain.replace(/s\.0+/gu, "s"))) {
    return plain.includes("%") ? "percent" : "number";
  }
  const hasTime = /[hs]/u.test(plain);
  const hasDate = /[yd]/u.test(plain) || (/m/u.test(plain) && !hasTime);
  if (hasDate) return hasTime ? "date and time" : "date";
  return hasTime ? "time" : "number";
}

/** The number as a person would read it: no noise of floating point, dates in ISO form. */
export function shownNumber(value: number, format: CellFormat, is1904: boolean): string {
  if (format === "percent") return `${plainNumber(value * 100)}%`;
  if (format === "number" || value < 0 || value >= lastSerial) return plainNumber(value);
  if (format === "duration") return durationText(Math.round(value * 86_400));
  const iso = new Date(Math.round((dayOf(value, is1904) + (value % 1)) * 86_400_000)).toISOString();
  const day = iso.slice(0, 10);
  const time = iso.slice(11, iso.slice(17, 19) === "00" ? 16 : 19);
  if (format === "date") return day;
  return format === "time" ? time : `${day} ${time}`;
}

function builtIn(id: number): CellFormat {
  if (id === 9 || id === 10) return "percent";
  if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 58)) return "date";
  if ((id >= 18 && id <= 21) || (id >= 32 && id <= 35) || id === 45 || id === 47) return "time";
  if (id === 22) return "date and time";
  return id === 46 ? "duration" : "number";
}

function plainNumber(value: number): string {
  return String(Number(value.toPrecision(15)));
}

function durationText(seconds: number): string {
  const two = (count: number) => String(count).padStart(2, "0");
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

/** Days since 1970. Excel counts from 1900 and believes that there was a 29 February 1900. */
function dayOf(value: number, is1904: boolean): number {
  const serial = Math.floor(value);
  if (is1904) return serial - 24_107;
  return serial - (serial < 60 ? 25_568 : 25_569);
}

/** After the year 9999. */
const lastSerial = 2_958_466;
