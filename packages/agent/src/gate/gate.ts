/** Decides what an agent can do: by rules and a mode that can change, and by asking the user. */

import { type Answer, type Question, describeCall } from "@runahead/engine";
import {
  type PermissionOptions,
  type PermissionVerdict,
  type Permissions,
  type RuleChoice,
  type WorkspaceCopy,
  createPermissions,
  permissionMode,
} from "@runahead/permissions";
import { aFunction, aString, messageOf, required } from "@runahead/base";
import type { AutoJudge } from "./auto.ts";
import { aMode, checkFacts, checkGate, checkGranted, checkRules, checkSettings } from "./check-options.ts";
import type { GateOptions, GateSettings, GrantedRules, PersonAnswer, SessionRules } from "./gate-options.ts";
import { ownSignal, scopeOf, toAnswer } from "./person-answer.ts";
import { type WaitingCall, WaitingCalls } from "./waiting-calls.ts";
import type { CallFacts, PermissionRules, RuleVerdict } from "../loop/options.ts";

/**
 * Decides on calls by rules and a mode, which can change while calls wait, and asks the user about the rest.
 */
export class PermissionGate implements PermissionRules {
  readonly #options: GateOptions;
  readonly #listeners = new Set<() => void>();
  readonly #waiting = new WaitingCalls();
  #settings: GateSettings;
  #sessionRules: SessionRules = { allow: [], ask: [], deny: [] };
  #permissions: Permissions;
  readonly #granted = new Set<GrantedRules>();
  readonly #copies = new Set<WorkspaceCopy>();
  /** The same rules in other modes. */
  readonly #inMode = new Map<string, Permissions>();

  constructor(options: GateOptions) {
    checkGate(options);
    this.#options = options;
    this.#settings = options.settings;
    this.#permissions = this.#compile();
  }

  /** The current rules and mode. */
  get permissions(): Permissions {
    return this.#permissions;
  }

  /** The current mode. */
  get mode(): string {
    return this.#permissions.mode;
  }

  /**
   * Changes the mode. Calls that have not started are judged again, and questions that this settles are withdrawn
   * (D03). Throws a TypeError for an unknown mode, and an Error for one that the settings forbid.
   */
  setMode(mode: string): void {
    aMode(mode, "setMode: the mode");
    const why = this.modeObjection(mode);
    if (why !== undefined) throw new Error(`Cannot switch to ${mode}: ${why}.`);
    this.#replace({ ...this.#settings, mode });
  }

  /** Returns why the settings forbid a mode, in words; undefined if `setMode` accepts it, or does not know it. */
  modeObjection(mode: string): string | undefined {
    required(aString)(mode, "modeObjection: the mode");
    const { forbiddenModes = {} } = this.#settings;
    const name = permissionMode(mode) ?? mode;
    return Object.hasOwn(forbiddenModes, name) ? forbiddenModes[name] : undefined;
  }

  /**
   * Changes the mode and the rules. Also applies to calls that have not started (D04).
   */
  setSettings(settings: GateSettings): void {
    checkSettings(settings, "setSettings");
    this.#replace(settings);
  }

  /**
   * Adds rules until the returned function is called, for example while a prompt is answered. A deny of the settings
   * still wins. Throws a TypeError for rules that are not valid, and adds none of them.
   */
  grant(rules: GrantedRules): () => void {
    checkGranted(rules);
    this.#granted.add(rules);
    this.#change(() => this.#granted.delete(rules));
    return () => {
      if (this.#granted.delete(rules)) this.#change();
    };
  }

  /** The copies of the workspace that were added. */
  get copies(): readonly WorkspaceCopy[] {
    return [...this.#copies];
  }

  /**
   * Adds a copy of the workspace, such as a git worktree, until the returned function is called. Throws a TypeError if a
   * path is not absolute, and adds nothing.
   */
  addCopy(copy: WorkspaceCopy): () => void {
    this.#copies.add(copy);
    this.#change(() => this.#copies.delete(copy));
    return () => {
      if (this.#copies.delete(copy)) this.#change();
    };
  }

  /**
   * Adds rules for this session. They also apply to calls that have not started. Throws a TypeError for a misspelt list or
   * rules that are not text, and adds none of them.
   */
  addRules(rules: Partial<SessionRules>): void {
    checkRules(rules, "addRules");
    const { allow = [], ask = [], deny = [] } = rules;
    const before = this.#sessionRules;
    this.#sessionRules = {
      allow: [...before.allow, ...allow],
      ask: [...before.ask, ...ask],
      deny: [...before.deny, ...deny],
    };
    this.#change(() => (this.#sessionRules = before));
  }

  /** The rules that were added for this session. */
  get sessionRules(): SessionRules {
    return this.#sessionRules;
  }

  /**
   * Removes rules that were added for this session. Calls that have not started are judged again. Throws a TypeError for a
   * misspelt list or rules that are not text.
   */
  removeRules(rules: Partial<SessionRules>): void {
    checkRules(rules, "removeRules");
    const { allow = [], ask = [], deny = [] } = rules;
    const before = this.#sessionRules;
    this.#sessionRules = {
      allow: before.allow.filter((rule) => !allow.includes(rule)),
      ask: before.ask.filter((rule) => !ask.includes(rule)),
      deny: before.deny.filter((rule) => !deny.includes(rule)),
    };
    this.#change();
  }

  /** Judges calls that have not started again. Call it when something else changes that verdicts depend on. */
  judgeAgain(): void {
    this.#change();
  }

  /** The judge of auto mode, if there is one. */
  get judge(): AutoJudge | undefined {
    return this.#options.judge;
  }

  /** Returns the verdict on a call, without asking the user. */
  decide(toolName: string, input: unknown, facts: CallFacts): PermissionVerdict & RuleVerdict {
    checkFacts(facts, "decide");
    const verdict = this.#decide(toolName, input, { ...facts, permissions: this.#permissions });
    if (verdict.behavior !== "ask") return verdict;
    const check = this.#permissions.mayCheck(toolName, input, facts.cwd);
    return { ...verdict, check, isJudged: this.#isJudged(toolName, verdict, facts) };
  }

  /** Returns the verdict on a call as if another mode were set. Throws a TypeError for an unknown mode. */
  decideIn(
    toolName: string,
    input: unknown,
    facts: CallFacts & { readonly mode: string },
  ): PermissionVerdict & RuleVerdict {
    checkFacts(facts, "decideIn");
    const { mode } = facts;
    aMode(mode, "decideIn: the mode");
    const permissions = this.#inMode.get(mode) ?? this.#compile(mode);
    this.#inMode.set(mode, permissions);
    const verdict = this.#decide(toolName, input, { ...facts, permissions });
    if (verdict.behavior !== "ask") return verdict;
    return { ...verdict, check: permissions.mayCheck(toolName, input, facts.cwd), isJudged: false };
  }

  #isSandboxed(input: unknown, cwd: string): boolean {
    const { isSandboxed = false } = this.#options;
    return typeof isSandboxed === "function" ? isSandboxed(input, cwd) : isSandboxed;
  }

  #decide(
    toolName: string,
    input: unknown,
    { cwd, hookDecision, permissions }: CallFacts & { readonly permissions: Permissions },
  ): PermissionVerdict {
    const verdict = permissions.decide(toolName, input, cwd);
    const asking = this.#options.approvals?.alwaysAsks?.(toolName);
    if (verdict.behavior !== "deny" && asking !== undefined) return this.#askedTool(toolName, asking);
    if (verdict.behavior === "allow" && this.#options.approvals?.changedSinceApproval(toolName) === true)
      return this.#changedTool(toolName, verdict);
    // Only a question of the mode can be settled by a hook or the sandbox.
    if (verdict.behavior !== "ask" || verdict.by.type !== "mode") return verdict;
    if (hookDecision === "allow") return { ...verdict, behavior: "allow", reason: "Allowed by a hook." };
    // In plan mode a command must not change the workspace either, and the sandbox lets it.
    const isOpen = toolName === "Bash" && hookDecision !== "ask" && verdict.by.mode !== "plan";
    const isHeld = isOpen && this.#isSandboxed(input, cwd);
    return isHeld
      ? { ...verdict, behavior: "allow", reason: "Allowed because it runs in the sandbox." }
      : verdict;
  }

  /** Only the user can answer questions of a rule, a hook, a protected path or a changed tool. */
  #isJudged(toolName: string, { by }: PermissionVerdict, { hookDecision }: CallFacts): boolean {
    const isOpen = by.type === "mode" && by.mode === "auto" && hookDecision !== "ask";
    const { judge, approvals } = this.#options;
    return isOpen && judge !== undefined && approvals?.changedSinceApproval(toolName) !== true;
  }

  #changedTool(toolName: string, verdict: PermissionVerdict): PermissionVerdict {
    const reason = `The definition of ${toolName} changed since you approved it.`;
    return { ...verdict, behavior: this.#asking, reason };
  }

  #askedTool(toolName: string, source: string): PermissionVerdict {
    const reason = `Every call of ${toolName} needs approval (${source}).`;
    return { behavior: this.#asking, reason, by: { type: "rule", rule: toolName, source } };
  }

  /** The verdict on a call that needs an answer. */
  get #asking(): "ask" | "deny" {
    return this.mode === "dontAsk" ? "deny" : "ask";
  }

  /** Asks the user. The engine calls it for one question at a time. */
  readonly ask = async (question: Question): Promise<Answer> => {
    const { callId, tool, input } = question;
    const call = this.#waiting.find(callId, tool.name, input) ?? this.#waiting.add(callId, tool.name, input);
    try {
      return call.answer ?? (await this.#askPerson(question, call));
    } finally {
      this.#waiting.delete(call);
    }
  };

  /** Returns whether a rule denies the whole tool, so that the model does not see it. */
  isHidden(toolName: string): boolean {
    return this.#permissions.isHidden(toolName);
  }

  /** Notes that the user will be asked about a call, possibly long before the question is shown. */
  asks(callId: string, toolName: string, input: unknown): void {
    this.#waiting.add(callId, toolName, input);
  }

  /** Calls the listener when verdicts can change. Returns the function that removes it. */
  onChange(listener: () => void): () => void {
    required(aFunction)(listener, "onChange: the listener");
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      // Without listeners there is no turn, so open questions are obsolete.
      if (this.#listeners.size === 0) this.#waiting.clear();
    };
  }

  async #askPerson(question: Question, waiting: WaitingCall): Promise<Answer> {
    const { callId, tool, input, reason, signal, from } = question;
    const { askPerson } = this.#options;
    if (askPerson === undefined) return { behavior: "deny", message: reason, isUnanswered: true };
    const choices = this.#choices(tool.name, input, question.context.cwd);
    const description = describeCall(tool, input);
    const own = ownSignal(signal);
    let said: PersonAnswer;
    try {
      said = await askPerson({
        callId,
        toolName: tool.name,
        input,
        description,
        reason,
        choices,
        from,
        // More questions can come while this one is open.
        get waiting() {
          return question.waiting;
        },
        signal: own.signal,
      });
    } finally {
      own.release();
    }
    const answer = this.#permitted(question, toAnswer(said, reason));
    if (answer.behavior === "allow") this.#options.approvals?.approve(tool.name);
    // Identical calls that wait at this moment share the answer.
    this.#waiting.share(waiting, answer);
    if (said.type === "session" || said.type === "always")
      await this.#allow(said.rules ?? choices[0]?.rules ?? [], scopeOf(said, choices));
    return answer;
  }

  /** A changed input is another call, so deny rules apply to it as well (promise 3). */
  #permitted({ tool, context }: Question, answer: Answer): Answer {
    if (answer.behavior !== "allow" || answer.input === undefined) return answer;
    const { behavior, reason } = this.decide(tool.name, answer.input, {
      cwd: context.cwd,
      hookDecision: undefined,
    });
    if (behavior !== "deny") return answer;
    return { behavior: "deny", message: reason ?? "The changed input is denied.", endTurn: false };
  }

  /** No rule allows a tool that always asks. For a changed tool, the only choice is to approve its current definition. */
  #choices(toolName: string, input: unknown, cwd: string): readonly RuleChoice[] {
    const { approvals } = this.#options;
    if (approvals?.alwaysAsks?.(toolName) !== undefined) return [];
    const hasChanged = approvals?.changedSinceApproval(toolName) === true;
    if (!hasChanged) return this.#permissions.choices(toolName, input, cwd);
    return [
      {
        label: `Allow ${toolName} with its current definition`,
        rules: [toolName],
        scopes: ["session", "always"],
      },
    ];
  }

  async #allow(rules: readonly string[], scope: "session" | "always"): Promise<void> {
    this.addRules({ allow: rules });
    const { save, onNotice } = this.#options;
    if (scope !== "always" || save === undefined) return;
    for (const rule of rules) {
      await save(rule).catch((error: unknown) => {
        onNotice?.(`Cannot save the rule ${rule}: ${messageOf(error)}. It applies to this session only.`);
      });
    }
  }

  #replace(settings: GateSettings): void {
    const before = this.#settings;
    this.#settings = settings;
    this.#change(() => (this.#settings = before));
  }

  /** Compiles the rules after a change. If they are not valid, the change is taken back. */
  #change(takeBack: () => void = () => {}): void {
    try {
      this.#permissions = this.#compile();
    } catch (error) {
      takeBack();
      throw error;
    }
    this.#inMode.clear();
    for (const listener of this.#listeners) listener();
  }

  #compile(otherMode?: string): Permissions {
    const { cwd = process.cwd() } = this.#options;
    const { mode, sources, isTrusted = this.#options.trusted ?? true } = this.#settings;
    const granted = [...this.#granted].map((rules) => ({ ...rules, root: cwd, trusted: true }));
    const ofSession = { name: "this session", root: cwd, trusted: true, ...this.#sessionRules };
    return createPermissions({
      ...forPermissions(this.#options),
      trusted: isTrusted,
      copies: [...this.#copies],
      settings: { mode: otherMode ?? mode, sources: [ofSession, ...granted, ...sources] },
    });
  }
}

/** Returns the options that permissions share. */
function forPermissions({
  settings: _settings,
  askPerson: _askPerson,
  approvals: _approvals,
  isSandboxed: _isSandboxed,
  judge: _judge,
  save: _save,
  onNotice: _onNotice,
  ...options
}: GateOptions): Omit<PermissionOptions, "settings"> {
  return options;
}

/**
 * Creates a gate: the rules and the mode of an agent, and the questions for the user.
 *
 * Throws a `TypeError` for invalid options, such as an unknown mode or a misspelt list of rules.
 *
 * @example
 * ```ts
 * import { anthropic, createAgent, createPermissionGate } from "@runahead/agent";
 *
 * const rules = { name: "mine", root: process.cwd(), allow: ["Read"], deny: ["Bash(rm:*)"] };
 * const permissions = createPermissionGate({
 *   settings: { mode: "default", sources: [rules] },
 *   askPerson: ({ description }) => (description.startsWith("Look") ? { type: "once" } : { type: "no" }),
 * });
 * const agent = createAgent({ model: anthropic({ model: "claude-sonnet-4-6" }), tools: [], permissions });
 * ```
 */
export function createPermissionGate(options: GateOptions): PermissionGate {
  return new PermissionGate(options);
}
