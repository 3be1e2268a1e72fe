/** The paths that a sandbox protects and hides by default. */

/** Folders in a workspace that run code outside the sandbox or decide what is allowed. */
export const PROTECTED_FOLDERS: readonly string[] = [
  ".git",
  ".runahead",
  ".claude",
  // Skills there can allow calls.
  ".agents",
  ".husky",
  ".vscode",
  ".idea",
  ".devcontainer",
];

/** Files of the same kind, each with a content that means the same as no file. */
export const PROTECTED_FILES: ReadonlyMap<string, string> = new Map([
  [".gitmodules", ""],
  [".mcp.json", "{}\n"],
  [".claude.json", "{}\n"],
  [".envrc", ""],
  [".npmrc", ""],
  [".yarnrc", ""],
  [".yarnrc.yml", ""],
  [".pre-commit-config.yaml", ""],
]);

/** Startup files of shells, git and editors; protected if the workspace is the home folder. */
export const PROTECTED_AT_HOME: readonly string[] = [
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".bash_logout",
  ".bash_aliases",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".zprofile",
  ".zlogin",
  ".zlogout",
  ".config/fish/config.fish",
  ".gitconfig",
  ".config/git/config",
  ".inputrc",
  ".vimrc",
  ".tmux.conf",
  ".xprofile",
  ".xsessionrc",
];

/** Folders that git reads in `.git` and that a command must not create. */
export const PROTECTED_GIT_FOLDERS: readonly string[] = [
  "hooks",
  "info",
  "modules",
  "worktrees",
  "remotes",
  "branches",
];

/** Files of the same kind. A `commondir` of `.` means the same as none. */
export const PROTECTED_GIT_FILES: ReadonlyMap<string, string> = new Map([
  ["config", ""],
  ["config.worktree", ""],
  ["commondir", ".\n"],
]);

/** Common locations of secrets. */
export const HIDDEN: readonly string[] = [
  "~/.ssh",
  "~/.gnupg",
  "~/.aws",
  "~/.azure",
  "~/.kube",
  "~/.docker",
  "~/.config/gh",
  "~/.config/glab-cli",
  "~/.config/hub",
  "~/.config/gcloud",
  "~/.config/op",
  "~/.config/sops",
  "~/.config/google-chrome",
  "~/.config/chromium",
  "~/.config/git/credentials",
  "~/.mozilla",
  "~/.local/share/keyrings",
  "~/.password-store",
  "~/.netrc",
  "~/.git-credentials",
  "~/.npmrc",
  "~/.yarnrc.yml",
  "~/.pypirc",
  "~/.pgpass",
  "~/.my.cnf",
  "~/.vault-token",
  "~/.terraform.d/credentials.tfrc.json",
  "~/.gem/credentials",
  "~/.cargo/credentials",
  "~/.cargo/credentials.toml",
  "~/.gradle/gradle.properties",
  "~/.m2/settings.xml",
  "~/.bash_history",
  "~/.zsh_history",
  "~/.python_history",
  "~/.node_repl_history",
  "~/.psql_history",
  "~/.mysql_history",
  "~/.local/share/fish/fish_history",
  "~/.runahead",
  "~/.claude",
  "~/.claude.json",
  "~/.codex",
  "/etc/shadow",
  "/etc/shadow-",
  "/etc/gshadow",
  "/etc/gshadow-",
  "/etc/sudoers",
  "/etc/sudoers.d",
];
