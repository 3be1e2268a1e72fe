/** Requests from servers: the working directory, and, if the caller supports it, questions to a user or a model. */

import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type Client,
  type ClientCapabilities,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/client";
import type { OpenSpec } from "./open-spec.ts";
import type { Waits } from "./waits.ts";

type Asked = Pick<OpenSpec, "askBack" | "cwd" | "entry"> & { readonly waits: Waits };

/** Announces only what will be answered. */
export function capabilities({ askBack }: Pick<Asked, "askBack">): ClientCapabilities {
  return {
    roots: {},
    ...(askBack.elicit === undefined ? {} : { elicitation: { form: { applyDefaults: true }, url: {} } }),
    ...(askBack.sample === undefined ? {} : { sampling: {} }),
  };
}

/** Calls are not idle while a person reads a request. */
export function answerRequests(client: Client, { askBack, cwd, entry, waits }: Asked): void {
  client.setRequestHandler("roots/list", () => ({
    roots: [{ uri: pathToFileURL(cwd).href, name: basename(cwd) }],
  }));
  const { elicit, sample } = askBack;
  if (elicit !== undefined)
    client.setRequestHandler(
      "elicitation/create",
      async ({ params }, { mcpReq }) =>
        (await waits.during(() => elicit(params, mcpReq.signal, entry.name))) as { action: "accept" },
    );
  if (sample !== undefined)
    client.setRequestHandler(
      "sampling/createMessage",
      async ({ params }, { mcpReq }) =>
        (await waits.during(() => sample(params, mcpReq.signal, entry.name))) as never,
    );
  client.fallbackRequestHandler = async ({ method }) => {
    throw new ProtocolError(
      ProtocolErrorCode.MethodNotFound,
      REFUSALS[method] ?? `${method} is not supported.`,
    );
  };
}

const REFUSALS: Readonly<Record<string, string>> = {
  "elicitation/create":
    "No user can be asked. Continue with the arguments of the call, or answer the call with what is missing.",
  "sampling/createMessage":
    "No model is available to servers. Continue without one, or answer the call with what you have.",
};
