import { expect, test } from "vitest";
import type { LoadedSettings } from "../settings/loaded.ts";
import { DEFAULT_DAYS, retentionDays } from "./retention.ts";

type Files = LoadedSettings["files"];

const file = (level: string, value: unknown): Files[number] =>
  ({ level, settings: [{ type: "other", key: "cleanupPeriodDays", value }] }) as unknown as Files[number];

test("sessions are kept for 30 days, or as long as the user's or managed settings say", () => {
  expect(retentionDays({ files: [] })).toBe(DEFAULT_DAYS);
  expect(retentionDays({ files: [file("user", 7)] })).toBe(7);
  expect(retentionDays({ files: [file("user", 0)] })).toBe(0);
  expect(retentionDays({ files: [file("managed", 90), file("user", 7)] })).toBe(90);
});

test("settings of a repository and values that are not a number of days do not count", () => {
  for (const level of ["project", "local"])
    expect(retentionDays({ files: [file(level, 0.1), file("user", 14)] })).toBe(14);
  for (const value of ["7", -1, null, Number.NaN])
    expect(retentionDays({ files: [file("user", value)] })).toBe(DEFAULT_DAYS);
});
