/** Recognises errors that the sandbox caused in a command's output, and says how to continue. */

interface Denial {
  readonly complaint: RegExp;
  readonly words: string;
}

const DENIALS: readonly Denial[] = [
  {
    complaint: /read-only file system|device or resource busy|\b(?:EROFS|EBUSY)\b/i,
    words: "it does not allow writing there",
  },
  {
    complaint:
      /network is unreachable|could not resolve host|temporary failure in name resolution|name or service not known|\b(?:ENETUNREACH|EAI_AGAIN|ENOTFOUND)\b/i,
    words: "it has no network",
  },
  {
    complaint: /operation not permitted|permission denied|\b(?:EPERM|EACCES)\b/i,
    words: "it does not permit the operation, or the file is hidden",
  },
];

const ADVICE = {
  workspace: "Work within the workspace, or ask the user to run this command without the sandbox.",
  "read-only": "If it must do more than read, ask the user to add an allow rule for it.",
} as const;

/** Returns undefined if nothing looks like the sandbox was the cause. */
export function explainDenial(text: string, { rules, profile }: Explained): string | undefined {
  const words = DENIALS.filter(({ complaint }) => complaint.test(text)).map((denial) => denial.words);
  if (words.length === 0) return undefined;
  return `(The sandbox is the likely cause: ${words.join("; ")}. ${rules} ${ADVICE[profile]})`;
}

interface Explained {
  readonly rules: string;
  readonly profile: keyof typeof ADVICE;
}
