import { expect, test } from "vitest";
import type { SavedJobs } from "@runahead/tools";
import { ResumeNote } from "./resumed.ts";

const NO_JOBS: SavedJobs = { last: 0, running: [] };

function note({
  now = "2026-03-02T10:00:00.000Z",
  branch = undefined as string | undefined,
  jobs = NO_JOBS,
} = {}) {
  const restored: unknown[] = [];
  const made = new ResumeNote({
    now: () => new Date(now),
    jobs: { save: () => jobs, restore: (saved) => void restored.push(saved) },
    branch,
  });
  return { made, restored };
}

test("a new session gets no note", () => {
  expect(note().made.take()).toBeUndefined();
});

test("the note says when, how much later, on which branch, and which jobs ended, once", () => {
  const jobs = { last: 3, running: [{ id: "bash_3", command: "npm run dev" }] };
  const saved = JSON.parse(
    JSON.stringify(note({ now: "2026-03-01T20:00:00.000Z", jobs }).made.save()),
  ) as unknown;
  const { made, restored } = note({ branch: "fix-login" });
  made.restore(saved);
  expect(made.take()).toBe(
    "This session was resumed at 2026-03-02T10:00:00.000Z, 14 hours after its last turn. The git branch is fix-login. " +
      "These background jobs ended with the previous process; start them again if you need them:\nbash_3: npm run dev",
  );
  expect(made.take()).toBeUndefined();
  expect(restored).toEqual([jobs]);
});

test.each([
  ["2026-03-02T09:59:59.000Z", "1 second after"],
  ["2026-03-02T09:58:30.000Z", "90 seconds after"],
  ["2026-03-02T09:15:00.000Z", "45 minutes after"],
  ["2026-02-20T10:00:00.000Z", "10 days after"],
  // The clock was set back.
  ["2026-03-02T11:00:00.000Z", "0 seconds after"],
])("the time since %s is given in a unit that fits", (at, words) => {
  const { made } = note();
  made.restore({ at, jobs: NO_JOBS });
  expect(made.take()).toContain(words);
});

test("a state of another version does no harm", () => {
  for (const data of [undefined, 7, [], "x"]) {
    const { made } = note();
    made.restore(data);
    expect(made.take()).toBeUndefined();
  }
  const { made } = note({ branch: "" });
  made.restore({ at: "never", jobs: { running: [1, { id: 2 }] } });
  expect(made.take()).toContain("This session was resumed. There is no current git branch (detached HEAD).");
});
