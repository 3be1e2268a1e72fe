/** `/rewind`: back to before a prompt, with the conversation, the files, or both. */

import type { Agent, PromptPlace, WorkspaceChanges } from "@runahead/harness";
import type { Checkpoints } from "../checkpoints.ts";
import type { Choice, Choosing } from "./chooser.ts";
import { typedText } from "../input/prompt.ts";
import { strip } from "../../shared/safe-text.ts";
import { dim, yellow } from "../screen/style.ts";
import { oneLine, plural } from "../../shared/words.ts";

export interface RewindPorts {
  readonly agent: Agent;
  readonly checkpoints: Checkpoints;
  readonly choose: (choosing: Choosing) => Promise<string | undefined>;
  /** What was typed then can be typed anew. */
  readonly put: (text: string) => void;
}

const MOST_NAMES = 10;
const UNDO = "undo";
const NOTHING = ["Nothing was changed."];

export async function rewind(ports: RewindPorts): Promise<string[]> {
  const { agent, checkpoints, choose } = ports;
  const places = agent.prompts.toReversed();
  if (agent.isBusy || agent.waiting.length > 0) return ["Something is under way: Esc interrupts it first."];
  const undo =
    checkpoints.undo === undefined ? [] : [{ value: UNDO, label: "Undo what was last brought back" }];
  if (places.length === 0 && undo.length === 0) return ["There is nothing to go back to yet."];
  const choices = [...undo, ...places.map((place) => choiceOf(place, agent))];
  const chosen = await choose({ title: "Back to before", choices });
  if (chosen === UNDO) return restored(checkpoints, checkpoints.undo ?? "");
  const place = places.find(({ messages }) => String(messages) === chosen);
  return place === undefined ? NOTHING : backTo(place, ports);
}

function textAt({ messages, text }: PromptPlace, agent: Agent): string {
  const content = agent.messages[messages]?.content;
  return content === undefined ? text : typedText(content);
}

function choiceOf(place: PromptPlace, agent: Agent): Choice {
  const description = place.snapshot === undefined ? "conversation only" : "";
  return { value: String(place.messages), label: oneLine(textAt(place, agent)), description };
}

async function backTo(
  place: PromptPlace,
  { agent, checkpoints, choose, put }: RewindPorts,
): Promise<string[]> {
  const { snapshot, messages } = place;
  const withFiles = [
    { value: "both", label: "Conversation and files" },
    { value: "conversation", label: "Conversation" },
    { value: "files", label: "Files" },
  ];
  const chosen = await choose({
    title: `Back to before: ${oneLine(textAt(place, agent))}`,
    lines: await changedLines(checkpoints, snapshot),
    choices: [
      ...(snapshot === undefined ? [{ value: "conversation", label: "Conversation" }] : withFiles),
      { value: "nothing", label: "Never mind" },
    ],
  });
  const lines: string[] = [];
  if ((chosen === "both" || chosen === "files") && snapshot !== undefined)
    lines.push(...(await restored(checkpoints, snapshot)));
  if (chosen === "both" || chosen === "conversation") {
    const text = textAt(place, agent);
    await agent.rewind(messages);
    put(text);
    lines.push(`The conversation goes on after ${plural(messages, "message")}.`);
  }
  return lines.length === 0 ? NOTHING : lines;
}

async function changedLines(checkpoints: Checkpoints, snapshot: string | undefined): Promise<string[]> {
  if (snapshot === undefined) return [dim("There is no snapshot of the files.")];
  const changes = await checkpoints.changes(snapshot);
  if (changes.type === "not-compared") return [yellow(strip(changes.reason))];
  const words = changeWords(changes, { added: "new since", changed: "changed since", removed: "gone since" });
  return words.length === 0 ? [dim("The files are as they were.")] : words;
}

async function restored(checkpoints: Checkpoints, id: string): Promise<string[]> {
  const end = await checkpoints.restore(id);
  if (end.type === "not-restored") return [yellow(`No file was changed: ${strip(end.reason)}`)];
  const words = changeWords(end.changes, {
    added: "made again",
    changed: "brought back",
    removed: "removed",
  });
  return [
    ...(words.length === 0 ? ["The files were as they are."] : words),
    ...end.notRestored.map(({ path, reason }) => yellow(`not as it was: ${strip(path)}: ${strip(reason)}`)),
    ...(words.length === 0 ? [] : [dim("/rewind can undo this.")]),
  ];
}

function changeWords(
  changes: WorkspaceChanges,
  words: Readonly<Record<keyof WorkspaceChanges, string>>,
): string[] {
  return (["changed", "added", "removed"] as const).flatMap((kind) => {
    const paths = changes[kind].map((path) => oneLine(path));
    const more = paths.length - MOST_NAMES;
    const shown = paths.slice(0, MOST_NAMES).join(", ");
    return paths.length === 0 ? [] : [`${words[kind]}: ${shown}${more > 0 ? ` and ${more} more` : ""}`];
  });
}
