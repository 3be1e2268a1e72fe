/** Values of settings files in messages. */

export function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/** Returns the value as JSON, cut to 60 characters. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
