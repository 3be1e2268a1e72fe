/** Checks options at run time, for callers without types. Each error names the option and the remedy. */

/** Checks one option. `what` names it in the error: `createAgent: "maxTurns"`. Accepts `undefined` unless required. */
export type Check = (value: unknown, what: string) => void;

/** Throws a TypeError if `given` is not an object, or has an option that is not in `known`. */
export function rejectUnknown(given: object, known: readonly string[], where: string): void {
  requireObject(given, where);
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const hint = didYouMean(unknown, known) || ` Known options: ${known.join(", ")}.`;
  throw new TypeError(`${where}: unknown option "${unknown}".${hint}`);
}

/** Throws a TypeError if a member's name is a misspelling of a known one that is missing. Other members are allowed. */
export function rejectMisspelt(given: object, known: readonly string[], where: string): void {
  requireObject(given, where);
  const names = memberNames(given);
  const missing = known.filter((name) => !names.includes(name));
  for (const name of names) {
    const hint = known.includes(name) ? "" : didYouMean(name, missing);
    if (hint !== "") throw new TypeError(`${where}: unknown member "${name}".${hint}`);
  }
}

/** Checks every option by its entry in the table; an option without one is unknown. */
export function checkOptions(given: object, checks: Readonly<Record<string, Check>>, where: string): void {
  rejectUnknown(given, Object.keys(checks), where);
  for (const [name, check] of Object.entries(checks))
    check((given as Readonly<Record<string, unknown>>)[name], `${where}: "${name}"`);
}

/**
 * Checks the members of an argument by their entries in the table, and refuses misspelt ones. Other members are allowed:
 * callers pass larger objects.
 */
export function checkMembers(given: unknown, checks: Readonly<Record<string, Check>>, where: string): void {
  rejectMisspelt(given as object, Object.keys(checks), where);
  for (const [name, check] of Object.entries(checks))
    check((given as Readonly<Record<string, unknown>>)[name], `${where}: "${name}"`);
}

/** ` Did you mean "x"?`, or nothing if no known name is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  const wanted = name.toLowerCase();
  const [nearest] = known
    .map((candidate) => ({ candidate, edits: editsBetween(wanted, candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= mostEdits(wanted, candidate.toLowerCase()))
    .toSorted((one, other) => one.edits - other.edits);
  return nearest === undefined ? "" : ` Did you mean "${nearest.candidate}"?`;
}

/** Two changed letters make another word of a short one (`mode`, `home`), unless they only changed places. */
function mostEdits(one: string, other: string): number {
  const hasSameLetters = [...one].toSorted().join("") === [...other].toSorted().join("");
  return hasSameLetters || Math.max(one.length, other.length) > 5 ? 2 : 1;
}

export const anything: Check = () => {};
export const aString = typed("string", "a string");
export const aFunction = typed("function", "a function");
export const aBoolean = typed("boolean", "true or false");

export const anArray: Check = (value, what) => {
  if (value !== undefined && !Array.isArray(value)) throw wrong(what, "an array", value);
};

export const anObject: Check = (value, what) => {
  if (value !== undefined && !isPlainValue(value)) throw wrong(what, "an object", value);
};

/** NaN would make every comparison with a limit false, so that the limit never takes effect. */
export const aPositiveNumber: Check = (value, what) => {
  if (value !== undefined && !(typeof value === "number" && value > 0))
    throw wrong(what, "a number above 0", value);
};

export const aNumberFromZero: Check = (value, what) => {
  if (value !== undefined && !(typeof value === "number" && value >= 0))
    throw wrong(what, "a number of 0 or more", value);
};

export function oneOf(...words: readonly string[]): Check {
  return (value, what) => {
    if (value === undefined || words.includes(value as string)) return;
    const hint = typeof value === "string" ? didYouMean(value, words) : "";
    throw new TypeError(
      `${what} must be ${words.map((word) => `"${word}"`).join(" or ")}, got ${kindOf(value)}.${hint}`,
    );
  };
}

export const strings: Check = (value, what) => {
  if (value === undefined) return;
  if (!Array.isArray(value) || !value.every((item) => typeof item === "string"))
    throw wrong(what, "an array of strings", value);
};

/** Passes if one of the checks does; reports what the first one found. */
export function either(first: Check, other: Check): Check {
  return (value, what) => {
    try {
      first(value, what);
    } catch (error) {
      try {
        other(value, what);
      } catch {
        throw error;
      }
    }
  };
}

/** An object that has these options and no others. */
export function withOptions(checks: Readonly<Record<string, Check>>): Check {
  return (value, what) => {
    anObject(value, what);
    if (value !== undefined) checkOptions(value as object, checks, what);
  };
}

export function required(check: Check): Check {
  return (value, what) => {
    if (value === undefined) throw new TypeError(`${what} is required.`);
    check(value, what);
  };
}

/** The error for a value of the wrong kind. */
export function wrong(what: string, wanted: string, value: unknown): TypeError {
  return new TypeError(`${what} must be ${wanted}, got ${kindOf(value)}.`);
}

const SHOWN_CHARS = 60;

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  switch (typeof value) {
    case "string":
      return JSON.stringify(value.slice(0, SHOWN_CHARS));
    case "function":
      return "a function";
    case "object":
      return value === null ? "null" : kindOfObject(value);
    default:
      return String(value);
  }
}

function kindOfObject(value: object): string {
  if (isPromise(value)) return 'a promise; add "await"';
  return `an object (${Object.keys(value).slice(0, 5).join(", ")})`;
}

function isPromise(value: object): boolean {
  return "then" in value && typeof value.then === "function";
}

function isPlainValue(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isPromise(value);
}

function requireObject(given: unknown, where: string): void {
  if (!isPlainValue(given)) throw wrong(where, "given an object", given);
}

function typed(type: "string" | "function" | "boolean", wanted: string): Check {
  return (value, what) => {
    if (value !== undefined && typeof value !== type) throw wrong(what, wanted, value);
  };
}

/** Includes the methods of a class. */
function memberNames(given: object): readonly string[] {
  const names = new Set<string>();
  for (
    let at: object | null = given;
    at !== null && at !== Object.prototype;
    at = Object.getPrototypeOf(at) as object | null
  )
    for (const name of Object.getOwnPropertyNames(at)) names.add(name);
  return [...names];
}

/** The Levenshtein distance: characters to change, add or remove. */
export function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

interface Unknown {
  /** What the name stands for, such as `permission mode`. */
  readonly what: string;
  readonly name: string;
  readonly where?: string;
  readonly known: readonly string[];
  /** What the known names are called, such as `Modes`. */
  readonly list: string;
}

/** `Unknown permission mode "acceptEdit". Did you mean "acceptEdits"? Modes: default, acceptEdits.` */
export function unknownName({ what, name, where, known, list }: Unknown): string {
  const place = where === undefined ? "" : ` of ${where}`;
  return `Unknown ${what} "${name}"${place}.${didYouMean(name, known)} ${list}: ${known.join(", ")}.`;
}
