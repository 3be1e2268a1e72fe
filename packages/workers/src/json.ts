/** Outputs as JSON. What JSON would silently change is refused, so that a tool gives the same here and elsewhere. */

/** Throws in words where something in it cannot be sent. */
export function toJson(value: unknown): string {
  if (value === undefined) return "";
  return (
    JSON.stringify(value, function (this: unknown, key: string, item: unknown) {
      // What JSON makes of a Buffer or a Map is seen too late in the item itself.
      refuse((this as Record<string, unknown>)[key], key);
      return item;
    }) ?? ""
  );
}

export function fromJson(text: string): unknown {
  return text === "" ? undefined : JSON.parse(text);
}

function refuse(item: unknown, key: string): void {
  const kind = unsendable(item);
  if (kind !== undefined)
    throw new TypeError(`${key === "" ? "it" : `\`${key}\``} is ${kind}, which is not JSON`);
}

function unsendable(item: unknown): string | undefined {
  if (typeof item === "bigint") return "a bigint";
  if (typeof item === "function") return "a function";
  if (typeof item !== "object" || item === null) return undefined;
  if (ArrayBuffer.isView(item) || item instanceof ArrayBuffer) return "binary data";
  if (item instanceof Map) return "a Map";
  return item instanceof Set ? "a Set" : undefined;
}
