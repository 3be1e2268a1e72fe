import { expect, test } from "vitest";
import type { CallEntry } from "../transcript/call-entry.ts";
import { strip } from "../../shared/safe-text.ts";
import { Viewer } from "./viewer.ts";

const UP = "\u001b[A";
const DOWN = "\u001b[B";
const HOME = "\u001b[H";

/** A command that prints numbers. */
function counting(): { entry: CallEntry & { isRunning: boolean }; print: (count: number) => void } {
  const lines: string[] = [];
  const entry = { isRunning: true, isFolded: false, why: "", title: "Count", whole: () => lines };
  const print = (count: number): void => {
    for (let at = 0; at < count; at++) lines.push(`line ${lines.length + 1}`);
  };
  return { entry: entry as unknown as CallEntry & { isRunning: boolean }, print };
}

function shownBy(viewer: Viewer): string[] {
  return viewer
    .render(80, 8)
    .map(strip)
    .filter((line) => line.startsWith("line"));
}

test("the output of a running call is followed until the user scrolls up, and again from the end", () => {
  const { entry, print } = counting();
  const viewer = new Viewer([entry], () => {});
  print(20);
  expect(shownBy(viewer)).toEqual(["line 16", "line 17", "line 18", "line 19", "line 20"]);
  print(5);
  expect(shownBy(viewer).at(-1)).toBe("line 25");
  viewer.handleInput(UP);
  expect(shownBy(viewer).at(-1)).toBe("line 24");
  print(5);
  expect(shownBy(viewer).at(-1)).toBe("line 24");
  for (let pressed = 0; pressed < 6; pressed++) {
    viewer.handleInput(DOWN);
    shownBy(viewer);
  }
  print(1);
  expect(shownBy(viewer).at(-1)).toBe("line 31");
});

test("the output of a call that has ended is shown from its start, and stays where it is when the call ends", () => {
  const { entry, print } = counting();
  print(20);
  const open = new Viewer([entry], () => {});
  shownBy(open);
  entry.isRunning = false;
  expect(shownBy(open).at(-1)).toBe("line 20");
  open.handleInput(HOME);
  expect(shownBy(open)[0]).toBe("line 1");
  expect(shownBy(new Viewer([entry], () => {}))[0]).toBe("line 1");
});
