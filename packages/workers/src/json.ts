/** Outputs as JSON. Values that JSON would change silently are refused, so that a tool returns the same locally and remotely. */

/** Throws a TypeError that names the value that JSON cannot represent. */
export function toJson(value: unknown): string {
  if (value === undefined) return "";
  return (
    JSON.stringify(value, function (this: unknown, key: string, item: unknown) {
      // Check the original value: `item` is already converted by `toJSON`, as for a Buffer.
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
    throw new TypeError(`${key === "" ? "it" : `\`${key}\``} is ${kind}, which JSON cannot represent`);
}

function unsendable(item: unknown): string | undefined {
  if (typeof item === "bigint") return "a bigint";
  if (typeof item === "function") return "a function";
  if (typeof item !== "object" || item === null) return undefined;
  if (ArrayBuffer.isView(item) || item instanceof ArrayBuffer) return "binary data";
  if (item instanceof Map) return "a Map";
  return item instanceof Set ? "a Set" : undefined;
}
