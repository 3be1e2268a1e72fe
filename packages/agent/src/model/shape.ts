/** What comes off a wire may be anything: these give what it should be. */

/** The string, or what is to stand for it. */
export function stringOf(value: unknown, otherwise = ""): string {
  return typeof value === "string" ? value : otherwise;
}
