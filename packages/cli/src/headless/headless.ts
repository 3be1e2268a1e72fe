/** `runahead -p`: one prompt, or several as lines of JSON, and what came of it, for programs and for pipes. */

import {
  type AgentEvent,
  type Prompt,
  type QueryResult,
  type CodingAgent,
  codingAgent,
  type Schema,
  schemaOf,
  structuredAnswer,
} from "@runahead/harness";
import { resolve } from "node:path";
import { NoModel, UsageError } from "@runahead/harness";
import { agentOptions } from "../shared/agent-options.ts";
import { EXIT } from "../shared/exit.ts";
import { codeOf, wordsOf } from "../shared/failure.ts";
import { unless } from "../shared/unless.ts";
import type { Input, World } from "../shared/world.ts";
import type { RunFlags } from "../shared/flags.ts";
import { Stream } from "./stream.ts";
import { ignoredNotice, untrustedContent } from "../shared/untrusted.ts";

const MOST_INPUT_BYTES = 10_000_000;

export async function headless(
  world: World,
  { prompt, flags }: { readonly prompt: string; readonly flags: RunFlags },
  input: Input,
): Promise<number> {
  const stream = new Stream(world, flags);
  try {
    const listeners = {
      onEvent: (event: AgentEvent) => stream.event(event),
      onNotice: (message: string) => stream.notice(message),
    };
    const made = await codingAgent(agentOptions(world, flags, listeners));
    try {
      // A program cannot see tools come later.
      await unless(input.signal, made.mcp.settled());
      checkPermissionTool(made, flags);
      stream.begin(made);
      if (!made.settings.isTrusted && flags.bare !== true) await tellIgnored(world, flags, stream);
      const prompts = promptsOf(prompt, flags, input);
      const schema = flags.jsonSchema === undefined ? undefined : schemaOf(flags.jsonSchema, world.cwd);
      return await answerAll(made, { prompts, stream, signal: input.signal, schema });
    } finally {
      await made.close();
      if (flags.timeline !== undefined) await draw(made, resolve(world.cwd, flags.timeline), stream);
    }
  } catch (error) {
    return stream.failed(error instanceof NoModel ? error.brief : wordsOf(error), codeOf(error));
  }
}

/** Nobody can be asked here whether the folder is trusted. */
async function tellIgnored(world: World, flags: RunFlags, stream: Stream): Promise<void> {
  const notice = ignoredNotice(await untrustedContent(world, flags));
  if (notice !== undefined) stream.notice(notice);
}

/** Loaded only where a picture is wanted. */
async function draw(made: CodingAgent, path: string, stream: Stream): Promise<void> {
  const { writeTimeline } = await import("@runahead/harness/timeline");
  const end = await writeTimeline(path, await made.timeline());
  if (end.type === "failed") stream.notice(`The picture could not be written: ${end.message}`);
}

function checkPermissionTool({ mcp }: CodingAgent, { permissionPromptTool: name }: RunFlags): void {
  const names = mcp.tools().map((tool) => tool.name);
  if (name === undefined || names.includes(name)) return;
  const servers = mcp.servers().map((server) => `${server.name} (${server.state.type})`);
  throw new UsageError(
    `there is no tool ${name} to ask. MCP servers: ${servers.length === 0 ? "none" : servers.join(", ")}`,
  );
}

interface Work {
  readonly prompts: AsyncIterable<Given>;
  readonly stream: Stream;
  readonly signal: AbortSignal;
  readonly schema: Schema | undefined;
}

async function answerAll({ agent }: CodingAgent, { prompts, stream, signal, schema }: Work): Promise<number> {
  let code: number | undefined;
  const interrupt = (): void => void agent.interrupt();
  signal.addEventListener("abort", interrupt);
  for await (const given of prompts) {
    if (signal.aborted) break;
    if (code !== undefined) stream.again();
    code = await answer({ agent, stream, schema }, given);
  }
  signal.removeEventListener("abort", interrupt);
  const told = signal.aborted ? (signal.reason as number) : undefined;
  if (told !== undefined) return code === undefined ? stream.failed("It was told to end.", told) : told;
  if (code === undefined) throw new UsageError("there is no prompt: give one, or write it to standard input");
  return code;
}

async function answer(
  { agent, stream, schema }: Pick<Work, "stream" | "schema"> & Pick<CodingAgent, "agent">,
  given: Given,
): Promise<number> {
  if (schema === undefined) {
    const { prompt, said } = given;
    const result = await agent.send(prompt, said === undefined ? {} : { said });
    stream.end(result);
    return exitOf(result);
  }
  const { result, structured } = await structuredAnswer(agent, given, schema);
  stream.end(result, structured);
  return structured.type === "valid" ? exitOf(result) : exitOf(result) || EXIT.error;
}

interface Given {
  readonly prompt: Prompt;
  /** The part that the person wrote, if other text follows it. */
  readonly said?: string;
}

/** The prompt with what came on standard input behind it; or one prompt for each line of JSON. */
async function* promptsOf(prompt: string, { inputFormat }: RunFlags, input: Input): AsyncGenerator<Given> {
  if (inputFormat === "stream-json") {
    if (prompt !== "") yield { prompt };
    for await (const line of linesOf(input)) if (line.trim() !== "") yield { prompt: promptIn(line) };
    return;
  }
  const piped = input.isTerminal ? "" : await textOf(input);
  const whole = [prompt, piped.trim()].filter((part) => part !== "").join("\n\n");
  // What another program wrote to standard input is not the person's word on what may run.
  if (whole !== "") yield { prompt: whole, ...(prompt === "" ? {} : { said: prompt }) };
}

async function textOf(input: Input): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of input.read()) {
    bytes += piece.length;
    if (bytes > MOST_INPUT_BYTES)
      throw new UsageError(
        `standard input has more than ${MOST_INPUT_BYTES / 1e6} MB: put it into a file and name that`,
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
    if (rest.length > MOST_INPUT_BYTES) throw new UsageError("a line on standard input is longer than 10 MB");
    yield* lines;
  }
  if (rest !== "") yield rest;
}

function promptIn(line: string): Prompt {
  try {
    const { type, message } = JSON.parse(line) as { type?: string; message?: { content?: Prompt } };
    if (type === "user" && message?.content !== undefined) return message.content;
  } catch {
    // Said below.
  }
  throw new UsageError(`a line on standard input is no message: ${line.slice(0, 80)}`);
}

/** What the end of a run is for whoever started the program. */
function exitOf({ reason, error }: QueryResult): number {
  if (reason === "completed") return EXIT.done;
  if (reason === "max_turns" || reason === "budget") return EXIT.limit;
  if (error?.kind === "credentials") return EXIT.credentials;
  return error?.kind === "unreachable" ? EXIT.unreachable : EXIT.error;
}
