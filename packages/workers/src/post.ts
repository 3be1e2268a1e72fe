/** Delivers a worker's answers and progress reports to callers. */
import { setTimeout as pause } from "node:timers/promises";
import { messageOf } from "@runahead/base";
import type { Link } from "./connection.ts";
import { toJson } from "./json.ts";
import { LIMITS } from "./limits.ts";
import { type Answer, type Mail, boundText } from "./message.ts";
import type { Names } from "./names.ts";
import { writeParts } from "./parts.ts";
import type { Ended } from "./run-call.ts";

/** The maximum number of reports in flight; further ones are dropped. */
const REPORTS_UNDERWAY = 100;
const RETRY_MS = 500;
/** A caller that reconnects needs a moment to create its mailbox again. */
const ABSENT_TRIES = 6;

export interface PostOptions {
  readonly link: Link;
  readonly names: Names;
  readonly outputBytes: number;
  readonly onNotice: (message: string) => void;
}

export class Post {
  readonly #options: PostOptions;
  #underway = 0;

  constructor(options: PostOptions) {
    this.#options = options;
  }

  /** Sends a report without retrying. */
  report(caller: string, mail: Mail): void {
    if (this.#underway >= REPORTS_UNDERWAY) return;
    this.#underway++;
    this.#send(caller, [JSON.stringify(mail)])
      .catch(() => null)
      .finally(() => this.#underway--);
  }

  /** Converts the end of a tool to an answer and its output. */
  async answerOf(job: string, ended: Ended): Promise<{ answer: Answer; output: string }> {
    if (ended.type === "failed")
      return { answer: { ...ended, message: boundText(ended.message) }, output: "" };
    try {
      return await this.#pack(job, toJson(ended.output));
    } catch (error) {
      return failed(`The call ran, but its output cannot be sent: ${messageOf(error)}.`);
    }
  }

  /** Tries until the server has the answer or the time is up. */
  async answer(caller: string, mail: Mail, output = ""): Promise<void> {
    const fields = [JSON.stringify(mail), ...(output === "" ? [] : [output])];
    const deadline = performance.now() + LIMITS.deliverMs;
    let absent = 0;
    let problem = "";
    while (performance.now() < deadline && absent < ABSENT_TRIES) {
      try {
        if ((await this.#send(caller, fields)) !== null) return;
        absent++;
      } catch (error) {
        problem = messageOf(error);
      }
      await pause(RETRY_MS);
    }
    if (problem !== "") this.#options.onNotice(`Cannot deliver the answer to ${mail.job}: ${problem}.`);
  }

  async #pack(job: string, json: string): Promise<{ answer: Answer; output: string }> {
    const { link, names, outputBytes } = this.#options;
    const bytes = Buffer.byteLength(json);
    if (bytes <= LIMITS.inlineBytes) return { answer: { type: "output", parts: 0 }, output: json };
    if (bytes > outputBytes)
      return failed(`The call ran, but its output has ${bytes} bytes (limit of the worker: ${outputBytes}).`);
    const parts = await writeParts(link.redis, (part) => names.part(job, part), json);
    return { answer: { type: "output", parts }, output: "" };
  }

  /** Resolves with null if the mailbox does not exist: the caller is gone. */
  #send(caller: string, [mail = "", output]: readonly string[]): Promise<string | null> {
    const { link, names } = this.#options;
    const more = output === undefined ? [] : ["output", output];
    link.together();
    return link.redis.xadd(names.mail(caller), "NOMKSTREAM", "*", "mail", mail, ...more);
  }
}

function failed(message: string): { answer: Answer; output: string } {
  return { answer: { type: "failed", message, stack: "" }, output: "" };
}
