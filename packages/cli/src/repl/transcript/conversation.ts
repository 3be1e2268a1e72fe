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
  /** Why the session ends, for SessionEnd hooks. Undefined: the user leaves. */
  readonly #end: { reason: string | undefined };

  private constructor(
    world: World,
    listeners: Listeners,
    { flags, made, end }: { flags: RunFlags; made: CodingAgent; end: { reason: string | undefined } },
  ) {
    this.#end = end;
    this.#world = world;
    this.#listeners = listeners;
    this.#flags = flags;
    this.#made = made;
  }

  static async open(world: World, flags: RunFlags, given: Listeners): Promise<Conversation> {
    const end: { reason: string | undefined } = { reason: undefined };
    const listeners = { ...given, endReason: () => end.reason ?? "prompt_input_exit" };
    const made = await codingAgent(agentOptions(world, flags, listeners));
    return new Conversation(world, listeners, { flags, made, end });
  }

  get made(): CodingAgent {
    return this.#made;
  }

  /** Adds a folder to the workspace until the program ends, whatever replaces the agent. Returns its full path. */
  async addFolder(path: string): Promise<string> {
    const folder = await this.#made.addFolder(path, "slash_command");
    this.#flags = { ...this.#flags, addDir: [...(this.#flags.addDir ?? []), folder] };
    return folder;
  }

  /** Replaces the agent. The old conversation stays on disk, and continues if the new one cannot be opened. */
  async exchange(wish: Wish): Promise<void> {
    switch (wish.type) {
      case "clear":
        return this.#exchange(fresh(this.#flags), "clear");
      case "model":
        return this.#exchangeModel({ ...this.#same(), model: wish.name });
      case "effort":
        return this.#exchangeModel({ ...this.#same(), effort: wish.level });
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

  /** The session goes on, and with it the rules that the user added for it. */
  async #exchangeModel(flags: RunFlags): Promise<void> {
    const rules = this.#made.gate.sessionRules;
    try {
      await this.#exchange(flags);
    } finally {
      this.#made.gate.addRules(rules);
    }
  }

  /** `source` is the reason for the end of one session and the start of the next, for hooks. */
  async #exchange(flags: RunFlags, source?: "clear"): Promise<void> {
    const { mode } = this.#made.gate;
    const former = this.#same();
    this.#end.reason = source ?? "other";
    await this.#made.close();
    this.#end.reason = undefined;
    const listeners = source === undefined ? this.#listeners : { ...this.#listeners, startSource: source };
    try {
      this.#made = await codingAgent(agentOptions(this.#world, flags, listeners));
      this.#flags = flags;
    } catch (error) {
      this.#made = await codingAgent(agentOptions(this.#world, former, this.#listeners));
      throw error;
    } finally {
      const { gate } = this.#made;
      if (gate.modeObjection(mode) === undefined) gate.setMode(mode);
    }
  }
}

/** What holds for every conversation. Setup hooks run once, at the start of the program. */
function fresh(flags: RunFlags): RunFlags {
  const {
    resume: _resume,
    continue: _continue,
    forkSession: _fork,
    sessionId: _id,
    setup: _setup,
    ...others
  } = flags;
  return others;
}
