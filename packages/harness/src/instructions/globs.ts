/** Patterns of files in front matter and settings: `src/**`, `*.{ts,tsx}`, `/abs/*`. */

const cache = new Map<string, RegExp>();
const MAX_CHARS = 1000;

/** Whether a path matches. A pattern without a slash matches a name at any depth. */
export function matchesGlob(pattern: string, path: string): boolean {
  const plain = path.replaceAll("\\", "/");
  return expressionOf(pattern).test(pattern.startsWith("/") ? plain : plain.replace(/^\//, ""));
}

function expressionOf(pattern: string): RegExp {
  const known = cache.get(pattern);
  if (known !== undefined) return known;
  const made = compiled(pattern.trim());
  if (cache.size > MAX_CHARS) cache.clear();
  cache.set(pattern, made);
  return made;
}

function compiled(pattern: string): RegExp {
  const plain = pattern.slice(0, MAX_CHARS).replace(/^\.\//, "");
  const isBare = !plain.replace(/\/$/, "").includes("/");
  const body = translated(plain.endsWith("/") ? `${plain}**` : plain);
  try {
    return new RegExp(`^${isBare ? "(?:.*/)?" : ""}${body}$`, "s");
  } catch {
    return /(?!)/;
  }
}

function translated(pattern: string): string {
  let depth = 0;
  return pattern.replaceAll(/\*\*\/|\/\*\*$|\*{2,}|\*|\?|\[[!^]?[^\]/]+\]|[{},]|\\.|[^]/g, (part): string => {
    switch (part) {
      case "**/":
        return "(?:[^/]+/)*";
      case "/**":
        return "(?:/.*)?";
      case "*":
        return "[^/]*";
      case "?":
        return "[^/]";
      case "{":
        return depth++, "(?:";
      case "}":
        return depth > 0 ? (depth--, ")") : "\\}";
      case ",":
        return depth > 0 ? "|" : ",";
      default:
        if (part.startsWith("**")) return ".*";
        if (part.length > 2 && part.startsWith("[")) return part.replace(/^\[!/, "[^");
        return part.replace(/^\\/, "").replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
    }
  });
}
