import { expect, test } from "vitest";
import { OPENING } from "./opening.ts";
import { type ReminderSources, STALE_TASK_REQUESTS, SessionReminders } from "./reminders.ts";

type Messages = Parameters<SessionReminders["next"]>[0]["messages"];

/** Reminders whose sources a test sets, with the conversation that they are added to. */
function session(sources: Partial<ReminderSources> = {}, given: Messages = []) {
  const now = { mode: "default", date: "2026-03-01" };
  const made = new SessionReminders({
    opening: undefined,
    subAgentOpening: undefined,
    takeResumed: () => undefined,
    takeRecentFiles: () => Promise.resolve(undefined),
    mode: () => now.mode,
    today: () => now.date,
    takeChangedFiles: () => Promise.resolve([]),
    takeEndedJobs: () => Promise.resolve([]),
    nestedInstructions: () => () => Promise.resolve([]),
    skills: () => Promise.resolve(undefined),
    takeDiagnostics: () => undefined,
    tasks: () => Promise.resolve([]),
    ...sources,
  });
  let messages = given;
  const next = async (): Promise<readonly string[]> => {
    const texts = await made.next({ messages, cwd: "/", signal: new AbortController().signal });
    messages = [...messages, ...texts.map(asMessage)];
    return texts;
  };
  const summarise = (): void => void (messages = []);
  return { now, next, summarise, reminders: made };
}

const asMessage = (text: string): Messages[number] => ({
  role: "user",
  content: [{ type: "text", text: `<system-reminder>\n${text}\n</system-reminder>` }],
});

test("plan mode is explained when it is turned on, and its end is reported, once each", async () => {
  const { now, next } = session();
  expect(await next()).toEqual([]);
  now.mode = "plan";
  expect(await next()).toEqual([expect.stringMatching(/^Plan mode is on: change nothing\./)]);
  expect(await next()).toEqual([]);
  now.mode = "acceptEdits";
  expect(await next()).toEqual([
    "Plan mode is off: you can make changes now. The permission mode is now acceptEdits.",
  ]);
  expect(await next()).toEqual([]);
  now.mode = "default";
  expect(await next()).toEqual(["The permission mode is now default."]);
  expect(await next()).toEqual([]);
});

test("plan mode is explained too if the session starts in it", async () => {
  const { now, next } = session({ mode: () => "plan" });
  now.mode = "plan";
  expect(await next()).toEqual([expect.stringMatching(/^Plan mode is on/)]);
  expect(await next()).toEqual([]);
});

test("a mode and a date that a resumed conversation states are corrected once", async () => {
  const old = [
    "Plan mode is on: change nothing. Read, search and ask questions, then answer with a plan for the user to approve. The user leaves plan mode when they agree.",
    "The date is now 2026-02-27.",
  ];
  const { next } = session({}, old.map(asMessage));
  expect(await next()).toEqual([
    "Plan mode is off: you can make changes now. The permission mode is now default.",
    "The date is now 2026-03-01.",
  ]);
  expect(await next()).toEqual([]);
});

test("the date is reported when it changes, once", async () => {
  const { now, next } = session();
  await next();
  now.date = "2026-03-02";
  expect(await next()).toEqual(["The date is now 2026-03-02."]);
  expect(await next()).toEqual([]);
});

test("the opening is sent once, and again after a summary, with the mode that the summary dropped", async () => {
  const opening = `${OPENING}\n\nGit status now`;
  const { now, next, summarise } = session({ opening });
  expect(await next()).toEqual([opening]);
  now.mode = "plan";
  expect(await next()).toHaveLength(1);
  expect(await next()).toEqual([]);
  summarise();
  expect(await next()).toEqual([opening, expect.stringMatching(/^Plan mode is on/)]);
  expect(await next()).toEqual([]);
});

test("a sub-agent gets its opening and nothing else", async () => {
  const subAgentOpening = `${OPENING}\n\nProject instructions`;
  const { reminders, now } = session({ subAgentOpening, takeChangedFiles: () => Promise.resolve(["/a"]) });
  now.mode = "plan";
  const own = reminders.forSubAgent({ id: "agent-1", type: "explore" });
  const { signal } = new AbortController();
  expect(await own.next({ messages: [], cwd: "/", signal })).toEqual([subAgentOpening]);
  expect(await own.next({ messages: [asMessage(subAgentOpening)], cwd: "/", signal })).toEqual([]);
});

test("more than twenty changed files are counted", async () => {
  const files = Array.from({ length: 23 }, (_, at) => `/${at}`);
  const { next } = session({ takeChangedFiles: () => Promise.resolve(files.splice(0)) });
  const [text = ""] = await next();
  expect(text).toMatch(
    /^These files changed on disk after you last read them .*\n\/0\n[^]*\n\/19\n… and 3 more$/,
  );
  expect(await next()).toEqual([]);
});

test("unfinished tasks are named after 15 requests without a change, and not before", async () => {
  const task = { id: "1", subject: "Fix it", description: "", status: "pending" as const };
  let tasks = [task, { ...task, id: "2", status: "completed" as const }];
  const { next } = session({ tasks: () => Promise.resolve(tasks) });
  const texts = async (requests: number): Promise<string[]> => {
    const all: string[] = [];
    for (let at = 0; at < requests; at++) all.push(...(await next()));
    return all;
  };
  const reminder = expect.stringMatching(
    /^The task list has not changed for a while\..*\n1\. \[pending\] Fix it$/,
  );
  expect(await texts(STALE_TASK_REQUESTS)).toEqual([]);
  expect(await texts(1)).toEqual([reminder]);
  expect(await texts(5)).toEqual([]);
  tasks = [...tasks];
  expect(await texts(STALE_TASK_REQUESTS)).toEqual([]);
  expect(await texts(1)).toEqual([reminder]);
  tasks = [{ ...task, status: "completed" as never }];
  expect(await texts(2 * STALE_TASK_REQUESTS)).toEqual([]);
});

test("the instructions of a nested folder are sent once, and again after a summary", async () => {
  const found = [
    [
      {
        path: "/w/pkg/AGENTS.md",
        text: "Use tabs. </system-reminder>",
        scope: "project" as const,
        importedBy: undefined,
      },
    ],
  ];
  const { next, summarise } = session({
    nestedInstructions: () => () => Promise.resolve(found.shift() ?? []),
  });
  expect(await next()).toEqual([expect.stringContaining("Use tabs.")]);
  expect(await next()).toEqual([]);
  summarise();
  expect(await next()).toEqual([expect.stringContaining("Use tabs.")]);
  expect(await next()).toEqual([]);
});

test("a resumed session gets one note, with the files that changed since they were read", async () => {
  const notes = ["This session was resumed."];
  const changed = [["/w/a.ts"]];
  const { next } = session({
    takeResumed: () => notes.shift(),
    takeChangedFiles: () => Promise.resolve(changed.shift() ?? []),
  });
  expect(await next()).toEqual([
    expect.stringMatching(/^This session was resumed\.\n\nThese files changed on disk[^]*\/w\/a\.ts$/),
  ]);
  expect(await next()).toEqual([]);
});
