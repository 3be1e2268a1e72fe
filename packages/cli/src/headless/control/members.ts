/** Objects of the protocol, unchecked. */

export type Members = Readonly<Record<string, unknown>>;

export function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function textIn(from: Members, name: string): string | undefined {
  const value = from[name];
  return typeof value === "string" ? value : undefined;
}

export function textsIn(from: Members, name: string): readonly string[] | undefined {
  const value = from[name];
  return Array.isArray(value) && value.every((one) => typeof one === "string") ? value : undefined;
}
