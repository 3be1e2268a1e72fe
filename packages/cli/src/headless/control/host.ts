/** The program that started this one and speaks the control protocol with it. */

import { randomUUID } from "node:crypto";
import type { CodingAgent, Listeners, Prompt } from "@runahead/harness";
import { deferred } from "../../shared/deferred.ts";
import { Checkpoints } from "../../shared/checkpoints.ts";
import { firstPrompt } from "../../shared/first-prompt.ts";
import type { RunFlags } from "../../shared/flags.ts";
import type { World } from "../../shared/world.ts";
import type { Stream } from "../stream.ts";
import { type HostPlugins, type Initialized, initialized } from "./initialize.ts";
import { HostLink } from "./link.ts";
import type { Members } from "./members.ts";
import { askHost, askUserBy } from "./permission.ts";
import { type Controlled, answerHost } from "./requests.ts";

/** The value of `--permission-prompt-tool` that sends questions to the host. */
export const HOST_TOOL = "stdio";
const VERSION = "2.1.240";

interface Given {
  readonly prompt: Prompt;
  readonly snapshot?: string;
}

export class Host {
  readonly #world: World;
  readonly #flags: RunFlags;
  readonly #stream: Stream;
  readonly #link: HostLink;
  readonly #controlled = deferred<Controlled>();
  readonly #initialize = deferred<Members>();
  /** The snapshots before prompts, by the ids of the prompts. */
  readonly #snapshots = new Map<string, string>();
  #made: CodingAgent | undefined;
  #checkpoints: Checkpoints | undefined;
  #begun: Initialized | undefined;

  constructor(world: World, flags: RunFlags, stream: Stream) {
    this.#world = world;
    this.#flags = flags;
    this.#stream = stream;
    this.#link = new HostLink(
      (line) => stream.control(line),
      async (request) => {
        if (request["subtype"] === "initialize") this.#initialize.resolve(request);
        return answerHost(request, await this.#controlled.promise);
      },
    );
  }

  /** Resolves with the first line: then it is known what the host adds. With a prompt there is nothing to wait for. */
  async begin(lines: AsyncIterable<string>, hasPrompt: boolean): Promise<void> {
    void this.#link.read(lines);
    const waits = !hasPrompt || this.#flags.awaitInitialize === true;
    const arrived = waits ? this.#link.arrival() : Promise.resolve();
    const request = await Promise.race([this.#initialize.promise, arrived.then(() => undefined)]);
    this.#begun = initialized(request, this.#link);
    for (const problem of this.#begun.problems) this.#stream.notice(problem);
    this.#stream.host(() => this.#link.isOpen);
  }

  /** What the host adds to the agent. */
  get parts(): Partial<Listeners> {
    const isAsked = this.#flags.permissionPromptTool === HOST_TOOL;
    return {
      ...this.#begun?.parts,
      ...(isAsked
        ? {
            askPerson: async (question) => {
              const { made, onNotice } = await this.#controlled.promise;
              return askHost(this.#link, question, { gate: made.gate, mcp: made.mcp, onNotice });
            },
            askUser: askUserBy(this.#link),
          }
        : {}),
    };
  }

  /** The flags, with what the host adds. */
  get options(): RunFlags {
    const { permissionPromptTool: tool, ...others } = this.#flags;
    const { flags = {}, plugins, mcpServers } = this.#begun ?? {};
    const { mcpConfig = [] } = this.#flags;
    return {
      ...(tool === HOST_TOOL ? others : this.#flags),
      ...flags,
      ...(plugins === undefined ? {} : withPlugins(this.#flags, plugins)),
      ...(mcpServers === undefined ? {} : { mcpConfig: [...mcpConfig, JSON.stringify({ mcpServers })] }),
    };
  }

  /** Answers the requests of the host from now on. */
  ready(made: CodingAgent): void {
    this.#made = made;
    const { permissionMode, dangerouslySkipPermissions, allowDangerouslySkipPermissions } = this.#flags;
    const mayBypass =
      permissionMode === "bypassPermissions" ||
      dangerouslySkipPermissions === true ||
      allowDangerouslySkipPermissions === true;
    this.#controlled.resolve({
      made,
      servers: new Map(this.#begun?.servers),
      firstServers: new Set(this.#begun?.servers.keys()),
      configured: this.#begun?.mcpServers,
      link: this.#link,
      world: this.#world,
      mayBypass,
      version: VERSION,
      rewind: (id, isDry) => this.#rewind(id, isDry),
      taskStopped: (task) => this.#stream.task(task),
      modeChanged: () => this.#stream.mode(made.gate.mode),
      onNotice: (message) => this.#stream.notice(message),
    });
  }

  /** Yields the prompt of the command line and then those of the host. */
  async *prompts(prompt: string, signal: AbortSignal): AsyncGenerator<Given> {
    let first = this.#made === undefined ? "" : firstPrompt(this.#made, "");
    const withFirst = (given: Prompt): Prompt => {
      const whole = joined(first, given);
      first = "";
      return whole;
    };
    if (prompt !== "") yield { prompt: withFirst(prompt) };
    for await (const { prompt: given, uuid = randomUUID() } of this.#link.prompts()) {
      if (this.#flags.replayUserMessages === true) this.#stream.replay(given, uuid);
      const snapshot = await this.#snapshot(signal);
      if (snapshot !== undefined) this.#snapshots.set(uuid, snapshot);
      yield { prompt: withFirst(given), ...(snapshot === undefined ? {} : { snapshot }) };
    }
  }

  /** Files are kept only if the host asks for it, because a snapshot takes time. */
  async #snapshot(signal: AbortSignal): Promise<string | undefined> {
    const wish = this.#world.env["CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING"] ?? "";
    if (!["1", "true"].includes(wish) || this.#made === undefined) return undefined;
    this.#checkpoints ??= new Checkpoints(this.#world, this.#made.settings.root, (message) =>
      this.#stream.notice(message),
    );
    return this.#checkpoints.take(signal);
  }

  async #rewind(id: string, isDry: boolean): Promise<Members> {
    const snapshot = this.#snapshots.get(id);
    if (snapshot === undefined || this.#checkpoints === undefined)
      return { canRewind: false, error: `There is no file checkpoint for the message ${id}.` };
    if (isDry) {
      const found = await this.#checkpoints.changes(snapshot);
      if (found.type === "not-compared") return { canRewind: false, error: found.reason };
      return { canRewind: true, filesChanged: [...found.added, ...found.changed, ...found.removed] };
    }
    const done = await this.#checkpoints.restore(snapshot);
    if (done.type === "not-restored") return { canRewind: false, error: done.reason };
    const { added, changed, removed } = done.changes;
    return { canRewind: true, filesChanged: [...added, ...changed, ...removed] };
  }
}

function withPlugins({ pluginDir = [], pluginDirNoMcp = [] }: RunFlags, plugins: HostPlugins): RunFlags {
  return {
    pluginDir: [...pluginDir, ...plugins.whole],
    pluginDirNoMcp: [...pluginDirNoMcp, ...plugins.withoutServers],
  };
}

function joined(first: string, prompt: Prompt): Prompt {
  if (first === "") return prompt;
  return typeof prompt === "string" ? `${first}\n\n${prompt}` : [{ type: "text", text: first }, ...prompt];
}
