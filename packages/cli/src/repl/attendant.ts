/** Keeps the terminal's title up to date, and notifies the user when the program needs them or is done. */

import { basename } from "node:path";
import type { World } from "../shared/world.ts";
import { CLOCK, type Clock } from "./input/attention.ts";
import {
  type Channel,
  RESTORE_TITLE,
  SAVE_TITLE,
  channelsOf,
  hasTitle,
  notification,
  progress,
  title,
} from "./screen/signals.ts";

export type State = "ready" | "working" | "needs you";

/** A question that is answered sooner needs no notification. */
const ASKED_MS = 5_000;
/** A shorter prompt is watched by the user. */
const LEAST_WORK_MS = 10_000;

const PROGRESS = { ready: "off", working: "busy", "needs you": "paused" } as const;

interface Ports {
  readonly world: World;
  readonly send: (bytes: string) => void;
  readonly clock?: Clock;
  readonly now?: () => number;
}

export class Attendant {
  readonly #ports: Ports;
  readonly #hasTitle: boolean;
  #channels: readonly Channel[] | undefined;
  #hasProgressBar = false;
  #state: State | undefined;
  #sinceMs = 0;
  #pressedMs = Number.NEGATIVE_INFINITY;
  #stop = (): void => {};
  /** A notification is due if no key is pressed. */
  #isTimed = false;

  constructor(ports: Ports) {
    this.#ports = ports;
    this.#hasTitle = hasTitle(ports.world.env);
  }

  /** `setting` is the value of `preferredNotifChannel`. */
  configure(setting: unknown, hasProgressBar = false): void {
    this.#channels = channelsOf(setting, this.#ports.world.env);
    this.#hasProgressBar = hasProgressBar;
  }

  /** The user pressed a key, so that no notification is needed now. */
  pressed(): void {
    this.#pressedMs = this.#now();
    if (!this.#isTimed) return;
    this.#stop();
    this.#later();
  }

  /** Called with every frame. */
  update(state: State): void {
    const before = this.#state;
    if (state === before) return;
    if (before === undefined && this.#hasTitle) this.#ports.send(SAVE_TITLE);
    this.#state = state;
    if (this.#hasTitle) this.#ports.send(title(`${basename(this.#ports.world.cwd)} · ${state}`));
    if (this.#hasProgressBar) this.#ports.send(progress(PROGRESS[state]));
    this.#stop();
    if (state === "needs you") this.#later();
    if (state === "working" && before !== "needs you") this.#sinceMs = this.#now();
    if (state === "ready" && before !== undefined) this.#done();
  }

  /** Gives the terminal its title back. */
  end(): void {
    this.#stop();
    if (this.#state !== undefined && this.#hasProgressBar) this.#ports.send(progress("off"));
    if (this.#state !== undefined && this.#hasTitle) this.#ports.send(RESTORE_TITLE);
    this.#state = undefined;
  }

  #done(): void {
    const isLong = this.#now() - this.#sinceMs >= LEAST_WORK_MS;
    if (isLong && this.#now() - this.#pressedMs >= ASKED_MS) this.#notify("The prompt was answered.");
  }

  /** Notifies once, when no key was pressed for a while. */
  #later(): void {
    const { clock = CLOCK } = this.#ports;
    this.#isTimed = true;
    const cancel = clock.after(ASKED_MS, () => {
      this.#isTimed = false;
      this.#notify("A question is waiting for your answer.");
    });
    this.#stop = () => {
      cancel();
      this.#isTimed = false;
    };
  }

  #notify(message: string): void {
    if (this.#channels !== undefined) this.#ports.send(notification(this.#channels, message));
  }

  #now(): number {
    return (this.#ports.now ?? (() => performance.now()))();
  }
}
