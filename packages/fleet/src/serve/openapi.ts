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

const LAST_EVENT = {
  name: "Last-Event-ID",
  in: "header",
  schema: { type: "integer", minimum: 0 },
  description: "The id of the last event that a reconnecting reader has. Counts more than `from`.",
} as const;

const PROMPT = {
  oneOf: [
    { type: "string", minLength: 1 },
    { type: "array", minItems: 1, items: { $ref: "#/components/schemas/Block" } },
  ],
  description: "A text, or blocks of text and images.",
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
const PROBLEMS: Readonly<Record<number, string>> = {
  400: "The request is invalid.",
  401: "The token is missing or not known.",
  403: "The token does not have the scope, or the origin is not allowed.",
  404: "There is no such session or question.",
  409: "The session exists already, or is in use.",
  413: "The body is too large.",
  415: "The body is not JSON.",
  421: "The server does not answer for this host.",
  429: "Too many requests or event streams; see Retry-After.",
  503: "The server, its store or its queue is not ready. Send the request again.",
};
const ALWAYS = [421];
const WITH_TOKEN = [401, 403, 429, 503];
const WITH_BODY = [400, 413, 415];

function problem(description: string): object {
  return { description, content: { "application/problem+json": { schema: ref("Problem") } } };
}

interface Operation {
  readonly id: string;
  readonly summary: string;
  readonly scope?: string;
  /** The statuses of problems that only some operations have. */
  readonly problems?: readonly number[];
  readonly parameters?: readonly object[];
  readonly body?: object;
  readonly responses: Readonly<Record<string, object>>;
}

function operation(given: Operation): object {
  const { id, summary, scope, parameters = [], body, responses, problems = [] } = given;
  const statuses = [
    ...ALWAYS,
    ...(scope === undefined ? [] : WITH_TOKEN),
    ...(body === undefined ? [] : WITH_BODY),
    ...problems,
  ];
  const failures = [...new Set(statuses)].map((status) => [status, problem(PROBLEMS[status] ?? "")]);
  return {
    operationId: id,
    summary: scope === undefined ? summary : `${summary} Scope: ${scope}.`,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: true, ...json(body) } }),
    responses: { ...responses, ...Object.fromEntries(failures), default: problem("The request failed.") },
    ...(scope === undefined ? { security: [] } : {}),
  };
}

const ACCEPTED = { "202": ok("Stored; a worker takes it.", ref("Accepted")) };

const PATHS = {
  "/v1/sessions": {
    get: operation({
      id: "listSessions",
      summary: "List the sessions, newest first.",
      problems: [400],
      scope: "read",
      parameters: [LIMIT],
      responses: {
        "200": ok(
          "The sessions.",
          object({ sessions: { type: "array", items: ref("Summary") } }, ["sessions"]),
        ),
      },
    }),
    post: operation({
      id: "createSession",
      summary: "Create a session with its first prompt.",
      problems: [409],
      scope: "write",
      body: object({ id: { type: "string" }, prompt: PROMPT }, ["prompt"]),
      responses: { "201": ok("Created.", ref("Accepted")) },
    }),
  },
  "/v1/sessions/{id}": {
    get: operation({
      id: "getSession",
      summary: "Show what a session is doing.",
      problems: [404],
      scope: "read",
      parameters: [ID],
      responses: { "200": ok("The session.", ref("Session")) },
    }),
    delete: operation({
      id: "deleteSession",
      summary: "Delete a session with everything that belongs to it.",
      problems: [404, 409],
      scope: "write",
      parameters: [ID],
      responses: { "204": { description: "Deleted." } },
    }),
  },
  "/v1/sessions/{id}/prompts": {
    post: operation({
      id: "sendPrompt",
      summary: "Send a prompt.",
      problems: [404],
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
      id: "interrupt",
      summary: "Stop the current run.",
      problems: [404],
      scope: "write",
      parameters: [ID],
      responses: ACCEPTED,
    }),
  },
  "/v1/sessions/{id}/events": {
    get: operation({
      id: "streamEvents",
      summary: "Stream the events of a session: those so far, then live.",
      problems: [400, 404],
      scope: "read",
      parameters: [ID, FROM, LAST_EVENT, FINITE, DELTAS],
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
      id: "listQuestions",
      summary: "List the questions that wait for a person.",
      problems: [404],
      scope: "read",
      parameters: [ID],
      responses: {
        "200": ok(
          "The questions.",
          object({ questions: { type: "array", items: ref("Question") } }, ["questions"]),
        ),
      },
    }),
  },
  "/v1/sessions/{id}/questions/{question}/answer": {
    post: operation({
      id: "answerQuestion",
      summary: "Answer a question.",
      problems: [404],
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
      id: "getTimeline",
      summary: "Show what ran when, as a page.",
      problems: [404],
      scope: "read",
      parameters: [ID],
      responses: {
        "200": { description: "The page.", content: { "text/html": { schema: { type: "string" } } } },
      },
    }),
  },
  "/metrics": {
    get: operation({
      id: "getMetrics",
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
    get: operation({
      id: "isAlive",
      summary: "The process is alive.",
      responses: { "200": { description: "Alive." } },
    }),
  },
  "/readyz": {
    get: operation({
      id: "isReady",
      summary: "The store and the queue respond.",
      problems: [503],
      responses: { "200": { description: "Ready." } },
    }),
  },
  "/openapi.json": {
    get: operation({
      id: "getOpenApi",
      summary: "This document.",
      responses: { "200": { description: "It." } },
    }),
  },
};

const text = { type: "string" } as const;
const date = { type: "string", format: "date-time" } as const;
const MEDIA = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
const SCHEMAS = {
  Accepted: object({ id: text }, ["id"]),
  Problem: object({ type: text, title: text, status: { type: "integer" }, detail: text }, [
    "type",
    "title",
    "status",
    "detail",
  ]),
  Block: {
    oneOf: [
      object({ type: { const: "text" }, text: { type: "string", minLength: 1 } }, ["type", "text"]),
      object({ type: { const: "image" }, source: ref("ImageSource") }, ["type", "source"]),
    ],
  },
  ImageSource: {
    oneOf: [
      object(
        {
          type: { const: "base64" },
          media_type: { type: "string", enum: MEDIA },
          data: { type: "string", contentEncoding: "base64", minLength: 1 },
        },
        ["type", "media_type", "data"],
      ),
      object({ type: { const: "url" }, url: { type: "string", format: "uri" } }, ["type", "url"]),
    ],
  },
  Summary: object(
    { id: text, createdAt: date, updatedAt: date, firstPrompt: text, isRunning: { type: "boolean" } },
    ["id", "createdAt", "updatedAt", "firstPrompt", "isRunning"],
  ),
  Question: object({ id: text, callId: text, toolName: text, input: {}, reason: text }, [
    "id",
    "callId",
    "toolName",
    "input",
    "reason",
  ]),
  Run: {
    type: "object",
    properties: {
      status: text,
      reason: { type: "string", description: "With `ended`: why. `completed` if the work is done." },
      detail: { type: "string", description: "With `ended` and `failed`: more about it." },
      text: { type: "string", description: "With `ended`: the text of the last response." },
      since: { ...date, description: "With `waiting`: since when." },
      failures: { type: "integer", description: "With `begun`: how often the model was not available." },
      trace: { type: "string", description: "The traceparent of the request that caused the run." },
    },
    required: ["status"],
  },
  Session: object(
    {
      id: text,
      status: {
        type: "string",
        description:
          "`new`: not taken by a worker yet. `begun`: at work. `waiting`: for a person. `ended`, `interrupted` or `failed`.",
      },
      run: { ...ref("Run"), description: "Left out while the status is `new`." },
      questions: { type: "array", items: ref("Question") },
    },
    ["id", "status", "questions"],
  ),
};

export function openApi(version: string): object {
  return {
    openapi: "3.1.0",
    info: {
      title: "Runahead",
      version,
      description: "Agents over HTTP.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    security: [{ token: [] }],
    paths: PATHS,
    components: {
      schemas: SCHEMAS,
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
    },
  };
}
