/**
 * Well-known programs, and which of their arguments run something, load settings or write files that are not visible.
 */

import { isSharpGo } from "./go.ts";
import { hasSharp, isUnknown, readOptions, sharp, table } from "./options.ts";
import { PSQL_CODE, SQLITE_CODE } from "./runners.ts";
import type { ShellWord } from "./script.ts";
import type { Check } from "./sharp.ts";
import { isApart } from "./tar.ts";

const some =
  (pattern: RegExp): Check =>
  (words) =>
    words.some((word) => pattern.test(word.value) || isUnknown(word));
const options =
  (letters: string, takes: string, long: string): Check =>
  (words) =>
    hasSharp(words, sharp(letters, takes, long));
const both =
  (...checks: readonly Check[]): Check =>
  (words, ruleText) =>
    checks.some((check) => check(words, ruleText));
const always: Check = () => true;

/** The first operands of a program, which say what it does. */
const isFirst =
  (pattern: RegExp): Check =>
  (words) =>
    pattern.test(
      words
        .filter(({ value }) => !value.startsWith("-"))
        .slice(0, 2)
        .map(({ value }) => value)
        .join(" "),
    );

const MAKE = table(
  "kSsnBiqtwrRdpvhj?l?O?C:o:W:",
  "keep-going stop silent quiet no-silent just-print dry-run recon always-make ignore-errors question touch " +
    "print-directory no-print-directory no-builtin-rules no-builtin-variables print-data-base version help trace " +
    "warn-undefined-variables jobs? load-average? max-load? output-sync? debug? directory: shuffle?",
);
/** Variables that set the shell and the options of make itself. */
const MAKE_OWN = /^(?:\.?SHELL\w*|MAKE\w*|MFLAGS|GNUMAKEFLAGS|VPATH)$/;
/** Variables that usually name a program, and the programs that they usually name. */
const MAKE_PROGRAM =
  /^(?:CC|CXX|CPP|LD|AR|AS|NM|RM|CP|MV|FC|[A-Z_]*(?:CMD|COMMAND|RUNNER|BIN|EXEC|PYTHON|NODE|GO|CARGO))$/;
const COMPILERS = /^(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|tcc|python3?|node|go|cargo)(?:-\d+)?$/;

/** Values of variables become part of commands, so only plain words are covered. */
function make(words: readonly ShellWord[]): boolean {
  const read = words.some(isUnknown) ? undefined : readOptions(words, MAKE);
  if (read === undefined) return true;
  const folders = read.given.flatMap(({ name, value }) =>
    /^(?:C|directory)$/.test(name) ? (value ?? []) : [],
  );
  return !read.operands.every(isPlainOperand) || (folders.length > 0 && !isApart(folders));
}

/** A target, or a variable; `name!=command` runs the command. */
function isPlainOperand({ value, type }: ShellWord): boolean {
  const [, name, sign = "", given = ""] = /^([^=]*?)\s*([:?+!]*)=(.*)$/s.exec(value) ?? [];
  if (type !== "static") return false;
  if (name === undefined) return !value.includes("$");
  if (sign.includes("!") || MAKE_OWN.test(name) || !/^[\w@%+,:-]*$/.test(given)) return false;
  return !MAKE_PROGRAM.test(name) || COMPILERS.test(given);
}

const SSH = table("+1246afgkKnqstvxXyYACGMNTVb:B:c:D:e:i:J:l:L:m:o:O:p:P:Q:R:W:");
const SCP = table("346ABCOpqrRTvc:i:J:l:o:P:X:");
const SSH_SETTINGS =
  /^(?:stricthostkeychecking|connecttimeout|connectionattempts|batchmode|serveralive\w+|loglevel|user|port|compression|tcpkeepalive|addressfamily|identitiesonly|requesttty|passwordauthentication|numberofpasswordprompts|preferredauthentications)\s*[=\s]/i;

/** ssh options can also follow the host; then comes the command for the other machine. */
function ssh(words: readonly ShellWord[]): boolean {
  const first = readOptions(words, SSH);
  const second = first === undefined ? undefined : readOptions(first.operands.slice(1), SSH);
  if (first === undefined || second === undefined || first.operands[0]?.type === "dynamic") return true;
  return [...first.given, ...second.given].some(({ name, value }) => {
    // The names of jump hosts become part of a command line.
    if (name === "J") return value?.type !== "static" || !/^[\w.@:,[\]/-]+$/.test(value.value);
    return name === "o" && !(value?.type === "static" && SSH_SETTINGS.test(value.value));
  });
}

function scp(words: readonly ShellWord[]): boolean {
  const read = readOptions(words, SCP);
  return (
    read === undefined ||
    read.given.some(({ name, value }) => name === "o" && !SSH_SETTINGS.test(value?.value ?? ""))
  );
}

const CURL_TAKES = "AbcCdDeEFhHmoPQrtTuUwxXyYz";
/** A settings file, or a file name that the server or a pattern chooses. */
const curl = both(options("KJ", CURL_TAKES, "config remote-header-name libcurl engine"), (words) => {
  const isNamedByUrl = hasSharp(words, sharp("O", CURL_TAKES, "remote-name"));
  // The format can name files to write.
  const readsFormat = words.some(
    ({ value }, at) =>
      /^(?:--write-out=|-[a-zA-Z]*w)@/.test(value) ||
      (value.startsWith("@") && /^(?:--write-out|-[a-zA-Z]*w)$/.test(words[at - 1]?.value ?? "")),
  );
  if (readsFormat) return true;
  return words.some(
    ({ value }) =>
      /%output|#\d/.test(value) || (isNamedByUrl && /^[^-?][^?]*(?:[{}[\]]|%)|\/\.[^/]*$/.test(value)),
  );
});
const wget = both(
  options(
    "erkmpKHi",
    "aoOPtTwQUABDIRXlB",
    "execute config use-askpass recursive mirror page-requisites content-disposition trust-server-names convert-links backup-converted post-file no-host-directories input-file",
  ),
  some(/:\/\/[^?]*\/\.[^/]*$/),
);

/** It extracts into the working directory unless it gets a folder, lists, or prints. */
function unzip(words: readonly ShellWord[]): boolean {
  if (words.some(isUnknown)) return true;
  const read = readOptions(words, table("qoflnjCLatUuvzpTZ12hMsxd:P:"));
  if (read === undefined) return true;
  if (read.names.some((name) => "lvztpTZ".includes(name))) return false;
  return !isApart(read.given.flatMap(({ name, value }) => (name === "d" ? (value ?? []) : [])));
}

function sevenZip(words: readonly ShellWord[]): boolean {
  if (words.some(isUnknown)) return true;
  const [first] = words;
  if (/^[lthbi]$/.test(first?.value ?? "") || /^[adu]$/.test(first?.value ?? ""))
    return words.some(({ value }) => /^-(?:i@|x@|w|si|sfx|sdel)/i.test(value) || value.startsWith("@"));
  const folders = words.flatMap((word) => {
    const value = /^-o(.+)$/s.exec(word.value)?.[1];
    return value === undefined ? [] : [{ ...word, value }];
  });
  return !isApart(folders);
}

const RSYNC = options(
  "eTMf",
  "B",
  "rsh rsync-path daemon config log-file files-from temp-dir partial-dir backup-dir remote-option filter sockopts " +
    "write-batch only-write-batch read-batch early-input password-file",
);
/** `-e ssh` is the default anyway. */
const rsync: Check = (words, ruleText) => {
  const plain = words.flatMap((word, at): ShellWord[] => {
    if (word.value === "ssh" && /^(?:-[a-zA-Z]*e|--rsh)$/.test(words[at - 1]?.value ?? "")) return [];
    const isShell = /^-[a-zA-Z]*e$/.test(word.value) && words[at + 1]?.value === "ssh";
    if (!isShell) return word.value === "--rsh=ssh" ? [] : [word];
    return word.value === "-e" ? [] : [{ ...word, value: word.value.slice(0, -1) }];
  });
  return RSYNC(plain, ruleText);
};

const DOCKER_GLOBAL = /^(?:-H|--host|-c|--context|--config|--tls\w*)(?:=|$)|^-[Hc]./;
const DOCKER_RUN =
  /^(?:-v.*|-[a-zA-Z]*v|--(?:volume|volumes-from|mount|privileged|device|cap-add|security-opt|pid|ipc|userns|uts|cgroupns|cidfile|network|net|runtime|entrypoint-dir)(?:=.*)?)$/;

/** `cp container:path .`: the files that it writes are not visible. */
function copiesOut(words: readonly ShellWord[]): boolean {
  const at = words.findIndex(({ value }) => value === "cp");
  const operands = words.slice(at + 1).filter(({ value }) => !value.startsWith("-") || value === "-");
  const [source, target] = operands.slice(-2);
  if (at < 0 || source?.value.includes(":") !== true || target === undefined || target.value === "-")
    return false;
  return !target.value.includes(":") && !isApart([target]);
}

/** A file outside the workspace can give containers any folder and any privilege. */
function isComposedElsewhere(words: readonly ShellWord[]): boolean {
  return words.some((word, at) => {
    const [, attached] = /^(?:-f|--(?:file|project-directory|env-file)=)(.+)$/s.exec(word.value) ?? [];
    const isOption = /^(?:-f|--(?:file|project-directory|env-file))$/.test(words[at - 1]?.value ?? "");
    const value = attached ?? (isOption ? word.value : "");
    return /^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(value);
  });
}

/** Folders and privileges of the host are outside the container. */
function docker(words: readonly ShellWord[]): boolean {
  const at = words.findIndex(
    ({ value }, place) =>
      !value.startsWith("-") && !/^(?:-[a-zA-Z]*l|--log-level)$/.test(words[place - 1]?.value ?? ""),
  );
  if (words.slice(0, at < 0 ? words.length : at).some(({ value }) => DOCKER_GLOBAL.test(value))) return true;
  if (words.slice(0, at + 1).some(isUnknown)) return true;
  const name = words[at]?.value ?? "";
  const rest = words.slice(at + 1);
  if (copiesOut(words)) return true;
  if (name === "volume" && rest.some(({ value }) => /^(?:-o|--opt|-d|--driver)/.test(value))) return true;
  if (name === "compose" && isComposedElsewhere(rest)) return true;
  if (/^(?:run|create|container|compose|buildx|plugin|swarm|stack|service|context|volume)$/.test(name))
    return (
      rest.some((word) => DOCKER_RUN.test(word.value) || isUnknown(word)) || /^(?:plugin|context)$/.test(name)
    );
  return false;
}

const COMPOSE: ShellWord = {
  raw: "compose",
  value: "compose",
  type: "static",
  splits: false,
  fromTilde: false,
};
const APT = some(/^-[a-zA-Z]*[oc]|^--(?:option|config-file)/);
/** Scripts, tools, and settings that name a program or a script elsewhere. */
const cmake = both(
  some(/^-[EPC]|^--(?:toolchain|debugger|find-package)/),
  some(
    /^(?:-D)?\w*(?:COMPILER|LAUNCHER|PROGRAM|EXECUTABLE|COMMAND|INCLUDE|RULE|TOOLCHAIN)\w*(?::\w+)?=.*[/\\]/,
  ),
  // Arguments for the build tool.
  (words) => {
    const end = words.findIndex(({ value }) => value === "--");
    return (
      end >= 0 &&
      words.slice(end + 1).some(({ value, type }) => type !== "static" || /=|^-[fCEI]/.test(value))
    );
  },
);
const COMPILER = some(
  /^(?:-wrapper|-fplugin|-specs|--specs|-B|-load|-Xclang|-fuse-ld=.*\/|-ld-path|--ld-path)|^@/,
);
const VIM = some(/^(?:-[cSuUsrwWiPet]|-es|\+.|--cmd|--startuptime|--remote|-V.*\/)/);
/** `go tool` also runs programs that the project names. */
const GO: Check = both(some(/extld|^generate$/), isSharpGo, (words) => {
  const at = words.findIndex(({ value }) => value === "tool");
  return (
    at >= 0 && !/^(?:cover|nm|objdump|addr2line|test2json|covdata|buildid)$/.test(words[at + 1]?.value ?? "")
  );
});

const XARGS_TAKES = /^-[aEILnPsd]$/;
const READERS =
  /^(?:grep|egrep|fgrep|rg|cat|ls|wc|head|tail|echo|stat|file|du|basename|dirname|md5sum|sha1sum|sha256sum)$/;

/** It runs its arguments, or its input if it has none. */
function xargs(words: readonly ShellWord[]): boolean {
  const program = words.find(
    ({ value }, at) => !value.startsWith("-") && !XARGS_TAKES.test(words[at - 1]?.value ?? ""),
  );
  return program?.type !== "static" || !READERS.test(program.value);
}

/** After `--`, the arguments of `cargo run` and of tests are those of the program that the project builds. */
const cargo =
  (pattern: RegExp): Check =>
  (words) => {
    const end = words.findIndex(({ value }) => value === "--");
    const subcommand = words.find(({ value }) => !/^[-+]/.test(value))?.value ?? "";
    const own = end > 0 && /^(?:r|run|t|test|bench|nextest)$/.test(subcommand) ? words.slice(0, end) : words;
    const hasOwnTarget = own.some(
      ({ value }, at) => value.endsWith(".json") && own[at - 1]?.value === "--target",
    );
    return hasOwnTarget || some(pattern)(own, "");
  };

export const TOOLS: readonly (readonly [string, Check])[] = [
  ["make", make],
  ["gmake", make],
  ["ssh", ssh],
  ["scp", scp],
  ["rsync", rsync],
  ["curl", curl],
  ["wget", wget],
  ["unzip", unzip],
  ["7z", sevenZip],
  ["7za", sevenZip],
  ["7zr", sevenZip],
  ["7zz", sevenZip],
  ["unrar", always],
  ["unar", always],
  ["jar", (words) => /^(?:-?\w*x|--extract)/.test(words[0]?.value ?? "")],
  ["ar", (words) => /^-?[a-z]*x/.test(words[0]?.value ?? "")],
  ["gunzip", options("N", "S", "name")],
  ["gzip", options("N", "S", "name")],
  ["zip", some(/^-\w*TT|^--unzip|^-@|^-\w*@/)],
  // The files that a patch writes are not visible.
  ["cmake", cmake],
  ["ctest", some(/^-S|^--(?:script|build-(?:and-test|makeprogram|exe)|launch)/)],
  ["javac", some(/^(?:-J|-processor|--processor|-Xplugin|-A|@)/)],
  ["apt", APT],
  ["apt-get", APT],
  ["patch", (words) => !words.some(({ value }) => value === "--dry-run")],
  ["install", options("", "gmotS", "strip-program")],
  ["docker", docker],
  ["docker-compose", (words) => docker([COMPOSE, ...words])],
  ["podman-compose", (words) => docker([COMPOSE, ...words])],
  ["podman", docker],
  ["nerdctl", docker],
  ["kubectl", some(/^--(?:kubeconfig|cache-dir|profile-output|exec-command)/)],
  [
    "helm",
    both(some(/^--(?:kubeconfig|post-renderer|registry-config|repository-config)/), isFirst(/^plugin/)),
  ],
  ["terraform", some(/^--?(?:chdir|plugin-dir|from-module|backend-config)/)],
  ["tofu", some(/^--?(?:chdir|plugin-dir|from-module|backend-config)/)],
  ["pip", both(some(/^--(?:pyth|log|prefix|root|src|glo|config-s)/), isFirst(/^config (?:set|unset|edit)/))],
  ["pip3", both(some(/^--(?:pyth|log|prefix|root|src|glo|config-s)/), isFirst(/^config (?:set|unset|edit)/))],
  [
    "cargo",
    cargo(
      /^\+.*[/\\]|^-s$|^--shell|^--target=.*\.json$|^--(?:config|artifact-dir|out-dir|target-dir|manifest-path|lockfile-path)(?:=|$)|^-[CZ]|^--build-plan/,
    ),
  ],
  ["rustc", some(/^(?:-C.*|linker.*|--sysroot|-Z.*|@.*|--codegen.*)$/)],
  ["go", GO],
  ["gcc", COMPILER],
  ["g++", COMPILER],
  ["cc", COMPILER],
  ["c++", COMPILER],
  ["clang", COMPILER],
  ["clang++", COMPILER],
  [
    "gpg",
    some(
      /^--(?:options|exec-path|photo-viewer|pinentry|agent-program|dirmngr-program|keyserver-options|homedir)/,
    ),
  ],
  ["ssh-keygen", some(/^-[a-zA-Z]*[Dw]|^-O.*provider/)],
  ["ld", some(/^--?plugin/)],
  ["fzf", some(/^--(?:preview|bind|with-shell|listen|execute|history)/)],
  ["delta", some(/^--pager/)],
  ["nc", some(/^-[a-zA-Z]*[ec]|^--(?:sh-)?exec|^--lua-exec/)],
  ["ncat", some(/^-[a-zA-Z]*[ec]|^--(?:sh-)?exec|^--lua-exec/)],
  ["netcat", some(/^-[a-zA-Z]*[ec]|^--(?:sh-)?exec/)],
  ["socat", some(/^(?:exec|system|shell):|,(?:exec|system):/i)],
  ["convert", some(/^\||^@|^(?:msl|ephemeral|url|label|caption):/i)],
  ["magick", some(/^\||^@|^(?:msl|ephemeral|url):/i)],
  ["rake", some(/^-[eEp]$|^--execute/)],
  ["aws", isFirst(/^configure (?:set|import)/)],
  ["mongosh", some(/^--(?:eval|file|shell)|^-f/)],
  ["redis-cli", isFirst(/^(?:eval|evalsha|script|config|module|debug|function|fcall)(?: |$)/i)],
  ["openssl", some(/^--?(?:engine|config|provider|provider-path|writerand)/)],
  ["vim", VIM],
  ["vi", VIM],
  ["nvim", VIM],
  ["view", VIM],
  ["vimdiff", VIM],
  ["emacs", some(/^-/)],
  ["nano", some(/^-/)],
  ["sqlite3", both(some(SQLITE_CODE), some(/^--?(?:init|cmd)/))],
  ["duckdb", both(some(SQLITE_CODE), some(/^--?(?:init|cmd|f$|file)/))],
  ["psql", both(some(PSQL_CODE), some(/^(?:-[oLf]|--(?:output|log-file|file))/))],
  ["mysql", some(/\\[!PTe.]|\b(?:system|pager|tee|source)\b|^--(?:pager|tee|defaults|plugin|init-command)/i)],
  [
    "gh",
    both(
      (words) =>
        words.some(({ value }) => /^(?:clone|fork)$/.test(value)) &&
        words.some(({ value }) => value === "--"),
      isFirst(
        /^(?:alias (?:set|import)|extensions? (?!list)|ext (?!list)|config set|auth (?!status)|codespace|cs\b)/,
      ),
    ),
  ],
  ["xargs", xargs],
  // It runs the command after the variables.
  ["env", (words) => words.some((word) => isUnknown(word) || !/^(?:\w+=|-0$|--null$)/.test(word.value))],
];
