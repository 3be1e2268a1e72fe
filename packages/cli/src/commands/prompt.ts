/** `runahead prompt`: prints what the model reads before the first prompt, with the size of each part. */

import { type PromptReport, previewPrompt } from "@runahead/harness";
import { EXIT } from "../shared/exit.ts";
import type { World } from "../shared/world.ts";
import { asJson } from "./load.ts";

export interface PromptFlags {
  readonly sizes?: boolean;
  readonly json?: boolean;
  readonly trust?: boolean;
  readonly settings?: string;
  readonly model?: string;
  readonly appendSystemPrompt?: string;
}

export async function showPrompt(world: World, { sizes, json, ...flags }: PromptFlags): Promise<number> {
  const { cwd, home, env } = world;
  const onNotice = (message: string): void => world.complain(`warning: ${message}`);
  // The same tools as at a terminal, where questions can be answered.
  const person = { askPerson: nobodyAsks, askUser: nobodyAsks };
  const report = await previewPrompt({ cwd, home, env, onNotice, ...person, ...flags });
  if (json === true) world.print(asJson(report));
  else world.print(sizes === true ? sizeTable(report) : `${wholeText(report)}\n\n${sizeTable(report)}`);
  return EXIT.done;
}

function nobodyAsks(): Promise<never> {
  return Promise.reject(new Error("A preview does not ask questions."));
}

function wholeText({ system, opening, tools }: PromptReport): string {
  const parts = [
    `=== system prompt ===\n${system}`,
    `=== reminder before the first prompt ===\n${opening ?? "(none)"}`,
    ...tools.map(({ name, text }) => `=== tool ${name} ===\n${text}`),
  ];
  return parts.join("\n\n");
}

function sizeTable({ system, opening, tools }: PromptReport): string {
  const toolChars = tools.reduce((sum, { text }) => sum + compact(text).length, 0);
  const rows: [string, number][] = [
    ["system prompt", system.length],
    ["reminder before the first prompt", opening?.length ?? 0],
    [`${tools.length} tools`, toolChars],
    ...tools.map(({ name, text }): [string, number] => [`  ${name}`, compact(text).length]),
    ["total", system.length + (opening?.length ?? 0) + toolChars],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return [
    "Characters sent with the first request (MCP tools not included)",
    ...rows.map(([name, chars]) => `${name.padEnd(width)}  ${chars.toLocaleString("en-US").padStart(9)}`),
  ].join("\n");
}

/** The JSON as it is sent, without line breaks. */
function compact(text: string): string {
  return JSON.stringify(JSON.parse(text));
}
