/** What the sandbox denied, as programs complain of it, and how to go on. */

interface Denial {
  readonly complaint: RegExp;
  readonly words: string;
}

const DENIALS: readonly Denial[] = [
  {
    complaint: /read-only file system|device or resource busy|\b(?:EROFS|EBUSY)\b/i,
    words: "it let nothing be written there",
  },
  {
    complaint:
      /network is unreachable|could not resolve host|temporary failure in name resolution|name or service not known|\b(?:ENETUNREACH|EAI_AGAIN|ENOTFOUND)\b/i,
    words: "it has no network",
  },
  {
    complaint: /operation not permitted|permission denied|\b(?:EPERM|EACCES)\b/i,
    words: "it may not do that, or the place is hidden",
  },
];

const ADVICE = {
  workspace:
    "To go on, work within the workspace, or ask the person to run this command without the sandbox.",
  "read-only": "If it must do more than read, ask the user to add an allow rule for it.",
} as const;

/** Undefined where nothing looks as if the sandbox were the cause. */
export function explainDenial(text: string, { rules, profile }: Explained): string | undefined {
  const words = DENIALS.filter(({ complaint }) => complaint.test(text)).map((denial) => denial.words);
  if (words.length === 0) return undefined;
  return `(Probably the sandbox: ${words.join("; ")}. ${rules} ${ADVICE[profile]})`;
}

interface Explained {
  readonly rules: string;
  readonly profile: keyof typeof ADVICE;
}
