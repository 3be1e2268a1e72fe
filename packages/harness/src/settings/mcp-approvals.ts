/**
 * The definitions of MCP tools that the user approved permanently (H05), by project. They are kept in one private file, so
 * that a change between two sessions is noticed. Approvals for one session are not saved.
 */

import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isShape, aFunction, required } from "@runahead/base";
import { changeFile } from "./change.ts";
import { NotSaved } from "./error.ts";
import { runaheadHome, checkSurroundings } from "../home.ts";
import { type Where, projectRoot } from "./place.ts";
import { readPrivate } from "./private-file.ts";
import { MAX_BYTES } from "./read.ts";

/** The approved fingerprint by tool name. */
type Fingerprints = ReadonlyMap<string, string>;

/** Approvals of MCP tools. Each is bound to the fingerprint of the definition that was approved. */
export interface KeptApprovals {
  /** Absolute path of the file that they are kept in. */
  readonly path: string;
  /** Returns the approved fingerprint of a tool; undefined if it was not approved. */
  approved(toolName: string): string | undefined;
  /** Approves a tool until the process ends. */
  approve(toolName: string, fingerprint: string): void;
  /**
   * Approves tools permanently. If the file cannot be written, throws `NotSaved`, and the approval holds until the
   * process ends.
   */
  keep(approved: Fingerprints): Promise<void>;
}

type Kept =
  | { readonly type: "known"; readonly roots: ReadonlyMap<string, Fingerprints> }
  | { readonly type: "unknown"; readonly why: string };

/**
 * Reads the approvals of MCP tools for a folder. A file that is damaged or writable by others is reported through
 * `onNotice`, ignored, and not overwritten.
 *
 * @example
 * ```ts
 * const approvals = await mcpApprovals({ cwd, home, env }, console.warn);
 * approvals.approved("mcp__files__write");
 * ```
 */
export async function mcpApprovals(
  where: Where,
  onNotice: (message: string) => void,
): Promise<KeptApprovals> {
  checkSurroundings(where, "mcpApprovals");
  required(aFunction)(onNotice, 'mcpApprovals: "onNotice"');
  const path = join(runaheadHome(where), "mcp-approvals.json");
  const root = await projectRoot(where.cwd);
  const kept = await readKept(path);
  if (kept.type === "unknown") onNotice(`${path}: no saved approval is used: ${kept.why}`);
  const approved = new Map(kept.type === "known" ? kept.roots.get(root) : []);
  return {
    path,
    approved: (toolName) => approved.get(toolName),
    approve: (toolName, fingerprint) => void approved.set(toolName, fingerprint),
    async keep(more) {
      for (const [toolName, fingerprint] of more) approved.set(toolName, fingerprint);
      if (more.size > 0) await save(path, root, more);
    },
  };
}

async function save(path: string, root: string, more: Fingerprints): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await changeFile({ path, mode: 0o600 }, async () => {
    const kept = await readKept(path);
    if (kept.type === "unknown") throw new NotSaved(path, kept.why);
    const roots = new Map(kept.roots);
    roots.set(root, new Map([...(roots.get(root) ?? []), ...more]));
    const text = textOf(roots);
    if (Buffer.byteLength(text) > MAX_BYTES)
      throw new NotSaved(path, `with this approval it would be larger than ${MAX_BYTES} bytes`);
    return text;
  });
}

async function readKept(path: string): Promise<Kept> {
  const file = await readPrivate(path);
  if (file.type === "missing") return { type: "known", roots: new Map() };
  if (file.type === "unknown") return file;
  const approved = isShape(file.value) ? file.value["approved"] : undefined;
  if (!isShape(approved))
    return { type: "unknown", why: 'expected {"approved": {folder: {tool: fingerprint}}}' };
  return {
    type: "known",
    roots: new Map(Object.entries(approved).map(([root, tools]) => [root, fingerprintsIn(tools)])),
  };
}

function fingerprintsIn(value: unknown): Fingerprints {
  const members = isShape(value) ? Object.entries(value) : [];
  return new Map(members.filter((member): member is [string, string] => typeof member[1] === "string"));
}

function textOf(roots: ReadonlyMap<string, Fingerprints>): string {
  const approved = Object.fromEntries([...roots].map(([root, tools]) => [root, Object.fromEntries(tools)]));
  return `${JSON.stringify({ approved }, undefined, 2)}\n`;
}
