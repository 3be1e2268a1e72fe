/** The permission modes that a user can choose while the program runs. */

import type { Mode } from "@runahead/harness";

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
