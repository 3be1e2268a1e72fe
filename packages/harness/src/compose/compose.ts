/** Composes a coding agent, step by step: each step gets what the earlier ones have made. */

import type { Model } from "@runahead/agent";
import { promptReport } from "../prompt/report.ts";
import type { Around } from "./around.ts";
import type { CodingAgent } from "./coding-agent.ts";
import { reportInstructions, runSetup } from "./hooks/hook-events.ts";
import { modelWishes } from "./model/model-wishes.ts";
import { readingOf } from "./permissions/sandbox.ts";
import { briefing, contextTokensOf } from "./steps/briefing.ts";
import { type Composition, newComposition } from "./steps/composition.ts";
import { foundation } from "./steps/foundation.ts";
import { guards } from "./steps/guards.ts";
import { type MainLoop, type Made, mainLoop } from "./steps/main-loop.ts";
import { workbench } from "./steps/workbench.ts";
import { stopTask } from "./tools/outside-call.ts";

/** `standIn` is used if no model is configured. If a step fails, what the others have started is closed. */
export async function compose(around: Around, standIn?: Model): Promise<CodingAgent> {
  const composition = newComposition(around);
  try {
    return await composed(composition, standIn);
  } catch (error) {
    await closeAll(composition);
    throw error;
  }
}

async function composed(composition: Composition, standIn: Model | undefined): Promise<CodingAgent> {
  const founded = { ...composition, ...(await foundation(composition, standIn)) };
  const guarded = { ...founded, ...(await guards(founded)) };
  const equipped = { ...guarded, ...(await workbench(guarded)) };
  const made = { ...equipped, ...(await briefing(equipped, standIn)) };
  await checkConfinement(made);
  made.report([...made.written.problems, ...made.agentProblems]);
  const loop = await mainLoop(made);
  reportInstructions(made.hooks, made.written);
  await runSetup(made.hooks, made.flags.setup, made.listeners.onNotice);
  return codingAgentOf(made, loop);
}

/** Without a user to ask, a command judged before the check has ended would be denied, so the check is awaited. */
async function checkConfinement({ listeners, settings, shell }: Made): Promise<void> {
  if (listeners.askPerson === undefined && settings.sandbox.confinesReads) await shell.checkReadConfinement();
}

async function closeAll({ closers }: Composition): Promise<void> {
  for (const close of closers.splice(0).toReversed()) await close();
}

function codingAgentOf(made: Made, { agent, offered }: MainLoop): CodingAgent {
  const { world, gate, model, control, hooks, tools, folders, lsp, shell, settings } = made;
  return {
    agent,
    gate,
    model,
    effort: modelWishes(world.env, made.flags, settings).effort,
    setModel: (name) => control.setModel(name),
    setMaxThinkingTokens: (tokens) => control.setMaxThinkingTokens(tokens),
    hooks,
    agents: made.definitions,
    ...(made.main === undefined ? {} : { mainAgent: made.main.name }),
    ...(made.main?.initialPrompt === undefined ? {} : { initialPrompt: made.main.initialPrompt }),
    tasks: () => made.tasks.list(),
    stopTask: (id) => stopTask(tools, id, world.cwd),
    setMcpServers: (wanted) => made.dynamic.set(wanted),
    outputStyle: made.outputStyle,
    outputStyles: made.outputStyles,
    plugins: made.plugins.map(({ name, root }) => ({ name, path: root })),
    addFolder: (path, source) => folders.add(path, source),
    get contextTokens() {
      return contextTokensOf(model);
    },
    session: made.session,
    settings,
    toolNames: () => offered().map(({ name }) => name),
    prompts: made.library,
    instructions: made.written,
    mcp: made.mcp,
    languageServers: () => lsp.list(),
    reading: () => readingOf(shell.readConfinement(), settings),
    prompt: () => promptReport(made.system, made.prompt.opening, offered()),
    timeline: () => made.keeper.timeline(),
    moveToBackground: () => {
      const moved = agent.moveToBackground();
      // While a sub-agent is waited for, the commands are those of sub-agents, and stay with them.
      if (moved.length > 0) return moved.map(({ callId }) => ({ type: "moved", callId }));
      return shell.foregroundCommands().map(({ callId }) => shell.moveToBackground(callId));
    },
    close: () => closeAll(made),
  };
}
