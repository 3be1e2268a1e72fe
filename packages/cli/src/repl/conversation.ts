/** The agent that is talked to, which can be exchanged: for a new conversation, or for another model. */

import { type Assembled, type Listeners, assemble } from "../run/assemble.ts";
import type { RunFlags } from "../run/flags.ts";
import type { World } from "../world.ts";

export class Conversation {
  readonly #world: World;
  readonly #listeners: Listeners;
  #flags: RunFlags;
  #made: Assembled;

  private constructor(
    world: World,
    listeners: Listeners,
    { flags, made }: { flags: RunFlags; made: Assembled },
  ) {
    this.#world = world;
    this.#listeners = listeners;
    this.#flags = flags;
    this.#made = made;
  }

  static async open(world: World, flags: RunFlags, listeners: Listeners): Promise<Conversation> {
    return new Conversation(world, listeners, { flags, made: await assemble(world, flags, listeners) });
  }

  get made(): Assembled {
    return this.#made;
  }

  /** Forgets what was said. What was is kept on disk. */
  async clear(): Promise<void> {
    await this.#exchange(fresh(this.#flags));
  }

  /** The same conversation with another model; where there is none of that name, with the one it had. */
  async changeModel(model: string): Promise<void> {
    await this.#exchange({ ...this.#same(), model });
  }

  /** Undefined where it could not be gone on with. */
  get resumeId(): string | undefined {
    const { session, agent } = this.#made;
    return session !== undefined && session.isSaved && agent.messages.length > 0 ? session.id : undefined;
  }

  #same(): RunFlags {
    const { session, agent } = this.#made;
    const flags = fresh(this.#flags);
    return session === undefined || agent.messages.length === 0 ? flags : { ...flags, resume: session.id };
  }

  async #exchange(flags: RunFlags): Promise<void> {
    const { mode } = this.#made.gate;
    const former = this.#same();
    await this.#made.close();
    try {
      this.#made = await assemble(this.#world, flags, this.#listeners);
      this.#flags = flags;
    } catch (error) {
      this.#made = await assemble(this.#world, former, this.#listeners);
      throw error;
    } finally {
      this.#made.gate.setMode(mode);
    }
  }
}

function fresh(flags: RunFlags): RunFlags {
  const { resume: _resume, continue: _continue, forkSession: _fork, ...others } = flags;
  return others;
}
