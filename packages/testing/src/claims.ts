/** What calls declare that they touch, as the engine reads it. */

import { type AnyTool, type Claim, resolveFilePlace } from "@runahead/engine";
import type { SimulatedCall } from "./simulate.ts";

const EVERYTHING = "*";

/** A declaration that is missing or throws counts as writing everything. */
export function claimsOf(tool: AnyTool, { input }: SimulatedCall, cwd: string): readonly Claim[] {
  const given = input as Record<string, unknown>;
  try {
    const isReadOnly = tool.isReadOnly?.(given) === true;
    const isSafe = tool.isConcurrencySafe === undefined ? isReadOnly : tool.isConcurrencySafe(given);
    const claims = tool.access?.(given, { cwd }) ?? [{ mode: isSafe ? "read" : "write", place: EVERYTHING }];
    return claims.map(({ mode, place }) => ({ mode, place: resolved(place) }));
  } catch {
    return [{ mode: "write", place: EVERYTHING }];
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

/** Whether the claims let a call write this path. */
export function canWrite(claims: readonly Claim[], path: string): boolean {
  return claims.some(({ mode, place }) => mode !== "read" && isWithin(resolveFilePlace(`fs:${path}`), place));
}

function isWithin(place: string, outer: string): boolean {
  if (outer === EVERYTHING) return true;
  const folder = outer.replace(/\/+$/, "");
  return place === folder || place === outer || place.startsWith(`${folder}/`);
}
