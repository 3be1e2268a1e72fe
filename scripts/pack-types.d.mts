export function neededTypes(
  texts: ReadonlyMap<string, string>,
  entries: readonly string[],
): ReadonlyMap<string, string>;
