/** Starts and continues sub-agents of one agent. */

import { Refused } from "./refused.ts";
import type { AnyTool, CallContext, Question } from "@runahead/engine";
import { type LoopOptions, judgeOf, toolsNow } from "../loop/options.ts";
import { partsOf } from "../loop/query.ts";
import type { Compacting } from "../loop/compacting.ts";
import type { Model } from "../model/event.ts";
import { factsOf, loweredWindow } from "../model/models.ts";
import type { AgentAbout } from "../session/entry.ts";
import type { Session } from "../session/session.ts";
import type { AgentInput } from "./agent-input.ts";
import { AgentRecord } from "./agent-record.ts";
import type { Member } from "./binding.ts";
import { type AgentDefinition, judgeFor, limitsOf, offers } from "./definitions.ts";
import type { Presence } from "./presence.ts";
import type { AgentToolOptions } from "./sub-agent.ts";
import { AgentReports, WaitingCall } from "./agent-reports.ts";
import { SubAgent } from "./sub-agent-run.ts";
import type { ToolLimits } from "./tool-limits.ts";
import type { Worktree } from "./worktree.ts";

/** The caller's rules already decide in `canUseTool`, so the sub-agent has no rules of its own. */
const ALLOW = { behavior: "allow" } as const;
const NEVER = new AbortController().signal;
const WHAT_NEXT =
  "You are notified when it ends. TaskOutput returns its state, SendMessage sends it a message, TaskStop stops it.";

export interface StarterPorts {
  readonly made: AgentToolOptions;
  readonly member: Member;
  /** Returns the Agent tool of a sub-agent, if it can have one. */
  readonly nested: (own: Member, limits: ToolLimits) => AnyTool[];
  /** Returns the definition; throws if there is none. */
  readonly find: (name?: string) => AgentDefinition;
  /** Whether results name the id, so that the model can continue the sub-agent. */
  readonly canContinue: boolean;
}

/** Where a sub-agent's calls are judged, and where it works. */
type Caller = Pick<CallContext, "callId" | "cwd" | "permissions">;

interface Plan {
  readonly id: string;
  readonly about: AgentAbout;
  readonly definition: AgentDefinition;
  readonly caller: Caller;
  readonly session: Session | undefined;
  readonly worktree: Worktree | undefined;
  /** The conversation of a sub-agent that continues without a journal, and the messages that it had not read. */
  readonly before?: Compacting;
  readonly unread?: readonly string[];
}

export class Starter {
  readonly #ports: StarterPorts;

  constructor(ports: StarterPorts) {
    this.#ports = ports;
  }

  async start(input: AgentInput, context: CallContext): Promise<string> {
    const { tree, id: parent } = this.#ports.member;
    const isBackground = input.run_in_background ?? this.#isBackground(input);
    if (isBackground && parent !== undefined)
      throw new Refused(
        "Only the main agent can start sub-agents in the background. Leave run_in_background out.",
      );
    if (input.resume !== undefined) {
      const { resume } = input;
      return tree.running(resume) === undefined
        ? this.#launch(await this.#continued(resume, context, isBackground), input.prompt, context)
        : this.deliver(resume, input.prompt);
    }
    return this.#launch(await this.#new(input, context, isBackground), input.prompt, context);
  }

  /** A definition can say so, for sub-agents that the main agent starts. */
  #isBackground({ resume, subagent_type }: AgentInput): boolean {
    const { member, find } = this.#ports;
    return resume === undefined && member.id === undefined && find(subagent_type).background === true;
  }

  /** Sends a message to a sub-agent: one that has ended continues, and its answer is returned. */
  async send(id: string, message: string, context: CallContext): Promise<string> {
    if (this.#ports.member.tree.running(id) !== undefined) return this.deliver(id, message);
    return this.#launch(await this.#continued(id, context, false), message, context);
  }

  deliver(id: string, message: string): string {
    this.#ports.member.tree.running(id)?.send(message);
    return `Sent to ${id}, which is at work. It reads the message after its current turn.`;
  }

  /** For a message of the user to a sub-agent that has ended. The main agent's model hears of the end. */
  async continueInBackground(id: string, text: string): Promise<void> {
    const { options } = this.#ports.made;
    const ask = options.ask ?? options.permissions?.ask;
    const { questions } = this.#ports.member.tree;
    const permissions = {
      canUseTool: judgeOf(options) ?? (() => ALLOW),
      ask:
        ask === undefined
          ? () => ({ behavior: "deny", message: "There is nobody to ask." }) as const
          : questions.in(ask),
    };
    const caller: Caller = { callId: "", cwd: options.cwd ?? process.cwd(), permissions };
    this.#inBackground(await this.#continued(id, caller, true), text);
  }

  async #new(input: AgentInput, caller: Caller, isBackground: boolean): Promise<Plan> {
    const { member, made, find } = this.#ports;
    const definition = find(input.subagent_type);
    modelOf(made, input.model);
    const { tree } = member;
    const id = await tree.newId();
    const isolation = input.isolation ?? definition.isolation;
    const { options, worktree: settings } = made;
    const wanted = { cwd: caller.cwd, options, settings };
    const worktree = isolation === undefined ? undefined : await tree.worktrees.make(id, wanted);
    const about: AgentAbout = {
      type: definition.name,
      description: input.description,
      callId: caller.callId,
      isBackground,
      ...(member.id === undefined ? {} : { parent: member.id }),
      ...(input.model === undefined ? {} : { model: input.model }),
      ...(worktree === undefined ? {} : { worktree: worktree.path }),
    };
    return { id, about, definition, caller, session: tree.session?.agents?.create(id, about), worktree };
  }

  /** Opens what is there of a sub-agent that has ended: its journal, or its conversation in memory. */
  async #continued(id: string, caller: Caller, isBackground: boolean): Promise<Plan> {
    const { member, made, find } = this.#ports;
    const { tree } = member;
    await tree.kept(id)?.settle();
    const journal = await tree.session?.agents?.open(id);
    const kept = journal === undefined ? tree.kept(id) : undefined;
    const known = journal?.about ?? (kept === undefined ? undefined : aboutOf(kept.record));
    if (known === undefined)
      throw new Refused(`There is no sub-agent ${id}. ${knownIds(tree.infos.map((info) => info.id))}`);
    const about: AgentAbout = { ...known, callId: caller.callId, isBackground };
    const definition = find(about.type);
    const { options, worktree: settings } = made;
    const wanted = { cwd: caller.cwd, options, settings };
    const worktree =
      known.worktree === undefined ? undefined : await tree.worktrees.reopen(known.worktree, wanted);
    const before = kept?.loop;
    const common = { id, about, definition, caller, session: journal?.session, worktree };
    return before === undefined ? common : { ...common, before, unread: kept?.unread ?? [] };
  }

  async #launch(plan: Plan, prompt: string, context: CallContext): Promise<string> {
    if (plan.about.isBackground) return this.#inBackground(plan, prompt, context);
    const agent = this.#agent(plan);
    const call = new WaitingCall(context);
    const reports = new AgentReports(plan, this.#ports.member.tree, call);
    const { report } = reports;
    const done = this.#ports.member.presence?.delegates();
    const moved = new Promise<void>((resolve) => {
      agent.onMoved = () => {
        call.leave();
        resolve();
      };
    });
    try {
      const ended = agent.run(prompt, { signal: call.signal, report });
      const text = await Promise.race([ended, moved]);
      if (text !== undefined) return text;
      reports.move();
      this.#announceEnd(agent, ended);
      return `The user moved ${plan.id} to the background, where it goes on. ${WHAT_NEXT}`;
    } finally {
      call.leave();
      done?.();
    }
  }

  #inBackground(plan: Plan, prompt: string, context?: CallContext): string {
    const { tree } = this.#ports.member;
    const agent = this.#agent(plan);
    const { report } = new AgentReports(
      plan,
      tree,
      context === undefined ? undefined : new WaitingCall(context),
    );
    this.#announceEnd(agent, agent.run(prompt, { signal: NEVER, report }));
    return `Started ${plan.id} in the background. ${WHAT_NEXT}`;
  }

  /** The main agent's model is notified when a sub-agent in the background has ended. */
  #announceEnd(agent: SubAgent, ended: Promise<string>): void {
    const { tree } = this.#ports.member;
    const { id, type, description } = agent.record;
    void ended.then(() => {
      const { state } = agent.record;
      tree.onEvent({ type: "task-ended", id, kind: "agent", description, state });
      tree.addNews(
        () => {
          const text = agent.takeUnread();
          return text === undefined
            ? undefined
            : `Background sub-agent ${id} (${type}: ${description}) ended (${state}). Its result:\n${text}`;
        },
        () => void agent.settle(),
      );
    });
  }

  #agent(plan: Plan): SubAgent {
    const { made, member, canContinue } = this.#ports;
    const { id, about, worktree, unread } = plan;
    const { type, description, callId, isBackground, parent } = about;
    const facts = { id, type, description, parent, callId, isBackground };
    const record = member.tree.record(id) ?? new AgentRecord(facts);
    record.isBackground = isBackground;
    const epilogue = `[${id}: to continue it with its context, use SendMessage.]`;
    return new SubAgent({
      record,
      tree: member.tree,
      partsOf: (presence) => this.#partsOf(plan, presence),
      ...(worktree === undefined ? {} : { afterwards: () => worktree.finish() }),
      ...(canContinue ? { epilogue } : {}),
      ...(unread === undefined ? {} : { unread }),
      addHooks: () => this.#addHooks(plan),
      begin: (signal) => made.begin?.(plan.definition, signal) ?? Promise.resolve(async () => {}),
    });
  }

  /** The hooks of its definition run while it works. */
  #addHooks({ id, definition }: Plan): () => void {
    const { hooks, cwd = process.cwd() } = this.#ports.made.options;
    const { hooks: own, name } = definition;
    if (own === undefined || hooks === undefined || !("add" in hooks)) return () => {};
    const config = { source: `the sub-agent ${name}`, root: cwd, trusted: true, hooks: own };
    return hooks.add(config, { agent: { id, type: name } });
  }

  #partsOf(plan: Plan, presence: Presence): Compacting {
    const { member } = this.#ports;
    const { id, definition, before } = plan;
    const own: Member = {
      tree: member.tree,
      id,
      type: definition.name,
      depth: member.depth + 1,
      presence,
    };
    const { isBackground } = plan.about;
    const { effort } = definition;
    const agent = {
      id,
      type: definition.name,
      ...(isBackground ? { isBackground } : {}),
      ...(effort === undefined ? {} : { effort }),
    };
    const options = this.#optionsFor(plan, own);
    if (before !== undefined) return { ...before, options, member: own };
    return partsOf(options, { member: own, agent });
  }

  #optionsFor({ id, about, definition, caller, session, worktree }: Plan, own: Member): LoopOptions {
    const { made, nested } = this.#ports;
    // A sub-agent has its own conversation, so it inherits neither messages nor session.
    const {
      session: _session,
      messages: _messages,
      moreTools: _more,
      journal: _journal,
      maxTurns: _maxTurns,
      toolChoice: _toolChoice,
      prepareTurn: _prepareTurn,
      outputSchema: _outputSchema,
      outputJsonSchema: _outputJsonSchema,
      background: _background,
      locks: _locks,
      limits: _limits,
      reminders,
      ...inherited
    } = made.options;
    const ownReminders = reminders?.forSubAgent?.({ id, type: definition.name });
    const results = own.tree.session?.results ?? made.options.session?.results ?? made.options.results;
    const { canUseTool, ask } = caller.permissions;
    // The sub-agent's calls are judged like its caller's and its questions share the caller's queue; both are evaluated
    // again when the rules change.
    const onChange = made.options.permissions?.onChange?.bind(made.options.permissions);
    const { maxTurns } = definition;
    const named = modelOf(made, about.model) ?? definition.model;
    const model = made.onlyModel ?? named ?? made.options.model;
    const limits = limitsOf(definition);
    const canStart = definition.readOnly !== true && limits.offers({ name: "Agent" });
    const cwd = worktree?.cwd ?? caller.cwd;
    return {
      ...inherited,
      ...(results === undefined ? {} : { results }),
      ...(session === undefined ? {} : { session }),
      ...(ownReminders === undefined ? {} : { reminders: ownReminders }),
      ...(maxTurns === undefined ? {} : { maxTurns }),
      ...loweredWindow(definition.contextTokens, made.options.contextTokens ?? factsOf(model).contextTokens),
      model,
      system: made.systemOf?.(definition, cwd, model) ?? definition.prompt,
      tools: [...callersTools(made, definition), ...(canStart ? nested(own, limits) : [])],
      moreTools: () => ownTools(made, definition),
      permissions: { decide: () => ALLOW, ...(onChange === undefined ? {} : { onChange }) },
      canUseTool: judgeFor(definition, made.options, canUseTool),
      ask: (question: Question) => ask({ from: `${definition.name} (${id})`, ...question }),
      cwd,
    };
  }
}

/** The tools of the caller that the definition offers, without the Agent tool. */
export function toolsFor(made: AgentToolOptions, definition: AgentDefinition): AnyTool[] {
  return [...callersTools(made, definition), ...ownTools(made, definition)];
}

function callersTools(made: AgentToolOptions, definition: AgentDefinition): AnyTool[] {
  return toolsNow(made.options).filter((tool) => tool.name !== "Agent" && offers(definition, tool));
}

function ownTools(made: AgentToolOptions, definition: AgentDefinition): AnyTool[] {
  return (made.toolsOf?.(definition) ?? []).filter((tool) => offers(definition, tool));
}

function modelOf({ models = {} }: AgentToolOptions, name: string | undefined): Model | undefined {
  if (name === undefined || name === "inherit") return undefined;
  const model = models[name];
  if (model !== undefined) return model;
  const names = Object.keys(models);
  const advice = names.length === 0 ? "Leave `model` out." : `Available: ${names.join(", ")}.`;
  throw new Refused(`Unknown model "${name}" for sub-agents. ${advice}`);
}

function aboutOf({ type, description, parent, callId, isBackground }: AgentRecord): AgentAbout {
  return { type, description, callId, isBackground, ...(parent === undefined ? {} : { parent }) };
}

function knownIds(ids: readonly string[]): string {
  return ids.length === 0 ? "None was started." : `Known: ${ids.slice(-10).join(", ")}.`;
}
