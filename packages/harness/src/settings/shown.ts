/** What stands in a settings file, for the one who is told that it is wrong. */

export function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/** Short, since it may be anything. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
