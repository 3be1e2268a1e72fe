/** What each sub-agent wrote and called, by its id: to watch one while it works, or to read it afterwards. */

import type { AgentView, ViewStep } from "@runahead/harness";
import { strip } from "../../shared/safe-text.ts";
import { cyan } from "../screen/style.ts";
import { AgentLog } from "./agent-log.ts";
import { stateWords, wordsOf } from "./nested.ts";
import { linesOf } from "./result-lines.ts";

/** The logs of the oldest sub-agents above this number are dropped. */
const MOST_AGENTS = 200;

interface Followed {
  readonly log: AgentLog;
  view: AgentView;
}

export class AgentLogs {
  readonly #agents = new Map<string, Followed>();

  hear(step: ViewStep): void {
    const { agent } = step;
    const followed = this.#agents.get(agent.id) ?? this.#newLog(agent);
    followed.view = agent;
    followed.log.hear(step);
  }

  forget(): void {
    this.#agents.clear();
  }

  /** What it did so far, its calls that run now, and the text that it is writing. */
  linesOf(id: string, nowMs: number): readonly string[] {
    const followed = this.#agents.get(id);
    if (followed === undefined) return [];
    const { log, view } = followed;
    const { turn } = view;
    if (turn?.stop !== "open") return log.lines;
    const calls = [...turn.openCalls.values()].map((call) =>
      cyan(strip(`${wordsOf(call)} · ${stateWords(call, nowMs)}`)),
    );
    const text = log.newText(turn);
    return [...log.lines, ...(text === "" ? [] : linesOf(text)), ...calls];
  }

  #newLog(view: AgentView): Followed {
    const followed = { log: new AgentLog({ isFlat: true }), view };
    this.#agents.set(view.id, followed);
    const [oldest] = this.#agents.keys();
    if (this.#agents.size > MOST_AGENTS && oldest !== undefined) this.#agents.delete(oldest);
    return followed;
  }
}
