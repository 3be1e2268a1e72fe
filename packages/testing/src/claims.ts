/** What calls declare that they touch, as the engine reads it. */

import { type AnyTool, type Claim, resolveFilePlace } from "@runahead/engine";
import type { SimulatedCall } from "./simulate.ts";

const EVERYTHING = "*";

/** A claim whose links are resolved, and its place as the tool wrote it. */
export interface WrittenClaim extends Claim {
  readonly written: string;
}

/** A declaration that is missing or throws counts as writing everything. */
export function claimsOf(tool: AnyTool, { input }: SimulatedCall, cwd: string): readonly WrittenClaim[] {
  const given = input as Record<string, unknown>;
  try {
    const isReadOnly = tool.isReadOnly?.(given) === true;
    const isSafe = tool.isConcurrencySafe === undefined ? isReadOnly : tool.isConcurrencySafe(given);
    const claims = tool.access?.(given, { cwd }) ?? [{ mode: isSafe ? "read" : "write", place: EVERYTHING }];
    return claims.map(({ mode, place }) => ({ mode, place: resolved(place), written: place }));
  } catch {
    return [{ mode: "write", place: EVERYTHING, written: EVERYTHING }];
  }
}

function resolved(place: string): string {
  return place === EVERYTHING ? place : resolveFilePlace(place);
}

export function conflict(some: readonly Claim[], others: readonly Claim[]): boolean {
  return some.some((one) =>
    others.some(
      (other) =>
        (one.mode !== "read" || other.mode !== "read") &&
        (isWithin(one.place, other.place) || isWithin(other.place, one.place)),
    ),
  );
}

/** Whether the claims let a call write this path. A call that changes a link writes the link, not what it points to. */
export function canWrite(claims: readonly WrittenClaim[], path: string, changesLink = false): boolean {
  const place = changesLink ? linkPlace(`fs:${path}`) : resolveFilePlace(`fs:${path}`);
  return claims.some(
    ({ mode, place: claimed, written }) =>
      mode !== "read" &&
      (isWithin(place, claimed) ||
        (changesLink && written !== EVERYTHING && isWithin(place, linkPlace(written)))),
  );
}

/** The place of a link itself: only the folder that it is in is resolved. */
function linkPlace(place: string): string {
  const at = place.lastIndexOf("/");
  return at <= 0 ? place : `${resolveFilePlace(place.slice(0, at))}${place.slice(at)}`;
}

function isWithin(place: string, outer: string): boolean {
  if (outer === EVERYTHING) return true;
  const folder = outer.replace(/\/+$/, "");
  return place === folder || place === outer || place.startsWith(`${folder}/`);
}
