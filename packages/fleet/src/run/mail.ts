/** What is sent to a session through its inbox. All input is checked, because other versions write to the store too. */

import type { Prompt } from "@runahead/agent";
import type { Answer } from "@runahead/engine";
import { isShape } from "@runahead/base";

/** A person's answer to a question. */
export interface PersonsAnswer {
  /** Whether the call can run. */
  readonly behavior: "allow" | "deny";
  /** With `deny`: the message to the model. */
  readonly message?: string;
  /** Who answered, for the record. */
  readonly by?: string;
}

/** One mail. `trace` is a W3C traceparent. */
export type MailBody =
  | { readonly type: "prompt"; readonly prompt: Prompt; readonly trace?: string }
  | { readonly type: "interrupt" }
  | { readonly type: "answer"; readonly question: string; readonly answer: PersonsAnswer };

/** What is not a mail of this version: of a newer one, or malformed. */
export interface OtherMail {
  readonly type: "newer" | "malformed";
}

/** A kind of mail that this version does not know is left for a newer worker. */
export function parseMail(body: unknown): MailBody | OtherMail {
  if (!isShape(body) || typeof body["type"] !== "string") return { type: "malformed" };
  switch (body["type"]) {
    case "prompt": {
      const { prompt, trace } = body;
      const isPrompt = typeof prompt === "string" || Array.isArray(prompt);
      if (!isPrompt) return { type: "malformed" };
      return { type: "prompt", prompt: prompt as Prompt, ...(typeof trace === "string" ? { trace } : {}) };
    }
    case "interrupt":
      return { type: "interrupt" };
    case "answer": {
      const { question, answer } = body;
      if (typeof question !== "string" || !isShape(answer)) return { type: "malformed" };
      const behavior = answer["behavior"] === "allow" ? "allow" : "deny";
      const { message, by } = answer;
      return {
        type: "answer",
        question,
        answer: {
          behavior,
          ...(typeof message === "string" ? { message } : {}),
          ...(typeof by === "string" ? { by } : {}),
        },
      };
    }
    default:
      return { type: "newer" };
  }
}

/** The answer in the form of the engine. The model reads a refusal, with or without a message, and continues. */
export function answerOf({ behavior, message }: PersonsAnswer): Answer {
  if (behavior === "allow") return { behavior };
  return { behavior, endTurn: false, ...(message === undefined ? {} : { message }) };
}
