/** Runs the commands that the user types after `!`, one at a time. */

import type { World } from "../shared/world.ts";
import { oneLine } from "../shared/words.ts";
import { OwnCommand } from "./own-command.ts";
import type { OwnOutput } from "./own-output.ts";
import type { Screen } from "./screen/screen.ts";
import { bold, red } from "./screen/style.ts";
import { needsTerminal, runInTerminal } from "./terminal-programs.ts";

interface Ports {
  readonly world: World;
  readonly screen: Pick<Screen, "requestRender" | "lend">;
  /** Adds the command to the transcript. */
  readonly add: (command: OwnCommand) => void;
  readonly note: (...lines: readonly string[]) => void;
  /** The model gets the output. */
  readonly onEnd: (output: OwnOutput) => void;
  /** A program that had the terminal has ended. */
  readonly onReturned: () => void;
}

export class OwnCommands {
  readonly #ports: Ports;
  #latest: OwnCommand | undefined;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  get isRunning(): boolean {
    return this.#latest?.isFinished === false;
  }

  /** The model does not see the output of a private command. */
  run(command: string, isPrivate: boolean): void {
    const { world, screen, add, note, onEnd } = this.#ports;
    if (this.isRunning) return note("Your command is still running. Press Esc to stop it.");
    if (needsTerminal(command)) return void this.#lendTo(command);
    this.#latest = new OwnCommand(command, {
      cwd: world.cwd,
      env: world.env,
      isPrivate,
      onChange: () => screen.requestRender(),
      onEnd: (output) => (isPrivate ? undefined : onEnd(output)),
    });
    add(this.#latest);
    screen.requestRender();
  }

  /** Stops the command and everything it has started. */
  async stop(): Promise<void> {
    await this.#latest?.stop();
  }

  async #lendTo(command: string): Promise<void> {
    const { world, screen, note, onReturned } = this.#ports;
    const failure = await screen.lend(() => runInTerminal(command, world));
    note(bold(`! ${oneLine(command)}`), ...(failure === "" ? [] : [red(failure)]));
    onReturned();
  }
}
