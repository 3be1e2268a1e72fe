/** The commands whose calls wait for them. Each can be moved to the background by a person or at its time limit. */

/** What became of a command that was to be moved to the background. */
export type MovedCommand =
  | {
      /** It goes on as a background job, and its call returns at once. */
      readonly type: "moved";
      /** Id of the call. */
      readonly callId: string;
    }
  | {
      readonly type: "refused";
      /** Why, for a person. */
      readonly reason: string;
    };

/** A command that runs in the foreground: its call waits for it. */
export interface ForegroundCommand {
  /** Id of the call. */
  readonly callId: string;
  /** The command. */
  readonly command: string;
}

/** The call returns, and its command goes on. */
export interface Moved {
  readonly type: "moved";
  /** Who wanted it. */
  readonly reason: "user" | "limit";
}

export function isMoved(value: unknown): value is Moved {
  return (value as Partial<Moved> | undefined)?.type === "moved";
}

interface Entry extends ForegroundCommand {
  /** Moves it to the background after this time; undefined: never. */
  readonly limitMs: number | undefined;
}

interface Waiting {
  /** Resolves if the command is to go on in the background. */
  readonly moved: Promise<Moved>;
  /** Call when the call no longer waits. */
  leave(): void;
}

export class Foreground {
  readonly #running = new Map<string, { readonly command: string; readonly move: () => void }>();

  enter({ callId, command, limitMs }: Entry): Waiting {
    let timer: NodeJS.Timeout | undefined;
    const moved = new Promise<Moved>((resolve) => {
      this.#running.set(callId, { command, move: () => resolve({ type: "moved", reason: "user" }) });
      if (limitMs !== undefined)
        timer = setTimeout(() => resolve({ type: "moved", reason: "limit" }), limitMs);
    });
    return {
      moved,
      leave: () => {
        clearTimeout(timer);
        this.#running.delete(callId);
      },
    };
  }

  /** Returns false if no call with this id waits for a command. */
  move(callId: string): boolean {
    const found = this.#running.get(callId);
    found?.move();
    this.#running.delete(callId);
    return found !== undefined;
  }

  list(): ForegroundCommand[] {
    return [...this.#running].map(([callId, { command }]) => ({ callId, command }));
  }
}
