/** The product's judge of commands with some of its entries removed, as if somebody had forgotten them. */

import type { OptionKind } from "../../../permissions/src/bash/options.ts";
import { CUSTOM } from "../../../permissions/src/bash/read-only-custom.ts";
import { READ_ONLY } from "../../../permissions/src/bash/read-only-table.ts";
import { GIT } from "../../../permissions/src/bash/read-only-tools.ts";
import { type Permissions, createPermissions } from "../../../permissions/src/verdict/permissions.ts";

/** One thing that the judge looks at. Removed, it no longer keeps a command from counting as a read. */
export interface JudgeEntry {
  readonly name: string;
  /** Changes a table of the judge; gives what puts it back. */
  remove?(): () => void;
  /** What the judge no longer sees of a command. */
  unseen?(command: string): string;
}

/** As if every option were listed. */
class AnyOption extends Map<string, OptionKind> {
  override get(): OptionKind {
    return "flag";
  }
  override has(): boolean {
    return true;
  }
}

function replaced<Thing extends object, Key extends keyof Thing>(
  thing: Thing,
  key: Key,
  value: Thing[Key],
): () => void {
  const before = thing[key];
  thing[key] = value;
  return () => (thing[key] = before);
}

const PROGRAMS =
  "touch cp ln mkdir rm mv truncate chmod dd tee sed python3 node mknod curl git kill pkill setsid nohup env cat grep " +
  "rg find umount mount unshare bwrap chroot nsenter keyctl sudo su pkexec newgrp crontab at systemctl systemd-run " +
  "dbus-send docker tmux screen exec trap ulimit bash sh export ps sysctl printf exit echo ls";

const CUSTOM_TABLE = CUSTOM as Map<string, NonNullable<ReturnType<typeof CUSTOM.get>>>;

/** A program that is not in the tables, or whose arguments nobody looks at. */
const programs = PROGRAMS.split(" ").map(
  (name): JudgeEntry => ({
    name: `arguments of ${name}`,
    remove: () => {
      const before = CUSTOM_TABLE.get(name);
      CUSTOM_TABLE.set(name, () => ({ reads: [], looksAround: false }));
      return () => void (before === undefined ? CUSTOM_TABLE.delete(name) : CUSTOM_TABLE.set(name, before));
    },
  }),
);

const options = [...READ_ONLY].map(
  ([name, { options: table }]): JudgeEntry => ({
    name: `options of ${name}`,
    remove: () => replaced(table as { kinds: typeof table.kinds }, "kinds", new AnyOption()),
  }),
);

const subcommands = GIT.map(
  (one): JudgeEntry => ({
    name: `options of git ${one.name.join(" ")}`,
    remove: () => {
      const back = [
        replaced(one.options as { kinds: typeof one.options.kinds }, "kinds", new AnyOption()),
        replaced(one as { isAllowed: typeof one.isAllowed }, "isAllowed", () => true),
      ];
      return () => back.forEach((undo) => undo());
    },
  }),
);

const unseen = (name: string, pattern: RegExp, put: string): JudgeEntry => ({
  name,
  unseen: (command) => command.replaceAll(pattern, put),
});

const forms: readonly JudgeEntry[] = [
  unseen("redirections", /(?:\d|&)?(?:<>|>[>|&]?)\s*[\w./~$'"&-]+/g, " "),
  unseen("substitutions", /\$\([^()]*\)|`[^`]*`/g, "x"),
  unseen("variables", /\$\{?\w+\}?|\$\$/g, "x"),
  unseen("what comes after an operator", /(?:;|&&|\|\|?|&).*$/gs, ""),
  unseen("quoted text", /'[^']*'|"[^"]*"/g, "x"),
  unseen("groups and loops", /^\(|\)|\bfor .*?; do\b|; done\b/g, " "),
  unseen("paths outside", /(?:\/[\w.-]+)+/g, "a.txt"),
];

export const JUDGE_ENTRIES: readonly JudgeEntry[] = [...programs, ...options, ...subcommands, ...forms];

/** Judges commands in this folder without these entries; `undo` puts them back. */
export function weakenedJudge(
  cwd: string,
  removed: readonly JudgeEntry[],
): {
  readonly decide: (tool: string, input: unknown) => ReturnType<Permissions["decide"]>;
  readonly undo: () => void;
} {
  const back = removed.map((entry) => entry.remove?.());
  const permissions = createPermissions({
    settings: {},
    cwd,
    home: "/home/nobody",
    confinesReads: () => true,
  });
  const seen = (command: string): string =>
    removed.reduce((text, entry) => entry.unseen?.(text) ?? text, command);
  return {
    decide: (tool, input) => {
      const { command } = input as { command: string };
      const verdict = permissions.decide(tool, { ...(input as object), command: seen(command) });
      // Nothing hostile runs anywhere but in the sandbox.
      return verdict.behavior === "allow" && verdict.confinement === undefined
        ? { ...verdict, behavior: "deny" }
        : verdict;
    },
    // The last first, since two of them can share a table.
    undo: () => back.toReversed().forEach((undo) => undo?.()),
  };
}
