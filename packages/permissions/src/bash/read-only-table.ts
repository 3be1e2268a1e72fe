/**
 * The commands that only read, with their allowed options. None of them loads configuration from the project, uses the
 * network or starts another program. With an option that is not listed, a command counts as one that can make changes.
 */

import { type OptionTable, table } from "./options.ts";

/** `files`: operands are files that it reads; `pattern`: the first one is a pattern; `text`: they are only text. */
type Operands = "files" | "pattern" | "text" | "none";

export interface Entry {
  readonly options: OptionTable;
  readonly operands: Operands;
  /**
   * One of its options, listed here or not, writes or runs something, and an unquoted pattern could expand to that
   * option.
   */
  readonly hasSharpOptions: boolean;
}

const files = (options: OptionTable, hasSharpOptions = false): Entry => ({
  options,
  operands: "files",
  hasSharpOptions,
});
const pattern = (options: OptionTable, hasSharpOptions = false): Entry => ({
  options,
  operands: "pattern",
  hasSharpOptions,
});
const text = (options: OptionTable, hasSharpOptions = false): Entry => ({
  options,
  operands: "text",
  hasSharpOptions,
});
const none = (options: OptionTable): Entry => ({ options, operands: "none", hasSharpOptions: true });

const GREP = table(
  "EFGPHhLlcinoqrRsvwxyzabUuTZ#e:A:B:C:m:d:D:",
  "extended-regexp fixed-strings basic-regexp perl-regexp ignore-case invert-match word-regexp line-regexp count " +
    "files-with-matches files-without-match only-matching quiet silent no-messages line-number with-filename " +
    "no-filename recursive dereference-recursive text null null-data color? colour? byte-offset no-ignore-case " +
    "initial-tab line-buffered regexp: max-count: after-context: before-context: context: include: exclude: " +
    "exclude-dir: binary-files: label: directories: devices: group-separator: no-group-separator",
);
const SUMS = table("bctwz", "binary check text tag zero ignore-missing quiet status strict warn");
const BASE = table("diw:", "decode ignore-garbage wrap:");

/** Each of these commands stops with an error at an unknown option. */
export const READ_ONLY: ReadonlyMap<string, Entry> = new Map<string, Entry>([
  [
    "ls",
    files(
      table(
        "aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1I:w:T:",
        "all almost-all author escape human-readable inode directory recursive reverse size classify? color? " +
          "full-time si group-directories-first no-group numeric-uid-gid literal dereference file-type kibibytes " +
          "hide-control-chars show-control-chars quote-name zero sort: time: time-style: format: ignore: hide: " +
          "width: tabsize: block-size: indicator-style: quoting-style:",
      ),
    ),
  ],
  [
    "cat",
    files(
      table(
        "AbeEnstTuv",
        "number number-nonblank show-all show-ends show-nonprinting show-tabs squeeze-blank",
      ),
    ),
  ],
  ["head", files(table("#qvzn:c:", "quiet silent verbose zero-terminated lines: bytes:"))],
  [
    "tail",
    files(
      table(
        "#fFqvzn:c:s:",
        "follow? quiet silent verbose retry zero-terminated lines: bytes: pid: sleep-interval: max-unchanged-stats:",
      ),
    ),
  ],
  ["wc", files(table("clmLw", "bytes chars lines words max-line-length"))],
  ["stat", files(table("Lftc:", "dereference file-system terse format: printf: cached:"))],
  [
    "du",
    files(
      table(
        "0abcDhHklLmPsSxd:B:t:",
        "all apparent-size bytes total human-readable summarize si dereference dereference-args no-dereference " +
          "count-links null one-file-system separate-dirs inodes time? time-style: max-depth: exclude: threshold: " +
          "block-size:",
      ),
    ),
  ],
  [
    "df",
    files(
      table(
        "ahHiklPTvB:t:x:",
        "all human-readable inodes local print-type portability si total output? block-size: type: exclude-type:",
      ),
    ),
  ],
  ["nl", files(table("pb:d:f:h:i:l:n:s:v:w:"))],
  ["tac", files(table("brs:", "before regex separator:"))],
  ["rev", files(table())],
  [
    "cut",
    files(
      table(
        "nszb:c:d:f:",
        "complement only-delimited zero-terminated bytes: characters: delimiter: fields: output-delimiter:",
      ),
    ),
  ],
  ["paste", files(table("szd:", "serial zero-terminated delimiters:"))],
  [
    "join",
    files(table("iza:e:1:2:j:o:t:v:", "ignore-case check-order nocheck-order header zero-terminated")),
  ],
  ["column", files(table("txc:s:o:N:", "table separator: output-separator: table-columns:"))],
  ["comm", files(table("123z", "check-order nocheck-order total zero-terminated output-delimiter:"))],
  ["cmp", files(table("blsi:n:", "silent quiet print-bytes verbose ignore-initial: bytes:"))],
  ["md5sum", files(SUMS)],
  ["sha1sum", files(SUMS)],
  ["sha224sum", files(SUMS)],
  ["sha256sum", files(SUMS)],
  ["sha384sum", files(SUMS)],
  ["sha512sum", files(SUMS)],
  ["b2sum", files(SUMS)],
  ["cksum", files(table())],
  ["sum", files(table("rs", "sysv"))],
  ["base64", files(BASE)],
  ["base32", files(BASE)],
  [
    "od",
    files(
      table(
        "abcdfhilosvxA:j:N:S:t:w?",
        "output-duplicates address-radix: skip-bytes: read-bytes: strings? format: width?",
      ),
    ),
  ],
  ["hexdump", files(table("bcCdoxvn:s:e:", "canonical no-squeezing length: skip: format:"))],
  ["hd", files(table("vn:s:"))],
  ["fold", files(table("bsw:", "bytes spaces width:"))],
  [
    "fmt",
    files(
      table("cstuw:p:g:#", "crown-margin split-only tagged-paragraph uniform-spacing width: prefix: goal:"),
    ),
  ],
  ["expand", files(table("it:", "initial tabs:"))],
  ["unexpand", files(table("at:", "all first-only tabs:"))],
  ["tsort", files(table())],
  [
    "realpath",
    files(
      table(
        "eLmPqsz",
        "canonicalize-existing canonicalize-missing logical physical quiet strip no-symlinks zero relative-to: " +
          "relative-base:",
      ),
    ),
  ],
  [
    "readlink",
    files(table("efmnqsvz", "canonicalize canonicalize-existing canonicalize-missing no-newline zero")),
  ],
  [
    "file",
    files(
      table(
        "bhikLNrs0",
        "brief mime mime-type mime-encoding keep-going no-pad raw dereference no-dereference",
      ),
      true,
    ),
  ],
  [
    "tree",
    files(
      table(
        "adfilpsughDFCnrtNSJXQxvcUAqL:P:I:",
        "dirsfirst filesfirst noreport gitignore prune du si inodes device matchdirs ignore-case charset: filelimit:",
      ),
      true,
    ),
  ],
  [
    "diff",
    files(
      table(
        "abBdeEHiNnpqrsTtuwycZ#U:C:W:x:I:L:F:",
        "brief unified? recursive new-file ignore-all-space ignore-space-change ignore-blank-lines ignore-tab-expansion " +
          "ignore-trailing-space ignore-case side-by-side text minimal color? report-identical-files left-column " +
          "suppress-common-lines show-c-function no-dereference normal strip-trailing-cr speed-large-files expand-tabs " +
          "initial-tab context? exclude: label: width: ignore-matching-lines: show-function-line: tabsize: palette:",
      ),
    ),
  ],
  [
    "sort",
    files(
      table(
        "bcCdfghiMnRrsuVzk:t:",
        "reverse numeric-sort general-numeric-sort unique ignore-case ignore-leading-blanks dictionary-order " +
          "human-numeric-sort version-sort random-sort stable check? month-sort zero-terminated debug key: " +
          "field-separator: sort: parallel:",
      ),
      true,
    ),
  ],
  ["shuf", files(table("eri:n:z", "echo repeat input-range: head-count: zero-terminated"), true)],
  ["grep", pattern(GREP)],
  ["egrep", pattern(GREP)],
  ["fgrep", pattern(GREP)],
  ["look", pattern(table("abdft:", "alternative alphanum ignore-case terminate:"))],
  ["pwd", text(table("LP"))],
  ["true", text(table())],
  ["false", text(table())],
  [":", text(table())],
  ["which", text(table("as", "all"))],
  ["type", text(table("aftpP"))],
  ["basename", text(table("azs:", "multiple zero suffix:"))],
  ["dirname", text(table("z", "zero"))],
  ["tr", text(table("cCdst", "complement delete squeeze-repeats truncate-set1"))],
  ["seq", text(table("#wf:s:", "equal-width format: separator:"))],
  ["sleep", text(table())],
  ["factor", text(table())],
  ["expr", text(table())],
  ["getconf", text(table("a"), true)],
  ["locale", text(table("ackm", "all-locales charmaps category-name keyword-name verbose"))],
  [
    "numfmt",
    text(
      table(
        "zd:",
        "debug delimiter: field: format: from: from-unit: grouping header? invalid: padding: round: suffix: to: " +
          "to-unit: zero-terminated",
      ),
    ),
  ],
  ["cal", text(table("13jsyY"))],
  ["arch", none(table())],
  ["uptime", none(table("ps", "pretty since"))],
  ["nproc", none(table("", "all ignore:"))],
  [
    "uname",
    none(
      table(
        "asnrvmpio",
        "all kernel-name nodename kernel-release kernel-version machine processor hardware-platform operating-system",
      ),
    ),
  ],
]);

/** It reads a configuration file named by an environment variable, and that file can name a program to run. */
export const RG = pattern(
  table(
    "FHhilLnNopqsSuUvwxc.0PIabA:B:C:e:g:j:m:M:t:T:r:d:E:",
    "files hidden no-hidden no-ignore no-ignore-vcs no-ignore-parent no-ignore-dot no-ignore-global no-ignore-files " +
      "ignore-case smart-case case-sensitive fixed-strings word-regexp line-regexp count count-matches " +
      "files-with-matches files-without-match only-matching line-number no-line-number no-heading heading " +
      "with-filename no-filename multiline multiline-dotall pcre2 auto-hybrid-regex invert-match json stats trim " +
      "vimgrep column no-column quiet text no-messages follow type-list no-config pretty null byte-offset passthru " +
      "unrestricted crlf no-unicode one-file-system max-columns-preview include-zero " +
      "after-context: before-context: context: glob: iglob: type: type-not: max-count: max-depth: max-columns: " +
      "color: colors: regexp: sort: sortr: replace: max-filesize: encoding: threads: engine: context-separator: " +
      "field-match-separator: field-context-separator: path-separator: dfa-size-limit: regex-size-limit:",
  ),
  true,
);
