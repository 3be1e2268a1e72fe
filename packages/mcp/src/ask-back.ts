/** What servers ask of us: the folder that we work in, and, where somebody can answer, a person or a model. */

import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type Client,
  type ClientCapabilities,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/client";
import type { OpenSpec } from "./open-spec.ts";

type Asked = Pick<OpenSpec, "askBack" | "cwd">;

/** Only what will be answered is offered. */
export function capabilities({ askBack }: Asked): ClientCapabilities {
  return {
    roots: {},
    ...(askBack.elicit === undefined ? {} : { elicitation: { form: { applyDefaults: true } } }),
    ...(askBack.sample === undefined ? {} : { sampling: {} }),
  };
}

export function answerRequests(client: Client, { askBack, cwd }: Asked): void {
  client.setRequestHandler("roots/list", () => ({
    roots: [{ uri: pathToFileURL(cwd).href, name: basename(cwd) }],
  }));
  const { elicit, sample } = askBack;
  if (elicit !== undefined)
    client.setRequestHandler(
      "elicitation/create",
      async ({ params }, { mcpReq }) => (await elicit(params, mcpReq.signal)) as { action: "accept" },
    );
  if (sample !== undefined)
    client.setRequestHandler(
      "sampling/createMessage",
      async ({ params }, { mcpReq }) => (await sample(params, mcpReq.signal)) as never,
    );
  client.fallbackRequestHandler = async ({ method }) => {
    throw new ProtocolError(
      ProtocolErrorCode.MethodNotFound,
      REFUSALS[method] ?? `${method} is not supported here.`,
    );
  };
}

const REFUSALS: Readonly<Record<string, string>> = {
  "elicitation/create":
    "Nobody can be asked here: go on with what the call gave, or answer the call with what is missing.",
  "sampling/createMessage":
    "There is no model here for servers to use: go on without, or answer the call as it is.",
};
