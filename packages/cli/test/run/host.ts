/** A host of the control protocol for tests: it answers requests of the program, and sends its own. */

import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import type { Given, Shell } from "./shell.ts";

export type Line = Readonly<Record<string, unknown>>;
export type Reply = (request: Line) => Line | Error | undefined;

/** A host that answers requests of the program, and sends its own. */
class TestHost {
  readonly lines: Line[] = [];
  readonly asked: Line[] = [];
  readonly #child: ChildProcess;
  readonly #reply: Reply;
  #wake = (): void => {};

  constructor(child: ChildProcess, reply: Reply) {
    this.#child = child;
    this.#reply = reply;
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => this.#take(line));
  }

  write(line: object): void {
    this.#child.stdin?.write(`${JSON.stringify(line)}\n`);
  }

  prompt(content: string): void {
    this.write({ type: "user", message: { role: "user", content } });
  }

  end(): void {
    this.#child.stdin?.end();
  }

  async until(isWanted: (line: Line) => boolean): Promise<Line> {
    for (;;) {
      const found = this.lines.find(isWanted);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  async request(request: Line, id: string): Promise<Line> {
    this.write({ type: "control_request", request_id: id, request });
    const isAnswer = ({ type, response }: Line): boolean =>
      type === "control_response" && (response as Line)["request_id"] === id;
    return (await this.until(isAnswer))["response"] as Line;
  }

  #take(text: string): void {
    const line = JSON.parse(text) as Line;
    this.lines.push(line);
    if (line["type"] === "control_request") this.#answer(line);
    this.#wake();
  }

  #answer({ request_id, request }: Line): void {
    this.asked.push(request as Line);
    const reply = this.#reply(request as Line);
    if (reply === undefined) return;
    const response =
      reply instanceof Error
        ? { subtype: "error", request_id, error: reply.message }
        : { subtype: "success", request_id, response: reply };
    this.write({ type: "control_response", response });
  }
}

const ARGS = ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json"];

/** The program, begun as an SDK begins it. */
export async function host(shell: Shell, given: Partial<Given>, reply: Reply = () => ({})) {
  const { child, ended, server } = await shell.start({
    stdin: "open",
    ...given,
    args: [...ARGS, ...(given.args ?? [])],
  });
  return { host: new TestHost(child, reply), ended, server };
}

export const isResult = ({ type }: Line): boolean => type === "result";
