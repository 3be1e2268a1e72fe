/**
 * What a person sees, as text, in narrow, usual and wide terminals: every list, dialog and command. `widths.test.ts` has
 * the screens that everybody sees. `UPDATE_SCREENS=1 npx vitest run packages/cli/test/repl/widths.long.test.ts` records
 * them again in `screens/`.
 */

import { describe, test } from "vitest";
import { programs } from "./programs.ts";
import { RecordedScreens } from "./recorded.ts";
import { commands } from "./walks/commands.ts";
import { dialogs } from "./walks/dialogs.ts";
import { kept, plainFolder } from "./walks/kept.ts";
import { looks } from "./walks/looks.ts";
import { pickers } from "./walks/pickers.ts";
import { sessions } from "./walks/sessions.ts";
import { returns } from "./walks/returns.ts";
import { type Walk, richFolder } from "./walks/walk.ts";
import { windows } from "./walks/windows.ts";
import { work } from "./walks/work.ts";

const tested = programs();
const WALKS: Readonly<Record<string, (walk: Walk) => Promise<void>>> = {
  dialogs,
  work,
  pickers,
  commands,
  sessions,
  kept,
  looks,
  windows,
  returns,
};
/** These need a folder without settings. */
const PLAIN = [kept, looks, windows, returns];
/** Recording waits until each screen is still. */
const MOST_MS = 400_000;

describe.each(Object.entries(WALKS))("%s", (name, follow) => {
  test.each([40, 80, 200])(
    "with %i columns every screen is as recorded",
    { timeout: MOST_MS },
    async (columns) => {
      const { folder, env } = PLAIN.includes(follow) ? plainFolder() : richFolder();
      const start: Walk["start"] = (args, more = {}) =>
        tested.start({ folder, args, columns, rows: 40, hasShell: true, env: { ...env, ...more } });
      const program = start(["--allowedTools", "Bash(seq:*),Bash(sleep:*)"]);
      const screens = new RecordedScreens(program, `${columns}-${name}`);
      await follow({ start, model: tested.model, screens });
      screens.end();
    },
  );
});
