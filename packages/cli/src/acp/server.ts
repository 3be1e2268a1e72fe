/** The request handlers of the protocol. */

import { createRequire } from "node:module";
import {
  type AgentApp,
  type AgentContext,
  type InitializeRequest,
  type InitializeResponse,
  PROTOCOL_VERSION,
  agent,
  methods,
} from "@agentclientprotocol/sdk";
import type { World } from "../shared/world.ts";
import { toRequestError } from "./failure.ts";
import type { AcpSession, Client } from "./session.ts";
import type { AcpSessions } from "./sessions.ts";
import { clientTerminals } from "./terminals.ts";

const { version } = createRequire(import.meta.url)("runahead/package.json") as { readonly version: string };

export function acpServer(sessions: AcpSessions, { complain }: Pick<World, "complain">): AgentApp {
  let capabilities: InitializeRequest["clientCapabilities"];
  const clientOf = (context: AgentContext): Client => ({
    hasNotices: isOffered(capabilities?.session?.notices),
    update: (sessionId, update) => context.notify(methods.client.session.update, { sessionId, update }),
    ask: (request, cancellationSignal) =>
      context.request(methods.client.session.requestPermission, request, {
        cancellationSignal,
        stopWaitingOnCancel: true,
      }),
    files: (sessionId) => ({
      ...(capabilities?.fs?.readTextFile === true
        ? {
            read: async (path, cancellationSignal) =>
              (
                await context.request(
                  methods.client.fs.readTextFile,
                  { sessionId: sessionId(), path },
                  { cancellationSignal, stopWaitingOnCancel: true },
                )
              ).content,
          }
        : {}),
      ...(capabilities?.fs?.writeTextFile === true
        ? {
            write: async (path, content, cancellationSignal) => {
              const request = { sessionId: sessionId(), path, content };
              const options = { cancellationSignal, stopWaitingOnCancel: true };
              await context.request(methods.client.fs.writeTextFile, request, options);
            },
          }
        : {}),
    }),
    terminals: (session) => (capabilities?.terminal === true ? clientTerminals(context, session) : undefined),
    showsForms: isOffered(capabilities?.elicitation?.form),
    opensPages: isOffered(capabilities?.elicitation?.url),
    elicit: (request, cancellationSignal) =>
      context.request(methods.client.elicitation.create, request, {
        cancellationSignal,
        stopWaitingOnCancel: true,
      }),
  });
  const answered = async <Value>(job: () => Promise<Value>): Promise<Value> => {
    try {
      return await job();
    } catch (error) {
      throw toRequestError(error, complain);
    }
  };
  const app = agent({ name: "runahead" }).onRequest(methods.agent.initialize, ({ params }) => {
    capabilities = params.clientCapabilities;
    return INITIALIZED;
  });
  addOpening(app, sessions, { clientOf, answered });
  return addPrompting(app, sessions, answered);
}

const INITIALIZED: InitializeResponse = {
  protocolVersion: PROTOCOL_VERSION,
  agentInfo: { name: "runahead", title: "Runahead", version },
  authMethods: [],
  agentCapabilities: {
    loadSession: true,
    promptCapabilities: { image: true, audio: false, embeddedContext: true },
    mcpCapabilities: { http: true, sse: true },
    sessionCapabilities: { list: {}, resume: {}, close: {}, additionalDirectories: {} },
  },
};

/** A capability without members is `{}`. */
function isOffered(capability: object | null | undefined): boolean {
  return capability !== null && capability !== undefined;
}

type Answered = <Value>(job: () => Promise<Value>) => Promise<Value>;

interface Ports {
  readonly clientOf: (context: AgentContext) => Client;
  readonly answered: Answered;
}

function addOpening(app: AgentApp, sessions: AcpSessions, { clientOf, answered }: Ports): void {
  app
    .onRequest(methods.agent.session.new, ({ params, client }) =>
      answered(async () => {
        const session = await sessions.create(params, clientOf(client));
        return opened(session, { sessionId: session.id });
      }),
    )
    .onRequest(methods.agent.session.load, ({ params, client }) =>
      answered(async () => {
        const session = await sessions.resume(params, clientOf(client));
        await session.sendHistory();
        return opened(session, {});
      }),
    )
    .onRequest(methods.agent.session.resume, ({ params, client }) =>
      answered(async () => opened(await sessions.resume(params, clientOf(client)), {})),
    )
    .onRequest(methods.agent.session.list, ({ params }) => answered(() => sessions.list(params)))
    .onRequest(methods.agent.session.close, ({ params }) =>
      answered(async () => {
        sessions.find(params.sessionId);
        await sessions.close(params.sessionId);
        return {};
      }),
    );
}

/** The commands follow the answer, because the client must know the session first. */
function opened<Members extends object>(session: AcpSession, members: Members) {
  setImmediate(() => void session.announce());
  return { ...members, modes: session.modes, configOptions: session.configOptions };
}

function addPrompting(app: AgentApp, sessions: AcpSessions, answered: Answered): AgentApp {
  return app
    .onRequest(methods.agent.session.prompt, ({ params, signal }) =>
      answered(() => sessions.find(params.sessionId).prompt(params.prompt, signal)),
    )
    .onRequest(methods.agent.session.setMode, ({ params }) =>
      answered(async () => {
        sessions.find(params.sessionId).setMode(params.modeId);
        return {};
      }),
    )
    .onRequest(methods.agent.session.setConfigOption, ({ params }) =>
      answered(async () => ({
        configOptions: await sessions.find(params.sessionId).setOption(params.configId, params.value),
      })),
    )
    .onNotification(methods.agent.session.cancel, ({ params }) => sessions.find(params.sessionId).cancel());
}
