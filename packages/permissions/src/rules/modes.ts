/** Permission modes: what happens to calls that no rule decides. */

/** Every permission mode, from the one that asks to the one that asks about almost nothing. */
export const PERMISSION_MODES = [
  "default",
  "acceptEdits",
  "plan",
  "auto",
  "dontAsk",
  "bypassPermissions",
] as const;

/**
 * What happens to a call that no rule decides.
 *
 * - `default`: the user is asked, except for reads inside the workspace.
 * - `acceptEdits`: changes to files in the workspace are allowed too.
 * - `plan`: reads are allowed, and shell commands that a rule names. Other changes are denied until the user approves a
 *   plan.
 * - `auto`: a model decides which calls need a question.
 * - `dontAsk`: calls that would need a question are denied.
 * - `bypassPermissions`: every call is allowed, except for protected places, deny rules and ask rules.
 */
export type Mode = (typeof PERMISSION_MODES)[number];

/** Names that other programs use for modes. */
const OTHER_NAMES = new Map<string, Mode>([
  ["manual", "default"],
  ["ask", "default"],
  ["accept_edits", "acceptEdits"],
  ["deny", "dontAsk"],
  ["allow", "bypassPermissions"],
]);

/**
 * Finds a permission mode by its name, or by the name that other programs use for it (`ask`, `manual`, `accept_edits`,
 * `deny`, `allow`). Returns undefined for any other name; never throws.
 *
 * @example
 * ```ts
 * permissionMode("accept_edits"); // "acceptEdits"
 * ```
 */
export function permissionMode(name: string): Mode | undefined {
  return PERMISSION_MODES.find((mode) => mode === name) ?? OTHER_NAMES.get(name);
}
