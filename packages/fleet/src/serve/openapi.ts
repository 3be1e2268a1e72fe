/** The OpenAPI document of the HTTP interface. */

const ID = { name: "id", in: "path", required: true, schema: { type: "string" } } as const;
const QUESTION = { name: "question", in: "path", required: true, schema: { type: "string" } } as const;
const LIMIT = {
  name: "limit",
  in: "query",
  schema: { type: "integer", minimum: 1, maximum: 1_000, default: 200 },
  description: "How many sessions are listed at most.",
} as const;
const FROM = {
  name: "from",
  in: "query",
  schema: { type: "integer", minimum: 0 },
  description: "The position to begin at. A reconnecting reader sends Last-Event-ID instead.",
} as const;
const FINITE = {
  name: "until",
  in: "query",
  schema: { type: "string", enum: ["now"] },
  description: "now: end the stream when all events so far were sent.",
} as const;

const DELTAS = {
  name: "deltas",
  in: "query",
  schema: { type: "boolean", default: false },
  description:
    "true: also send text-delta events, which are parts of texts while they arrive. They have no id.",
} as const;

const PROMPT = {
  oneOf: [
    { type: "string", minLength: 1 },
    { type: "array", items: { type: "object" } },
  ],
  description: "A text, or content blocks of the Messages API.",
} as const;

const json = (schema: object): object => ({ content: { "application/json": { schema } } });
const object = (properties: object, required: readonly string[] = []): object => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
const ok = (description: string, schema: object): object => ({ description, ...json(schema) });
const PROBLEM = {
  description: "The request failed; `detail` says why.",
  content: { "application/problem+json": { schema: ref("Problem") } },
};

interface Operation {
  readonly summary: string;
  readonly scope?: string;
  readonly parameters?: readonly object[];
  readonly body?: object;
  readonly responses: Readonly<Record<string, object>>;
}

function operation({ summary, scope, parameters = [], body, responses }: Operation): object {
  return {
    summary: scope === undefined ? summary : `${summary} Scope: ${scope}.`,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: true, ...json(body) } }),
    responses: { ...responses, default: PROBLEM },
    ...(scope === undefined ? { security: [] } : {}),
  };
}

const ACCEPTED = { "202": ok("Stored; a worker takes it.", ref("Accepted")) };

const PATHS = {
  "/v1/sessions": {
    get: operation({
      summary: "List the sessions, newest first.",
      scope: "read",
      parameters: [LIMIT],
      responses: {
        "200": ok("The sessions.", object({ sessions: { type: "array", items: ref("Summary") } })),
      },
    }),
    post: operation({
      summary: "Create a session with its first prompt.",
      scope: "write",
      body: object({ id: { type: "string" }, prompt: PROMPT }, ["prompt"]),
      responses: { "201": ok("Created.", ref("Accepted")) },
    }),
  },
  "/v1/sessions/{id}": {
    get: operation({
      summary: "Show what a session is doing.",
      scope: "read",
      parameters: [ID],
      responses: { "200": ok("The session.", ref("Session")) },
    }),
    delete: operation({
      summary: "Delete a session with everything that belongs to it.",
      scope: "write",
      parameters: [ID],
      responses: { "204": { description: "Deleted." } },
    }),
  },
  "/v1/sessions/{id}/prompts": {
    post: operation({
      summary: "Send a prompt.",
      scope: "write",
      parameters: [ID],
      body: object({ prompt: PROMPT, id: { type: "string", description: "Repeating it has no effect." } }, [
        "prompt",
      ]),
      responses: ACCEPTED,
    }),
  },
  "/v1/sessions/{id}/interrupt": {
    post: operation({
      summary: "Stop the current run.",
      scope: "write",
      parameters: [ID],
      responses: ACCEPTED,
    }),
  },
  "/v1/sessions/{id}/events": {
    get: operation({
      summary: "Stream the events of a session: those so far, then live.",
      scope: "read",
      parameters: [ID, FROM, FINITE, DELTAS],
      responses: {
        "200": {
          description:
            "Server-sent events. `id` is the position, `event` the type, `data` the entry of the journal.",
          content: { "text/event-stream": { schema: { type: "string" } } },
        },
      },
    }),
  },
  "/v1/sessions/{id}/questions": {
    get: operation({
      summary: "List the questions that wait for a person.",
      scope: "read",
      parameters: [ID],
      responses: {
        "200": ok("The questions.", object({ questions: { type: "array", items: ref("Question") } })),
      },
    }),
  },
  "/v1/sessions/{id}/questions/{question}/answer": {
    post: operation({
      summary: "Answer a question.",
      scope: "answer",
      parameters: [ID, QUESTION],
      body: object({ behavior: { type: "string", enum: ["allow", "deny"] }, message: { type: "string" } }, [
        "behavior",
      ]),
      responses: ACCEPTED,
    }),
  },
  "/v1/sessions/{id}/timeline": {
    get: operation({
      summary: "Show what ran when, as a page.",
      scope: "read",
      parameters: [ID],
      responses: {
        "200": { description: "The page.", content: { "text/html": { schema: { type: "string" } } } },
      },
    }),
  },
  "/metrics": {
    get: operation({
      summary: "Metrics in the OpenMetrics text format.",
      scope: "metrics",
      responses: {
        "200": {
          description: "The metrics.",
          content: { "application/openmetrics-text": { schema: { type: "string" } } },
        },
      },
    }),
  },
  "/healthz": {
    get: operation({ summary: "The process is alive.", responses: { "200": { description: "Alive." } } }),
  },
  "/readyz": {
    get: operation({ summary: "The store responds.", responses: { "200": { description: "Ready." } } }),
  },
  "/openapi.json": {
    get: operation({ summary: "This document.", responses: { "200": { description: "It." } } }),
  },
};

const text = { type: "string" } as const;
const SCHEMAS = {
  Accepted: object({ id: text }, ["id"]),
  Problem: {
    type: "object",
    properties: { type: text, title: text, status: { type: "integer" }, detail: text },
    required: ["title", "status", "detail"],
  },
  Summary: object(
    { id: text, createdAt: text, updatedAt: text, firstPrompt: text, isRunning: { type: "boolean" } },
    ["id"],
  ),
  Question: object({ id: text, callId: text, toolName: text, input: {}, reason: text }, ["id", "toolName"]),
  Session: object({ id: text, status: text, run: {}, questions: { type: "array", items: ref("Question") } }, [
    "id",
    "status",
    "questions",
  ]),
};

export function openApi(version: string): object {
  return {
    openapi: "3.1.0",
    info: { title: "Runahead", version, description: "Agents as a service." },
    security: [{ token: [] }],
    paths: PATHS,
    components: {
      schemas: SCHEMAS,
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
    },
  };
}
