/** What an agent is permitted while it runs: rules and a mode that can change, and a person who may be asked. */

import { type Answer, type Question, describeCall } from "@runahead/engine";
import {
  type PermissionOptions,
  type PermissionSource,
  type Permissions,
  type RuleChoice,
  createPermissions,
  type Verdict,
} from "@runahead/permissions";
import { messageOf } from "@runahead/base";
import type { AutoJudge } from "./auto.ts";
import type { CallFacts, PermissionRules, RuleVerdict } from "../loop/options.ts";

/** One question to a person, with all that they need to answer it. */
export interface PersonQuestion {
  readonly callId: string;
  readonly toolName: string;
  readonly input: unknown;
  /** What the call does, in one line. */
  readonly description: string;
  readonly reason: string;
  /** What the person can allow beyond this call, the narrowest first; none where no rule can allow it. */
  readonly choices: readonly RuleChoice[];
  /** The kind of sub-agent that asks; undefined where it is the agent itself. */
  readonly from: string | undefined;
  /** How many wait behind this one. */
  readonly waiting: number;
  /** Aborted when it is withdrawn. */
  readonly signal: AbortSignal;
}

export type PersonAnswer =
  | { readonly type: "once" }
  /** With the rules of one of the choices. Default: those of the first. */
  | { readonly type: "session" | "always"; readonly rules?: readonly string[] }
  /** Without words it ends the turn. */
  | { readonly type: "no"; readonly message?: string }
  /** The question's signal was aborted before there was an answer. A "no" would count as one. */
  | { readonly type: "withdrawn" };

export interface GateOptions extends Omit<PermissionOptions, "settings"> {
  /** As the loader of settings gives them. */
  readonly settings: GateSettings;
  /** Without one, what must be asked is not run. */
  readonly askPerson?: (question: PersonQuestion) => PersonAnswer | Promise<PersonAnswer>;
  /** Tools that are not what they were when they were approved: asked about, whatever the rules say (H05). */
  readonly approvals?: Approvals;
  /** Commands run in a sandbox: what only the mode would ask about is allowed. */
  readonly isSandboxed?: boolean;
  /** In auto mode, decides on calls that only the mode asks about. Without one, a person is asked. */
  readonly judge?: AutoJudge;
  /** Keeps a rule for good. What fails is told, and the rule holds for the session. */
  readonly save?: (rule: string) => Promise<void>;
  readonly onNotice?: (message: string) => void;
}

/** What servers offer is approved as it is: when it becomes another thing, it is asked about again. */
export interface Approvals {
  changedSinceApproval(toolName: string): boolean;
  approve(toolName: string): void;
}

export interface GateSettings {
  readonly mode: string;
  readonly sources: readonly PermissionSource[];
  /** Whether the folder is trusted. Default: as `trusted` says. */
  readonly isTrusted?: boolean;
}

/** A call that waits for an answer, by what it would do. */
interface Pending {
  readonly key: string;
  answer: Answer | undefined;
}

export class PermissionGate implements PermissionRules {
  readonly #options: GateOptions;
  readonly #listeners = new Set<() => void>();
  readonly #pending = new Map<string, Pending>();
  #settings: GateSettings;
  #sessionRules: readonly string[] = [];
  #permissions: Permissions;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#settings = options.settings;
    this.#permissions = this.#compile();
  }

  get permissions(): Permissions {
    return this.#permissions;
  }

  get mode(): string {
    return this.#permissions.mode;
  }

  /** What has not started is judged by the new mode; questions that it answers are withdrawn (D03). */
  setMode(mode: string): void {
    this.#change({ ...this.#settings, mode });
  }

  /** Settings have changed: an allow that was taken away counts no longer (D04). */
  setSettings(settings: GateSettings): void {
    this.#change(settings);
  }

  /** What verdicts depend on beside the settings has changed. */
  judgeAgain(): void {
    this.#change(this.#settings);
  }

  get judge(): AutoJudge | undefined {
    return this.#options.judge;
  }

  decide(toolName: string, input: unknown, facts: CallFacts): Verdict & RuleVerdict {
    const verdict = this.#decide(toolName, input, facts);
    if (verdict.behavior !== "ask") return verdict;
    const check = this.#permissions.mayCheck(toolName, input, facts.cwd);
    return { ...verdict, check, isJudged: this.#isJudged(toolName, verdict, facts) };
  }

  #decide(toolName: string, input: unknown, { cwd, hookDecision }: CallFacts): Verdict {
    const verdict = this.#permissions.decide(toolName, input, cwd);
    if (verdict.behavior === "allow" && this.#options.approvals?.changedSinceApproval(toolName) === true)
      return this.#changedTool(toolName, verdict);
    // The question that a mode asks may be answered by a hook or by the sandbox, and no other.
    if (verdict.behavior !== "ask" || verdict.by.type !== "mode") return verdict;
    if (hookDecision === "allow") return { ...verdict, behavior: "allow", reason: "A hook allowed it." };
    const isHeld = this.#options.isSandboxed === true && toolName === "Bash" && hookDecision !== "ask";
    return isHeld ? { ...verdict, behavior: "allow", reason: "It runs in the sandbox." } : verdict;
  }

  /** What a rule, a hook, a protected place or a changed tool asks about is for the person alone. */
  #isJudged(toolName: string, { by }: Verdict, { hookDecision }: CallFacts): boolean {
    const isOpen = by.type === "mode" && by.mode === "auto" && hookDecision !== "ask";
    const { judge, approvals } = this.#options;
    return isOpen && judge !== undefined && approvals?.changedSinceApproval(toolName) !== true;
  }

  #changedTool(toolName: string, verdict: Verdict): Verdict {
    const behavior = this.mode === "dontAsk" ? "deny" : "ask";
    return { ...verdict, behavior, reason: `${toolName} is not what it was when it was approved.` };
  }

  /** Called by the engine, for one question at a time. */
  readonly ask = async (question: Question): Promise<Answer> => {
    const { callId, tool, input } = question;
    const pending = this.#pending.get(callId) ?? this.#wait(callId, tool.name, input);
    try {
      return pending.answer ?? (await this.#askPerson(question, pending));
    } finally {
      this.#pending.delete(callId);
    }
  };

  isHidden(toolName: string): boolean {
    return this.#permissions.isHidden(toolName);
  }

  /** A call that must be asked about; told when the verdict is reached, which may be long before its question is put. */
  asks(callId: string, toolName: string, input: unknown): void {
    this.#wait(callId, toolName, input);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      // No turn is under way: what was to be asked about and never was is over.
      if (this.#listeners.size === 0) this.#pending.clear();
    };
  }

  #wait(callId: string, toolName: string, input: unknown): Pending {
    const pending: Pending = { key: `${toolName} ${JSON.stringify(input)}`, answer: undefined };
    this.#pending.set(callId, pending);
    return pending;
  }

  async #askPerson(question: Question, { key }: Pending): Promise<Answer> {
    const { callId, tool, input, reason, signal, from } = question;
    const { askPerson } = this.#options;
    if (askPerson === undefined) return { behavior: "deny", message: reason, isUnanswered: true };
    const choices = this.#choices(tool.name, input, question.context.cwd);
    const description = describeCall(tool, input);
    const said = await askPerson({
      callId,
      toolName: tool.name,
      input,
      description,
      reason,
      choices,
      from,
      // More may come while it is open.
      get waiting() {
        return question.waiting;
      },
      signal,
    });
    const answer = toAnswer(said);
    if (answer.behavior === "allow") this.#options.approvals?.approve(tool.name);
    // Those that ask the same share the answer, as far as they were waiting when it was given.
    for (const other of this.#pending.values()) if (other.key === key) other.answer ??= answer;
    if (said.type === "session" || said.type === "always")
      await this.#allow(said.rules ?? choices[0]?.rules ?? [], scopeOf(said, choices));
    return answer;
  }

  /** For a changed tool, the rule that allows it already: saying so again approves it as it is now. */
  #choices(toolName: string, input: unknown, cwd: string): readonly RuleChoice[] {
    const hasChanged = this.#options.approvals?.changedSinceApproval(toolName) === true;
    if (!hasChanged) return this.#permissions.choices(toolName, input, cwd);
    return [{ label: `Allow ${toolName} as it is now`, rules: [toolName], scopes: ["session", "always"] }];
  }

  async #allow(rules: readonly string[], scope: "session" | "always"): Promise<void> {
    this.#sessionRules = [...this.#sessionRules, ...rules];
    this.#change(this.#settings);
    const { save, onNotice } = this.#options;
    if (scope !== "always" || save === undefined) return;
    for (const rule of rules) {
      await save(rule).catch((error: unknown) => {
        onNotice?.(`The rule ${rule} holds for this session and could not be saved: ${messageOf(error)}`);
      });
    }
  }

  #change(settings: GateSettings): void {
    this.#settings = settings;
    this.#permissions = this.#compile();
    for (const listener of this.#listeners) listener();
  }

  #compile(): Permissions {
    const { cwd = process.cwd() } = this.#options;
    const { mode, sources, isTrusted = this.#options.trusted ?? true } = this.#settings;
    const ofSession = { name: "this session", root: cwd, trusted: true, allow: this.#sessionRules };
    return createPermissions({
      ...this.#options,
      trusted: isTrusted,
      settings: { mode, sources: [ofSession, ...sources] },
    });
  }
}

function toAnswer(said: PersonAnswer): Answer {
  switch (said.type) {
    case "once":
    case "session":
    case "always":
      return { behavior: "allow" };
    case "no":
      return said.message === undefined ? { behavior: "deny" } : { behavior: "deny", message: said.message };
    case "withdrawn":
      throw new Error("The question was withdrawn.");
    default:
      throw new TypeError(`askPerson answered ${JSON.stringify(said)}, which is not an answer.`);
  }
}

/** A choice that is offered for the session only is never saved. */
function scopeOf(
  { type, rules }: Extract<PersonAnswer, { type: "session" | "always" }>,
  choices: readonly RuleChoice[],
): "session" | "always" {
  const isSame = (choice: RuleChoice): boolean => choice.rules.join("\n") === rules?.join("\n");
  const choice = rules === undefined ? choices[0] : choices.find(isSame);
  return choice?.scopes.includes(type) === false ? "session" : type;
}
