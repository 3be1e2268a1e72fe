/** The current agent, which can be replaced by another conversation or another model. */

import { type CodingAgent, type Listeners, codingAgent } from "@runahead/harness";
import { agentOptions } from "../../shared/agent-options.ts";
import type { RunFlags } from "../../shared/flags.ts";
import type { World } from "../../shared/world.ts";

/** A new conversation, the same one with another model or effort, or another session. */
export type Wish =
  | { readonly type: "clear" }
  | { readonly type: "model"; readonly name: string }
  | { readonly type: "effort"; readonly level: string }
  | {
      readonly type: "resume";
      readonly id: string;
      /** Works on a copy of the session. Default: false. */
      readonly isCopy?: boolean;
    };

export class Conversation {
  readonly #world: World;
  readonly #listeners: Listeners;
  #flags: RunFlags;
  #made: CodingAgent;

  private constructor(
    world: World,
    listeners: Listeners,
    { flags, made }: { flags: RunFlags; made: CodingAgent },
  ) {
    this.#world = world;
    this.#listeners = listeners;
    this.#flags = flags;
    this.#made = made;
  }

  static async open(world: World, flags: RunFlags, listeners: Listeners): Promise<Conversation> {
    return new Conversation(world, listeners, {
      flags,
      made: await codingAgent(agentOptions(world, flags, listeners)),
    });
  }

  get made(): CodingAgent {
    return this.#made;
  }

  /** Replaces the agent. The old conversation stays on disk, and continues if the new one cannot be opened. */
  async exchange(wish: Wish): Promise<void> {
    switch (wish.type) {
      case "clear":
        return this.#exchange(fresh(this.#flags));
      case "model":
        return this.#exchange({ ...this.#same(), model: wish.name });
      case "effort":
        return this.#exchange({ ...this.#same(), effort: wish.level });
      case "resume":
        return this.#exchange({
          ...fresh(this.#flags),
          resume: wish.id,
          ...(wish.isCopy === true ? { forkSession: true } : {}),
        });
    }
  }

  /** The id to resume with, or undefined if the session cannot be resumed. */
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
      this.#made = await codingAgent(agentOptions(this.#world, flags, this.#listeners));
      this.#flags = flags;
    } catch (error) {
      this.#made = await codingAgent(agentOptions(this.#world, former, this.#listeners));
      throw error;
    } finally {
      this.#made.gate.setMode(mode);
    }
  }
}

function fresh(flags: RunFlags): RunFlags {
  const { resume: _resume, continue: _continue, forkSession: _fork, sessionId: _id, ...others } = flags;
  return others;
}
