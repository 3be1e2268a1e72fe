/** Places that run code or control permissions: no rule and no mode lets the agent write there. */

import { compileName, matchesName } from "../rules/gitignore.ts";
import { isInside, resolveThrough, type Workspace } from "./paths.ts";

export interface Protected {
  /** The place, as shown to the user. */
  readonly place: string;
  /** `deny`: no file tool can write there; `ask`: the user can approve a single write. */
  readonly behavior: "ask" | "deny";
}

const DENIED_FOLDERS = new Set([".git", ".husky", "node_modules"]);
const FOLDERS = new Set([".agents", ".vscode", ".idea", ".cargo", ".devcontainer", ".yarn", ".mvn", ".ssh"]);
/** Folders in `.config` with files that git, the shell, or the start of a session runs. */
const CONFIG_FOLDERS = new Set(["autostart", "fish", "git", "systemd"]);
const AGENT_FOLDERS = new Set([".runahead", ".claude"]);
const SETTINGS = /^settings(?:\.[\w-]+)?\.json$/;
const FILES = new Set(
  (
    ".gitconfig .gitmodules .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile " +
    ".zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc .login .logout .inputrc .envrc .npmrc .yarnrc .yarnrc.yml .pnp.cjs " +
    ".pnp.loader.mjs .pnp.js .pnpmfile.cjs bunfig.toml .bazelrc .bazelversion .bazeliskrc .bazelproject " +
    ".pre-commit-config.yaml .pre-commit-config.yml lefthook.yml lefthook.yaml lefthook.toml lefthook.json .lefthook.yml " +
    ".lefthook.yaml .lefthook.toml lefthook-local.yml lefthook-local.yaml lefthook-local.toml gradle-wrapper.properties " +
    "maven-wrapper.properties .devcontainer.json .ripgreprc pyrightconfig.json .mcp.json .claude.json"
  ).split(" "),
);
const FILE_FAMILY = /^(?:\.pnp\..+|\.bazelrc.*|(?:\.?lefthook)(?:-local)?\..+)$/;
const DOT_FOLDERS = [".git", ".husky", ...FOLDERS, ...AGENT_FOLDERS];

/** Compares names as the most permissive file system does: ignoring case and invisible characters. */
function plain(name: string): string {
  const seen = name.normalize("NFC").replaceAll(/[\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFEFF]/g, "");
  const lower = seen.toLowerCase().replace(/[. ]+$/, "");
  return /^git~\d+$/.test(lower) ? ".git" : lower;
}

export function protectedPlace(path: string): Protected | undefined {
  const found = placeOf(
    path
      .split("/")
      .filter((name) => name !== "")
      .map(plain),
  );
  // If only a few file systems treat the two names as one, let the user decide.
  const isLookAlike = found?.behavior === "deny" && !path.toLowerCase().includes(found.place);
  return found !== undefined && isLookAlike ? { ...found, behavior: "ask" } : found;
}

function placeOf(names: readonly string[]): Protected | undefined {
  for (const [at, name] of names.entries()) {
    const found =
      ofFolder(names, at) ??
      (DENIED_FOLDERS.has(name) ? { place: name, behavior: "deny" as const } : undefined);
    if (found !== undefined) return found;
    if (FOLDERS.has(name)) return { place: name, behavior: "ask" };
    if (names[at - 1] === ".config" && CONFIG_FOLDERS.has(name))
      return { place: `.config/${name}`, behavior: "ask" };
  }
  const last = names.at(-1) ?? "";
  // With this file, git takes a folder for a repository, and its `config` names programs to run.
  if (last === "head") return { place: "HEAD", behavior: "ask" };
  return FILES.has(last) || FILE_FAMILY.test(last) ? { place: last, behavior: "ask" } : undefined;
}

/** Folders in the agent's own ones that hold work, not settings. */
const UNPROTECTED = new Set(["worktrees", "agent-memory", "agent-memory-local"]);

/** `projects/PROJECT/SESSION/worktrees/AGENT/…`: a worktree of a sub-agent in the folder of its session. */
function isInWorktree(names: readonly string[]): boolean {
  return names[0] === "projects" && names[3] === "worktrees" && names.length > 5;
}

/** The agent's own folders: settings are denied, worktrees and the notes of sub-agents are not protected. */
function ofFolder(names: readonly string[], at: number): Protected | undefined {
  const name = names[at] as string;
  if (!AGENT_FOLDERS.has(name)) return undefined;
  const next = names[at + 1];
  if (next !== undefined && UNPROTECTED.has(next) && names.length > at + 2)
    return placeOf(names.slice(at + 2));
  if (name === ".runahead" && isInWorktree(names.slice(at + 1))) return placeOf(names.slice(at + 6));
  return {
    place: name,
    behavior: name === ".runahead" || (next !== undefined && SETTINGS.test(next)) ? "deny" : "ask",
  };
}

/**
 * Returns further names of a file if a protected folder is a link: if `.git` leads to `store`, `store/hooks` is also
 * `.git/hooks`.
 */
export function linkedFaces(faces: readonly string[], { roots, look, realpath }: Workspace): string[] {
  return roots.flatMap((root) =>
    DOT_FOLDERS.flatMap((name) => {
      const place = `${root}/${name}`;
      if (look.stat(place)?.type !== "link") return [];
      const real = resolveThrough(place, realpath);
      return faces.flatMap((face) => (isInside(face, real) ? [place + face.slice(real.length)] : []));
    }),
  );
}

/** Whether a file name pattern can match such a place: `.g*`, `.[g]it/hooks`. */
export function mayBeProtected(pattern: string): Protected | undefined {
  for (const segment of pattern.split("/")) {
    if (!/[*?[]/.test(segment) || /^[*?[]/.test(segment)) continue;
    const test = compileName(segment);
    const found = [...DOT_FOLDERS, ...FILES].find((name) => matchesName(test, name));
    if (found !== undefined) return { place: found, behavior: "ask" };
  }
  return undefined;
}
