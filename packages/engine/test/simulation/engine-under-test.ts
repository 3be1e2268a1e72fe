/** The engine that is simulated: the sources, or a mutant of them. */

import { pathToFileURL } from "node:url";

export type Engine = typeof import("../../src/index.ts") &
  Pick<typeof import("../../src/core/step.ts"), "step"> &
  Pick<typeof import("../../src/core/turn.ts"), "newTurn"> &
  Pick<typeof import("../../src/runtime/locks.ts"), "isUnlocked">;

export async function loadEngine(folder: string): Promise<Engine> {
  const load = (file: string): Promise<object> => import(pathToFileURL(`${folder}/${file}`).href);
  const [index, step, turn, locks] = await Promise.all([
    load("index.ts"),
    load("core/step.ts"),
    load("core/turn.ts"),
    load("runtime/locks.ts"),
  ]);
  return { ...index, ...step, ...turn, ...locks } as Engine;
}
