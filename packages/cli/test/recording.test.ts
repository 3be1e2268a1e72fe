import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

test("the recording in the README plays by CSS alone, asks for nothing, shows no temporary paths and is at most 300 KB", () => {
  const svg = readFileSync(new URL("../../../docs/demo.svg", import.meta.url), "utf8");
  expect(Buffer.byteLength(svg)).toBeLessThanOrEqual(300_000);
  expect(svg).toMatch(/@keyframes/);
  expect(svg).not.toMatch(/<script|<foreignObject|<image|@import|url\(|href="(?!#)/);
  for (const seen of ["find users of discounted", "(cents * percent)", "saved by running ahead"])
    expect(svg).toContain(seen);
  expect(svg).not.toMatch(/\/tmp\/|\$0\.0000/);
});

test("the pictures of the docs come from the same script: no scripts, no requests, no temporary paths", () => {
  for (const [name, ...seen] of [
    ["agents.svg", "find users of discounted", "running"],
    ["dialog.svg", "Change this file?", "   4 - ", "allow once"],
  ]) {
    const svg = readFileSync(new URL(`../../../docs/${name}`, import.meta.url), "utf8");
    expect(svg).not.toMatch(/<script|<foreignObject|<image|@import|url\(|href="(?!#)|\/tmp\//);
    for (const text of seen) expect(svg).toContain(text);
  }
});
