/** What a shell command claims: known places, everything that it can write in the sandbox, or everything. */

import { type Claim, resolveFilePlace } from "@runahead/engine";
import { type CommandAccess, commandAccess } from "@runahead/permissions";
import type { BashInput } from "./bash-input.ts";
import type { Touched } from "../shared/failed-commands.ts";
import { Refusal } from "../shared/refusal.ts";

const CWD = "context:/cwd";
const WRITES_EVERYTHING: readonly Claim[] = [{ mode: "write", place: "*" }];
/** The temporary folder that all commands in the sandbox share. */
const SANDBOX_TEMPORARY = "sandbox:/tmp";

export interface Circumstances {
  readonly cwd: string;
  readonly home: string;
  readonly isReadOnly: boolean;
  /** The only folders that the command can write to; undefined if it can have other effects. */
  readonly writable: readonly string[] | undefined;
}

/** The resolved places that a command claimed, by its input. */
const claimed = new WeakMap<BashInput, Touched>();

export function claimsOf(input: BashInput, circumstances: Circumstances): readonly Claim[] {
  claimed.delete(input);
  // It goes on when the call has ended, and then holds no claims.
  if (input.run_in_background === true) return WRITES_EVERYTHING;
  const { cwd, home, isReadOnly, writable } = circumstances;
  const access = commandAccess(input.command, { cwd, home });
  if (access.type === "places") {
    claimed.set(input, { reads: resolved(access.reads), writes: resolved(access.writes) });
    return placeClaims(access);
  }
  if (isReadOnly) return readsOnly(input);
  return writable === undefined ? WRITES_EVERYTHING : sandboxClaims(writable);
}

/**
 * Throws if the command could now write to other places than it claimed: an earlier call can have put a link there.
 */
export function checkClaims(input: BashInput, scope: Pick<Circumstances, "cwd" | "home">): void {
  const before = claimed.get(input)?.writes;
  if (before === undefined) return;
  const access = commandAccess(input.command, scope);
  const now = access.type === "places" ? resolved(access.writes) : ["/"];
  const other = now.find(
    (path) => !before.some((folder) => path === folder || path.startsWith(`${folder}/`)),
  );
  if (other === undefined) return;
  throw new Refusal(
    "Not run: files changed since this call was made, and now the command would write to other places than before. " +
      "Call again to run it.",
  );
}

/** The only places that the command touches; undefined if it can touch anything. */
export function placesOf(input: BashInput): Touched | undefined {
  return claimed.get(input);
}

/** Whether the command can change the working directory. */
export function mayMove({ command }: BashInput): boolean {
  return /\b(?:cd|pushd|popd)\b/.test(command);
}

function readsOnly(input: BashInput): Claim[] {
  const reads: Claim = { mode: "read", place: "*" };
  return mayMove(input) ? [reads, { mode: "write", place: CWD }] : [reads];
}

function placeClaims({ reads, writes, usesCwd }: Extract<CommandAccess, { type: "places" }>): Claim[] {
  return [
    ...reads.map((path): Claim => ({ mode: "read", place: `fs:${path}` })),
    ...writes.map((path): Claim => ({ mode: "write", place: `fs:${path}` })),
    ...(usesCwd ? [{ mode: "read", place: CWD } as const] : []),
  ];
}

function sandboxClaims(writable: readonly string[]): Claim[] {
  return [
    { mode: "read", place: "fs:/" },
    ...writable.map((path): Claim => ({ mode: "write", place: `fs:${path}` })),
    { mode: "write", place: SANDBOX_TEMPORARY },
    { mode: "write", place: CWD },
  ];
}

function resolved(paths: readonly string[]): string[] {
  return paths.map((path) => resolveFilePlace(`fs:${path}`).slice("fs:".length));
}
