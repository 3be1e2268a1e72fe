/** A worker's answers and reports on their way to the caller. */
import { setTimeout as pause } from "node:timers/promises";
import { messageOf } from "@runahead/base";
import type { Link } from "./connection.ts";
import { toJson } from "./json.ts";
import { LIMITS } from "./limits.ts";
import { type Answer, type Mail, boundText } from "./message.ts";
import type { Names } from "./names.ts";
import { writeParts } from "./parts.ts";
import type { Ended } from "./run-call.ts";

/** Reports that are on their way at once; further ones are left out. */
const REPORTS_UNDERWAY = 100;
const RETRY_MS = 500;
/** A caller that has just come back may need a moment to be there again. */
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

  /** Goes out at once or not at all. */
  report(caller: string, mail: Mail): void {
    if (this.#underway >= REPORTS_UNDERWAY) return;
    this.#underway++;
    this.#send(caller, [JSON.stringify(mail)])
      .catch(() => null)
      .finally(() => this.#underway--);
  }

  /** How the tool's code ended, as an answer and the output beside it. */
  async answerOf(job: string, ended: Ended): Promise<{ answer: Answer; output: string }> {
    if (ended.type === "failed")
      return { answer: { ...ended, message: boundText(ended.message) }, output: "" };
    try {
      return await this.#pack(job, toJson(ended.output));
    } catch (error) {
      return failed(`It ran, but its output cannot be sent: ${messageOf(error)}.`);
    }
  }

  /** Tries until the server has it: for a while where it refuses, and for as long as it is away. */
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
    if (problem !== "")
      this.#options.onNotice(`The answer to ${mail.job} could not be delivered: ${problem}.`);
  }

  async #pack(job: string, json: string): Promise<{ answer: Answer; output: string }> {
    const { link, names, outputBytes } = this.#options;
    const bytes = Buffer.byteLength(json);
    if (bytes <= LIMITS.inlineBytes) return { answer: { type: "output", parts: 0 }, output: json };
    if (bytes > outputBytes)
      return failed(
        `It ran, but its output of ${bytes} bytes is more than the worker sends (${outputBytes}).`,
      );
    const parts = await writeParts(link.redis, (part) => names.part(job, part), json);
    return { answer: { type: "output", parts }, output: "" };
  }

  /** Null where there is no such mailbox: its caller is gone. */
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
