/** `/rewind`: goes back to before a prompt, with the conversation, the files, or both. */

import { type Agent, type PromptPlace, type WorkspaceChanges, isReminder } from "@runahead/harness";
import type { Checkpoints } from "../../shared/checkpoints.ts";
import type { Choice, Choosing } from "./chooser.ts";
import { typedText } from "../input/prompt.ts";
import { strip } from "../../shared/safe-text.ts";
import { dim, yellow } from "../screen/style.ts";
import { oneLine, plural } from "../../shared/words.ts";

export interface RewindPorts {
  readonly agent: Agent;
  readonly checkpoints: Checkpoints;
  readonly choose: (choosing: Choosing) => Promise<string | undefined>;
  /** Puts the old prompt into the input line. */
  readonly put: (text: string) => void;
}

const MOST_NAMES = 10;
const UNDO = "undo";
const FINISH = "finish";
const NOTHING = ["Nothing was changed."];

export async function rewind(ports: RewindPorts): Promise<string[]> {
  const { agent, checkpoints, choose } = ports;
  const places = agent.prompts.toReversed();
  if (agent.isBusy || agent.waiting.length > 0)
    return ["A prompt is still running. Press Esc to interrupt it, then use /rewind."];
  const { undo, interrupted } = checkpoints;
  const ofFiles = [
    ...(interrupted === undefined
      ? []
      : [{ value: FINISH, label: "Finish the interrupted restore of files" }]),
    ...(undo === undefined ? [] : [{ value: UNDO, label: "Undo the last restore of files" }]),
  ];
  if (places.length === 0 && ofFiles.length === 0) return ["Nothing to go back to yet."];
  const choices = [...ofFiles, ...places.map((place) => choiceOf(place, agent))];
  const chosen = await choose({ title: "Which prompt do you want to go back to?", choices });
  if (chosen === FINISH) return restored(checkpoints, interrupted ?? "");
  if (chosen === UNDO) return restored(checkpoints, undo ?? "");
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
    { value: "both", label: "Restore conversation and files" },
    { value: "conversation", label: "Restore conversation" },
    { value: "files", label: "Restore files" },
  ];
  const chosen = await choose({
    title: `What do you want to restore? State before: ${oneLine(textAt(place, agent))}`,
    lines: await changedLines(checkpoints, snapshot),
    choices: [
      ...(snapshot === undefined ? [{ value: "conversation", label: "Restore conversation" }] : withFiles),
      { value: "nothing", label: "Cancel" },
    ],
  });
  const lines: string[] = [];
  if ((chosen === "both" || chosen === "files") && snapshot !== undefined)
    lines.push(...(await restored(checkpoints, snapshot)));
  if (chosen === "both" || chosen === "conversation") {
    const text = textAt(place, agent);
    const kept = agent.messages.slice(0, messages).filter((message) => !isReminder(message)).length;
    await agent.rewind(messages);
    put(text);
    lines.push(`The conversation now continues after ${plural(kept, "message")}.`);
  }
  return lines.length === 0 ? NOTHING : lines;
}

async function changedLines(checkpoints: Checkpoints, snapshot: string | undefined): Promise<string[]> {
  if (snapshot === undefined) return [dim("No snapshot of the files.")];
  const changes = await checkpoints.changes(snapshot);
  if (changes.type === "not-compared") return [yellow(strip(changes.reason))];
  const words = changeWords(changes, {
    added: "added since",
    changed: "changed since",
    removed: "deleted since",
  });
  return words.length === 0 ? [dim("The files have not changed since.")] : words;
}

async function restored(checkpoints: Checkpoints, id: string): Promise<string[]> {
  const end = await checkpoints.restore(id);
  if (end.type === "not-restored") return [yellow(`No files were restored: ${strip(end.reason)}`)];
  const words = changeWords(end.changes, {
    added: "recreated",
    changed: "restored",
    removed: "deleted",
  });
  return [
    ...(words.length === 0 ? ["No files needed to be restored."] : words),
    ...end.notRestored.map(({ path, reason }) => yellow(`not restored: ${strip(path)}: ${strip(reason)}`)),
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
