/** `/tasks`: background commands and agents, to read and stop. */

import { strip } from "../../shared/safe-text.ts";
import { oneLine, plural } from "../../shared/words.ts";
import type { CommandPorts } from "./ports.ts";

/** Lists what runs in the background until the user closes the list. */
export async function tasks({ made, choose, show }: CommandPorts): Promise<string[]> {
  const done: string[] = [];
  for (;;) {
    const running = made().agent.background;
    if (running.length === 0) return [...done, "Nothing is running in the background."];
    const id = await choose({
      title: plural(running.length, "background task"),
      choices: running.map((task) => ({
        value: task.id,
        label: oneLine(task.id),
        description: `${task.kind}: ${oneLine(task.description)}`,
      })),
    });
    const task = running.find((one) => one.id === id);
    if (task === undefined) return done;
    const wanted = await choose({
      title: oneLine(`${task.id}: ${task.description}`),
      choices: [
        { value: "read", label: "Show its latest output" },
        { value: "stop", label: "Stop it" },
      ],
    });
    if (wanted === "read") await show({ title: task.id, lines: strip(await task.read()).split("\n") });
    if (wanted === "stop") done.push(oneLine(await task.stop()));
  }
}
