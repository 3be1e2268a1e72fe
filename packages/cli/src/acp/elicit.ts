/** Asks the user in the editor for what an MCP server wants to know. */

import { randomUUID } from "node:crypto";
import type { CreateElicitationRequest } from "@agentclientprotocol/sdk";
import type { Client } from "./session.ts";

export interface Elicitation {
  /** What the server asked for. */
  readonly params: unknown;
  readonly server: string;
  readonly sessionId: string;
}

type Asking = Pick<Client, "showsForms" | "opensPages" | "elicit">;

/** Resolves with the answer for the server. A question that is closed counts as cancelled. */
export async function elicited(
  elicitation: Elicitation,
  client: Asking,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  try {
    return { ...(await client.elicit(requestOf(elicitation, client), signal)) };
  } catch (error) {
    if (signal.aborted) return { action: "cancel" };
    throw error;
  }
}

function requestOf({ params, server, sessionId }: Elicitation, client: Asking): CreateElicitationRequest {
  const { url = "", ...asked } = params as {
    readonly message?: string;
    readonly url?: string;
    readonly elicitationId?: string;
  };
  const message = `The MCP server ${server} asks: ${asked.message ?? ""}`;
  if (url !== "" && client.opensPages) {
    const { elicitationId = randomUUID() } = asked;
    return { mode: "url", sessionId, elicitationId, url, message };
  }
  if (!client.showsForms) throw new Error("The editor cannot show forms.");
  if (url === "") return { ...asked, message, mode: "form", sessionId };
  // The user can open the address from the message.
  const requestedSchema = { type: "object", properties: {} } as const;
  return { mode: "form", sessionId, message: `${message}\nOpen this page: ${url}`, requestedSchema };
}
