/** The trust dialog: lists everything that trust would enable, before any of it runs. */

import { trustIn } from "@runahead/harness";
import type { RunFlags } from "../../shared/flags.ts";
import { type UntrustedContent, untrustedContent } from "../../shared/untrusted.ts";
import type { World } from "../../shared/world.ts";
import type { Choosing } from "./chooser.ts";
import { reveal } from "../../shared/safe-text.ts";
import { bold, dim } from "../screen/style.ts";

type TrustQuestion = Choosing & Pick<UntrustedContent, "accepted">;

/** Returns undefined if the folder is already trusted or contains nothing that needs trust. */
export async function trustQuestion(world: World, flags: RunFlags): Promise<TrustQuestion | undefined> {
  if (flags.trust === true || flags.bare === true || (await trustIn(world).isTrusted(world.cwd)))
    return undefined;
  const content = await untrustedContent(world, flags);
  return content.kinds.length === 0 ? undefined : { ...questionAbout(content), accepted: content.accepted };
}

/** Shows everything in full. Trust can be chosen only after everything that allows or runs something was shown. */
export function questionAbout({ root, kinds }: Pick<UntrustedContent, "root" | "kinds">): Choosing {
  const head = [bold(shown(root)), "Until you trust this folder, none of the following takes effect:"];
  const linesOf = (isWanted: boolean): string[] =>
    kinds
      .filter(({ grants }) => grants === isWanted)
      .flatMap(({ title, items }) => [dim(`${title}:`), ...items.map((item) => `  ${shown(item)}`)]);
  const granting = [...head, ...linesOf(true)];
  return {
    title: "Do you trust this folder?",
    lines: [...granting, ...linesOf(false)],
    mustRead: granting.length,
    choices: [
      { value: "yes", label: "Trust this folder", needsReading: true },
      { value: "once", label: "Trust for this session", needsReading: true },
      { value: "no", label: "Do not trust (deny and ask rules still apply)" },
    ],
    at: 2,
  };
}

/** A line break in a value must not look like another entry. */
function shown(text: string): string {
  return reveal(text).replaceAll("\n", "\\n");
}
