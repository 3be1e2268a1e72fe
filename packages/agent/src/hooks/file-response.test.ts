import { expect, test } from "vitest";
import { originalOf } from "./file-response.ts";

const hunk = (newStart: number, newLines: number, lines: readonly string[]) => ({
  newStart,
  newLines,
  lines,
});
const MARK = String.raw`\ No newline at end of file`;

const undone = (text: string, ...hunks: readonly object[]): string | null =>
  originalOf(text, { diff: { type: "hunks", hunks } });

test("a change is undone, also where a file ends without a line break", () => {
  expect(undone("a\nB\nc\n", hunk(1, 3, [" a", "-b", "+B", " c"]))).toBe("a\nb\nc\n");
  expect(undone("a\nB", hunk(1, 2, [" a", "-b", MARK, "+B", MARK]))).toBe("a\nb");
  expect(undone("a\nB\n", hunk(1, 2, [" a", "-b", MARK, "+B"]))).toBe("a\nb");
  expect(undone("a\nB", hunk(1, 2, [" a", "-b", "+B", MARK]))).toBe("a\nb\n");
  expect(undone("A\nb", hunk(1, 2, ["-a", "+A", " b", MARK]))).toBe("a\nb");
});

test("a change far from the end of a file without a line break, and to or from an empty file, is undone", () => {
  expect(undone("A\nb\nc\nd\ne", hunk(1, 4, ["-a", "+A", " b", " c", " d"]))).toBe("a\nb\nc\nd\ne");
  expect(undone("", hunk(0, 0, ["-a", "-b"]))).toBe("a\nb\n");
  expect(undone("", hunk(0, 0, ["-a", MARK]))).toBe("a");
  expect(undone("a\n", hunk(1, 1, ["+a"]))).toBe("");
});

test("several changes of one file are undone, and a new file or one that is too different has no original", () => {
  expect(undone("x\n1\n2\n3\n4\n5\n6\n7\n8\ny\n", hunk(1, 2, ["+x", " 1"]), hunk(9, 2, [" 8", "+y"]))).toBe(
    "1\n2\n3\n4\n5\n6\n7\n8\n",
  );
  expect(originalOf("a", { type: "created", diff: { type: "hunks", hunks: [] } })).toBeNull();
  expect(originalOf("a", { diff: { type: "left-out" } })).toBeNull();
});
