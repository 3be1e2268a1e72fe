/** The lines between this program and the program that started it: prompts, requests and answers in both directions. */

import { randomUUID } from "node:crypto";
import { type Prompt, UsageError } from "@runahead/harness";
import { wordsOf as messageOf } from "../../shared/failure.ts";
import { type Members, isMembers } from "./members.ts";

export interface Given {
  readonly prompt: Prompt;
  /** The id that the host gave to the message; undefined without one. */
  readonly uuid?: string;
}

/** Answers a request of the host. Rejects with the words of the error. */
export type Answer = (request: Members, signal: AbortSignal) => Promise<Members>;

interface Open {
  readonly resolve: (answer: Members) => void;
  readonly reject: (error: Error) => void;
}

/** A line is a prompt, or the end of the input. */
type Arrival =
  | { readonly type: "prompt"; readonly given: Given }
  | { readonly type: "end"; readonly error?: Error };

export class HostLink {
  readonly #write: (line: object) => void;
  readonly #answer: Answer;
  /** Our own requests that have no answer yet. */
  readonly #open = new Map<string, Open>();
  /** Requests of the host that are being answered. */
  readonly #answering = new Map<string, AbortController>();
  readonly #arrived: Arrival[] = [];
  #wake = (): void => {};
  #end: Error | undefined;
  #isEnded = false;

  constructor(write: (line: object) => void, answer: Answer) {
    this.#write = write;
    this.#answer = answer;
  }

  /** Reads until the input ends. */
  async read(lines: AsyncIterable<string>): Promise<void> {
    try {
      for await (const line of lines) if (line.trim() !== "") this.#take(line);
    } catch (error) {
      this.#end = error instanceof Error ? error : new Error(messageOf(error));
    }
    this.#isEnded = true;
    for (const { reject } of this.#open.values()) reject(new Error("The host closed its output."));
    this.#open.clear();
    this.#arrive({ type: "end", ...(this.#end === undefined ? {} : { error: this.#end }) });
  }

  /** Resolves when there is a prompt, or the input has ended. */
  async arrival(): Promise<void> {
    while (this.#arrived.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  /** Yields the prompts of the host. Throws for a line that is not valid. */
  async *prompts(): AsyncGenerator<Given> {
    for (;;) {
      await this.arrival();
      const next = this.#arrived.shift();
      if (next?.type === "prompt") yield next.given;
      else if (next?.error !== undefined) throw next.error;
      else if (next !== undefined) return;
    }
  }

  /** Whether the host can still send prompts and answers. */
  get isOpen(): boolean {
    return !this.#isEnded;
  }

  /** The ids of the prompts that wait for their turn. */
  get waiting(): readonly string[] {
    return this.#arrived.flatMap((one) =>
      one.type === "prompt" && one.given.uuid !== undefined ? [one.given.uuid] : [],
    );
  }

  /** Withdraws a prompt that waits. Returns whether there was one with this id. */
  cancel(uuid: string): boolean {
    const at = this.#arrived.findIndex((one) => one.type === "prompt" && one.given.uuid === uuid);
    if (at >= 0) this.#arrived.splice(at, 1);
    return at >= 0;
  }

  /** Sends a request to the host. Rejects with its error, and is withdrawn when the signal is aborted. */
  request(request: Members, signal?: AbortSignal): Promise<Members> {
    if (this.#isEnded) return Promise.reject(new Error("The host closed its output."));
    const id = randomUUID();
    let open: Open = { resolve: () => {}, reject: () => {} };
    const promise = new Promise<Members>((resolve, reject) => (open = { resolve, reject }));
    const withdraw = (): void => {
      if (!this.#open.delete(id)) return;
      this.#write({ type: "control_cancel_request", request_id: id });
      open.reject(new Error("The request was withdrawn."));
    };
    if (signal?.aborted === true) return Promise.reject(new Error("The request was withdrawn."));
    signal?.addEventListener("abort", withdraw, { once: true });
    this.#open.set(id, open);
    this.#write({ type: "control_request", request_id: id, request });
    return promise.finally(() => signal?.removeEventListener("abort", withdraw));
  }

  /** Sends a request whose answer does not matter, also to a host that has closed its output. */
  tell(request: Members): void {
    this.#write({ type: "control_request", request_id: randomUUID(), request });
  }

  #take(line: string): void {
    const message = parsed(line);
    switch (message?.["type"]) {
      case "user":
        return this.#prompt(message, line);
      case "control_request":
        return void this.#requested(message);
      case "control_response":
        return this.#answered(message["response"]);
      case "control_cancel_request":
        return this.#answering.get(String(message["request_id"]))?.abort();
      case "keep_alive":
        return;
      default:
        throw invalid(line);
    }
  }

  #prompt(message: Members, line: string): void {
    const { message: said, uuid, client_composed: isComposed } = message;
    const content = isMembers(said) ? said["content"] : undefined;
    if (typeof content !== "string" && !Array.isArray(content)) throw invalid(line);
    const prompt = isComposed === true ? asBlocks(content as Prompt) : plainly(content as Prompt);
    this.#arrive({ type: "prompt", given: { prompt, ...(typeof uuid === "string" ? { uuid } : {}) } });
  }

  #arrive(arrival: Arrival): void {
    this.#arrived.push(arrival);
    this.#wake();
  }

  async #requested({ request_id: id, request }: Members): Promise<void> {
    const stopping = new AbortController();
    this.#answering.set(String(id), stopping);
    try {
      if (!isMembers(request)) throw new Error("request must be an object");
      const response = await this.#answer(request, stopping.signal);
      this.#respond({ subtype: "success", request_id: id, response });
    } catch (error) {
      this.#respond({ subtype: "error", request_id: id, error: messageOf(error) });
    } finally {
      this.#answering.delete(String(id));
    }
  }

  #respond(response: object): void {
    this.#write({ type: "control_response", response });
  }

  #answered(response: unknown): void {
    if (!isMembers(response)) return;
    const id = String(response["request_id"]);
    const open = this.#open.get(id);
    this.#open.delete(id);
    if (response["subtype"] === "error") open?.reject(new Error(String(response["error"])));
    else open?.resolve(isMembers(response["response"]) ? response["response"] : {});
  }
}

/** Blocks are sent as they are: commands and files in text that a program composed do not count. */
function asBlocks(content: Prompt): Prompt {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** One block of text is what the user typed, so that commands and files in it count. */
function plainly(content: Prompt): Prompt {
  if (typeof content === "string" || content.length !== 1) return content;
  const [block] = content;
  return block?.type === "text" && typeof block["text"] === "string" ? block["text"] : content;
}

function parsed(line: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isMembers(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function invalid(line: string): UsageError {
  return new UsageError(
    `invalid line on standard input: ${line.slice(0, 80)}. Expected {"type": "user", "message": {"content": "…"}}.`,
  );
}
