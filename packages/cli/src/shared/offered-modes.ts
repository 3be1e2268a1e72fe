/** The permission modes that a user can choose while the program runs. */

import type { CodingAgent, Mode } from "@runahead/harness";

interface OfferedMode {
  readonly id: Mode;
  readonly name: string;
  readonly description: string;
}

/** In the order in which Shift+Tab goes through them. */
export const OFFERED_MODES: readonly OfferedMode[] = [
  { id: "default", name: "Default", description: "Asks before changing files or running commands." },
  { id: "acceptEdits", name: "Accept edits", description: "Changes files in the folder without asking." },
  { id: "plan", name: "Plan", description: "Changes nothing." },
  { id: "auto", name: "Auto", description: "A model decides which calls need your approval." },
];

/** Offered only if the program was started in this mode. */
export const MORE_MODES: readonly OfferedMode[] = [
  { id: "dontAsk", name: "Do not ask", description: "Denies every call that would need approval." },
  {
    id: "bypassPermissions",
    name: "Bypass permissions",
    description: "Runs almost everything without asking.",
  },
];

/** The mode that was chosen, or `default` if the settings forbid it. */
export function allowedMode(gate: Pick<CodingAgent["gate"], "modeObjection">, mode: Mode): Mode {
  return gate.modeObjection(mode) === undefined ? mode : "default";
}

/** What each mode does, in a few words. */
const MEANINGS: Readonly<Record<Mode, readonly [name: string, meaning: string]>> = {
  default: ["Default mode", "asks before changes"],
  acceptEdits: ["Accept edits", "changes files without asking"],
  plan: ["Plan mode", "changes nothing"],
  auto: ["Auto mode", "a model decides what needs approval"],
  dontAsk: ["Do not ask", "denies what needs approval"],
  bypassPermissions: ["Bypass permissions", "asks about almost nothing"],
};

/** The mode in words, for the screen. */
export function modeWords(mode: string): { readonly name: string; readonly meaning: string } {
  const [name, meaning] = Object.entries(MEANINGS).find(([id]) => id === mode)?.[1] ?? [
    mode,
    "set by settings",
  ];
  return { name, meaning };
}
