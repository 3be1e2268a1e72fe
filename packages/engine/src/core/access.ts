/** What a call can touch. Places form a tree; a claim on a place covers everything below it. */

/**
 * Names a node in the tree of things that calls can touch: `scheme:/a/b/c`, or `*` for everything.
 *
 * The scheme is in lower case. Files have the scheme `fs`; any other name can be chosen for other things
 * (`db:/users/7`). A place contains every place below it.
 */
export type Place = string;

/** Declares that a call reads or writes a place and everything below it. */
export interface Claim {
  /** Two calls conflict if their places overlap and at least one of them writes. */
  readonly mode: "read" | "write";
  /** What is touched, such as `fs:/repo/src/a.ts`. */
  readonly place: Place;
}

/** The claims of a call that can touch anything: the default if something is unknown. */
export const WRITES_EVERYTHING: readonly Claim[] = [{ mode: "write", place: "*" }];
export const READS_EVERYTHING: readonly Claim[] = [{ mode: "read", place: "*" }];

const SLASH = 0x2f;
const SCHEME = /^[a-z][a-z0-9+.-]*$/;

/** Returns the path from the root of the tree to a place, or undefined if the place is invalid. */
export function placeSegments(place: unknown): string[] | undefined {
  if (place === "*") return [];
  const scheme = schemeOf(place);
  if (scheme === undefined) return undefined;
  const segments = [scheme];
  for (const part of (place as string).slice(scheme.length + 2).split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") segments.push(part);
    else if (segments.length > 1) segments.pop();
  }
  return segments;
}

function schemeOf(place: unknown): string | undefined {
  if (typeof place !== "string") return undefined;
  const colon = place.indexOf(":");
  const scheme = place.slice(0, colon);
  return colon > 0 && place.charCodeAt(colon + 1) === SLASH && SCHEME.test(scheme) ? scheme : undefined;
}

/** Whether two lists of claims conflict: one writes a place that the other reads or writes. */
export function claimsConflict(some: readonly Claim[], others: readonly Claim[]): boolean {
  return some.some((one) =>
    others.some((other) => (writes(one) || writes(other)) && overlap(one.place, other.place)),
  );
}

/** Whether two lists claim the same places, in the same order and in the same way. */
export function sameClaims(some: readonly Claim[], others: readonly Claim[]): boolean {
  if (some.length !== others.length) return false;
  return some.every(({ mode, place }, at) => mode === others[at]?.mode && place === others[at]?.place);
}

/** An invalid place could be anything, so it counts as a write to everything. */
export function writes({ mode, place }: Claim): boolean {
  return mode !== "read" || (place !== "*" && schemeOf(place) === undefined);
}

function overlap(one: Place, other: Place): boolean {
  const a = placeSegments(one) ?? [];
  const b = placeSegments(other) ?? [];
  const shared = Math.min(a.length, b.length);
  for (let depth = 0; depth < shared; depth++) if (a[depth] !== b[depth]) return false;
  return true;
}
