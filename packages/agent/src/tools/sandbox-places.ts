/** What a sandbox protects and hides, where nothing else is said. */

/** Places in a workspace that run code outside, or decide what may run. */
export const PROTECTED: readonly string[] = [
  ".git/hooks",
  ".git/config",
  ".git/modules",
  ".gitmodules",
  ".runahead",
  ".claude",
  ".mcp.json",
  ".claude.json",
  ".husky",
  ".vscode",
  ".idea",
  ".devcontainer",
  ".envrc",
  ".npmrc",
  ".yarnrc",
  ".yarnrc.yml",
  ".pre-commit-config.yaml",
  ".bashrc",
  ".bash_profile",
  ".profile",
  ".zshrc",
];

/** Where secrets usually are. */
export const HIDDEN: readonly string[] = [
  "~/.ssh",
  "~/.gnupg",
  "~/.aws",
  "~/.azure",
  "~/.kube",
  "~/.docker",
  "~/.config/gh",
  "~/.config/gcloud",
  "~/.config/op",
  "~/.config/google-chrome",
  "~/.config/chromium",
  "~/.config/git/credentials",
  "~/.mozilla",
  "~/.local/share/keyrings",
  "~/.password-store",
  "~/.netrc",
  "~/.git-credentials",
  "~/.npmrc",
  "~/.pypirc",
  "~/.cargo/credentials.toml",
  "~/.bash_history",
  "~/.zsh_history",
  "~/.runahead",
  "~/.claude",
  "~/.claude.json",
  "~/.codex",
  "/etc/shadow",
  "/etc/gshadow",
  "/etc/sudoers",
];

const SECRET =
  /(?:^|_)(?:API_?KEY|TOKEN|SECRETS?|PASS(?:WORD|WD|PHRASE)?|CREDENTIALS?|(?:PRIVATE|ACCESS|SECRET)_KEY(?:_ID)?)(?:_|$)/i;
/** Ways to programs that run outside. */
const WAYS_OUT = new Set(
  "SSH_AUTH_SOCK SSH_AGENT_PID GPG_AGENT_INFO DBUS_SESSION_BUS_ADDRESS DOCKER_HOST XDG_RUNTIME_DIR DISPLAY WAYLAND_DISPLAY XAUTHORITY TMUX".split(
    " ",
  ),
);

export type Environment = Readonly<Record<string, string | undefined>>;

/** Without keys, tokens and passwords, by their names, and without ways out. */
export function sandboxEnvironment(env: Environment): Environment {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !SECRET.test(name) && !WAYS_OUT.has(name)),
  );
}
