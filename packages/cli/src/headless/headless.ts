/** `runahead -p`: answers one prompt, or several prompts as lines of JSON, for scripts and pipes. */

import { type AgentEvent, type QueryResult, type CodingAgent, codingAgent } from "@runahead/harness";
import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { NoModel, UsageError } from "@runahead/harness";
import { agentOptions } from "../shared/agent-options.ts";
import { interruptedNotice } from "../shared/checkpoints.ts";
import { compactWish, compacted } from "../shared/compact-wish.ts";
import { EXIT } from "../shared/exit.ts";
import { codeOf, wordsOf } from "../shared/failure.ts";
import { type Given, preparedPrompt } from "../shared/prepared-prompt.ts";
import { firstPrompt } from "../shared/first-prompt.ts";
import { serversStarted, startingNotice } from "../shared/servers-started.ts";
import { unless } from "../shared/unless.ts";
import type { Input, World } from "../shared/world.ts";
import type { RunFlags } from "../shared/flags.ts";
import { HOST_TOOL, Host } from "./control/host.ts";
import { Stream } from "./stream.ts";
import { unsentNotice } from "./unsent.ts";
import { ignoredNotice, untrustedContent } from "../shared/untrusted.ts";

const MOST_INPUT_BYTES = 10_000_000;

interface Run {
  readonly prompt: string;
  readonly flags: RunFlags;
  /** What is said about the flags. */
  readonly notices?: readonly string[];
}

export async function headless(world: World, run: Run, input: Input): Promise<number> {
  const { prompt, notices = [] } = run;
  const flags = usedFlags(run.flags);
  const stream = new Stream(world, flags);
  try {
    for (const notice of notices) stream.notice(notice);
    const host = flags.inputFormat === "stream-json" ? new Host(world, flags, stream) : undefined;
    await host?.begin(linesOf(input), prompt !== "");
    const listeners = {
      onEvent: (event: AgentEvent) => stream.event(event),
      onNotice: (message: string) => stream.notice(message),
      ...host?.parts,
    };
    const options = host?.options ?? flags;
    if (options.permissionPromptTool === HOST_TOOL)
      throw new UsageError("--permission-prompt-tool stdio requires --input-format stream-json");
    const made = await codingAgent({ ...agentOptions(world, options, listeners), waitsForBackground: true });
    try {
      host?.ready(made);
      // Without the tool that approves calls there is nothing to begin with, so its server gets its whole time.
      const { permissionPromptTool = HOST_TOOL } = flags;
      if (permissionPromptTool === HOST_TOOL) await serversStarted(made.mcp, input.signal);
      else await unless(input.signal, made.mcp.settled());
      checkPermissionTool(made, permissionPromptTool);
      stream.begin(made);
      const starting = startingNotice(made.mcp);
      if (starting !== undefined) stream.notice(starting);
      const unsent = unsentNotice(made.agent.unsent);
      if (unsent !== undefined) stream.notice(unsent);
      const interrupted = await interruptedNotice(world, made.settings.root, input.signal);
      if (interrupted !== undefined) stream.notice(interrupted);
      if (!made.settings.isTrusted && flags.bare !== true) await noteIgnored(world, flags, stream);
      const canContinue = (made.session?.questions.length ?? 0) > 0;
      const prompts =
        host === undefined
          ? promptsOf(firstPrompt(made, prompt), input, canContinue)
          : host.prompts(prompt, input.signal);
      return await answerAll(made, { prompts, stream, signal: input.signal });
    } finally {
      await made.close();
      if (flags.timeline !== undefined) await draw(made, resolve(world.cwd, flags.timeline), stream);
    }
  } catch (error) {
    return stream.failed(error instanceof NoModel ? error.brief : wordsOf(error), codeOf(error));
  }
}

/** If nobody answers questions, no tool does. Hooks and hosts need an id, also for a session that is not kept. */
function usedFlags({ permissionPromptTool, ...others }: RunFlags): RunFlags {
  const isAsked = permissionPromptTool !== undefined && others.permissionPrompts !== "none";
  const { sessionPersistence, sessionId, resume, continue: isContinued } = others;
  const isNamed = sessionPersistence !== false || sessionId !== undefined;
  const isNew = resume === undefined && isContinued !== true;
  return {
    ...(isAsked ? { permissionPromptTool } : {}),
    ...others,
    ...(isNamed || !isNew ? {} : { sessionId: randomUUID() }),
  };
}

/** Reports what is ignored in an untrusted folder, since nobody can be asked here. */
async function noteIgnored(world: World, flags: RunFlags, stream: Stream): Promise<void> {
  const notice = ignoredNotice(await untrustedContent(world, flags));
  if (notice !== undefined) stream.notice(notice);
}

/** Writes the timeline. The code for it is loaded only when it is used. */
async function draw(made: CodingAgent, path: string, stream: Stream): Promise<void> {
  const { writeTimeline } = await import("@runahead/harness/timeline");
  const end = await writeTimeline(path, await made.timeline());
  if (end.type === "failed") stream.notice(`Cannot write the timeline: ${end.message}`);
}

function checkPermissionTool({ mcp }: CodingAgent, name: string): void {
  const names = mcp.tools().map((tool) => tool.name);
  if (name === HOST_TOOL || names.includes(name)) return;
  const servers = mcp.servers().map((server) => `${server.name} (${server.state.type})`);
  throw new UsageError(
    `--permission-prompt-tool: no MCP server has a tool named ${name}. MCP servers: ${servers.length === 0 ? "none" : servers.join(", ")}`,
  );
}

interface Work {
  readonly prompts: AsyncIterable<Given>;
  readonly stream: Stream;
  readonly signal: AbortSignal;
}

interface Asked extends Pick<Work, "stream" | "signal"> {
  readonly made: CodingAgent;
}

async function answerAll(made: CodingAgent, { prompts, stream, signal }: Work): Promise<number> {
  const { agent } = made;
  let code: number | undefined;
  const interrupt = (): void => void agent.interrupt();
  signal.addEventListener("abort", interrupt);
  for await (const given of prompts) {
    if (signal.aborted) break;
    if (code !== undefined) stream.again();
    code = await answer({ made, stream, signal }, given);
  }
  signal.removeEventListener("abort", interrupt);
  const exitCode = signal.aborted ? (signal.reason as number) : undefined;
  if (exitCode !== undefined)
    return code === undefined ? stream.failed("Stopped before the first answer.", exitCode) : exitCode;
  if (code === undefined)
    throw new UsageError("no prompt. Pass it as an argument or write it to standard input.");
  return code;
}

async function answer({ made, stream, signal }: Asked, written: Given): Promise<number> {
  const { agent } = made;
  if (isEmpty(written.prompt) && (made.session?.questions.length ?? 0) > 0) {
    const result = await agent.resume();
    stream.end(result);
    return exitOf(result);
  }
  const wish = compactWish(typedIn(written));
  if (wish !== undefined) {
    await stream.compact(() => compacted(made, wish));
    return EXIT.done;
  }
  const given = await preparedPrompt(made, written, {
    signal,
    onNotice: (message) => stream.notice(message),
  });
  const { prompt, ...options } = given;
  const result = await agent.send(prompt, options);
  stream.end(result);
  return result.output?.type === "invalid" ? exitOf(result) || EXIT.error : exitOf(result);
}

/** What the user typed; blocks and text from another program are not. */
function typedIn({ prompt, said }: Given): string {
  return typeof prompt === "string" ? (said ?? prompt) : "";
}

/** Yields the prompt followed by the text from standard input. An empty one continues a turn that waits for answers. */
async function* promptsOf(prompt: string, input: Input, canContinue: boolean): AsyncGenerator<Given> {
  const piped = input.isTerminal ? "" : await textOf(input);
  const whole = [prompt, piped.trim()].filter((part) => part !== "").join("\n\n");
  // Text from another program does not grant permissions, so only the argument counts as the user's words.
  if (whole === "" && canContinue) yield { prompt: "" };
  if (whole === "") return;
  // Blocks are sent as they are: no command and no file in them counts.
  yield prompt === "" ? { prompt: [{ type: "text", text: whole }] } : { prompt: whole, said: prompt };
}

async function textOf(input: Input): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of input.read()) {
    bytes += piece.length;
    if (bytes > MOST_INPUT_BYTES)
      throw new UsageError(
        `standard input is larger than ${MOST_INPUT_BYTES / 1e6} MB. Save it to a file and name the file in the prompt.`,
      );
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

async function* linesOf(input: Input): AsyncGenerator<string> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const piece of input.read()) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > MOST_INPUT_BYTES)
      throw new UsageError(`a line on standard input is longer than ${MOST_INPUT_BYTES / 1e6} MB`);
    yield* lines;
  }
  if (rest !== "") yield rest;
}

function isEmpty(prompt: Given["prompt"]): boolean {
  if (typeof prompt === "string") return prompt.trim() === "";
  return prompt.every((block) => block.type === "text" && String(block["text"]).trim() === "");
}

/** Returns the exit code for the end of a run. */
function exitOf({ reason, error }: QueryResult): number {
  if (reason === "completed" || reason === "deferred") return EXIT.done;
  if (reason === "max_turns" || reason === "budget") return EXIT.limit;
  if (error?.kind === "credentials") return EXIT.credentials;
  return error?.kind === "unreachable" ? EXIT.unreachable : EXIT.error;
}
