/** Walks the syntax tree of a script and collects its commands, at any depth, and the remaining doubts. */

import type { Command, Redirection, Statement, SyntaxNode, Word, WordPart } from "unbash";
import {
  builtinDoubt,
  isEmptinessTest,
  isFileTest,
  mayChangeWords,
  maySetVariables,
  printsCommands,
} from "./builtins.ts";
import { arithmeticDoubt, hasComputedSubscript, parameterDoubt, showsValue, testDoubt } from "./expansion.ts";
import { Findings } from "./findings.ts";
import { FolderTrack } from "./folder-track.ts";
import { type Inner, innerOf, unreadOf } from "./inner.ts";
import { hasJoinedComment, hasJoinedWords } from "./joined-words.ts";
import { loadGrammar, parseShell } from "./parse.ts";
import { hereText, inputOf, printedBy, readRedirect, redirectsInput } from "./reading.ts";
import type {
  ShellAssignment,
  ShellCommandParts,
  ShellRedirect,
  ShellScope,
  ShellScript,
  ShellWord,
} from "./script.ts";
import {
  isLoopName,
  isRunByPrograms,
  isSecretName,
  KnownVariables,
  loadsCode,
  LoopVariables,
} from "./variables.ts";
import { isMisread, isQuotedOddly, plainWord, readWord, unknownWord } from "./word.ts";

const TEST = (...words: readonly ShellWord[]): ShellWord[] => [plainWord("["), ...words, plainWord("]")];

interface Redirects {
  readonly redirects: readonly ShellRedirect[];
  /** What the command reads, if standard input is redirected; undefined if the text does not contain it. */
  readonly input?: { readonly text: string | undefined };
}

const MAX_DEPTH = 32;
const JOINED = "it joins a process substitution to other text";
const MAX_COMMANDS = 10_000;
const MAX_LOOKED_THROUGH = 200_000;
const MAX_REREAD = 3;
const MAX_INNER = 32;

export class Walker {
  readonly #scope: ShellScope;
  readonly #variables = new KnownVariables();
  readonly #found = new Findings();
  readonly #folders: FolderTrack;
  readonly #loops = new LoopVariables();
  #innerDepth = 0;
  #innerCount = 0;

  constructor(scope: ShellScope) {
    this.#scope = scope;
    this.#folders = new FolderTrack(scope);
  }

  result(): ShellScript {
    this.#found.note(this.#variables.doubt());
    const { commands } = this.#found;
    return this.#found.result(this.#loops.known(!commands.some(({ words }) => maySetVariables(words))));
  }

  unreadable(why: string): void {
    this.#found.unreadable(why);
  }

  source(text: string): void {
    const parsed = parseShell(text);
    if (parsed.type === "unreadable" || hasJoinedComment(text)) {
      this.#found.unreadable(parsed.type === "unreadable" ? parsed.why : JOINED);
      if (this.#innerDepth === 0) this.#inside(false, () => this.#pieces(text));
      return;
    }
    // A carriage return is part of a word for bash, but invisible to the user.
    if (/[^\P{Cc}\t\n]|[\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF\u00A0]/u.test(text))
      this.#found.doubt("it contains invisible characters");
    this.#visit(parsed.script);
  }

  /** A text that is too long to parse needs approval; denies still apply to what can be seen in it. */
  #pieces(text: string): void {
    const pieces = text.slice(0, MAX_LOOKED_THROUGH).split(/\n|;|&|\||\$?\(|\)|`/);
    for (const piece of new Set(pieces.map((one) => one.trim()))) if (piece !== "") this.source(piece);
  }

  #visit = (node: SyntaxNode): void => {
    switch (node.type) {
      case "Script":
        if (node.errors !== undefined && node.errors.length > 0)
          this.#found.unreadable(`syntax error: ${node.errors[0]?.message ?? "unknown"}`);
        return this.#statements(node.commands);
      case "CompoundList":
        return this.#statements(node.commands);
      case "Statement":
        return this.#statement(node);
      case "AndOr":
        return this.#list(node);
      case "Pipeline":
        return this.#pipeline(node.commands);
      case "Command":
        this.#command(node, undefined);
        return;
      case "Subshell":
        return this.#folders.apart(() => this.#visit(node.body));
      case "BraceGroup":
        return this.#visit(node.body);
      case "Redirected": {
        const before = this.#found.secrets.length;
        const { redirects } = this.#redirects(node.redirects);
        this.#add({ words: [], assignments: [], redirects, ...this.#found.secretSince(before) });
        return this.#visit(node.command);
      }
      case "If":
      case "Elif":
      case "Case":
      case "CaseItem":
        return this.#children(node);
      case "While":
        return this.#repeated(() => this.#children(node));
      case "For":
        this.#setByLoop(node.name.text, node.wordlist);
        return this.#repeated(() => this.#visit(node.body));
      case "TestCommand":
        this.#found.note(testDoubt(node.expression));
        return this.#visit(node.expression);
      case "TestBinary":
        return this.#compare(this.#word(node.left, true), node.operator, this.#word(node.right, true));
      case "TestUnary":
        return this.#test(node.operator, this.#word(node.operand, true));
      case "TestLogical":
      case "TestNot":
      case "TestGroup":
      case "Negation":
        return this.#children(node);
      case "ArithmeticCommand":
        this.#found.note(arithmeticDoubt(node.expression));
        return this.#children(node);
      case "ArithmeticFor":
        for (const part of [node.initialize, node.test, node.update])
          if (part !== undefined) this.#found.note(arithmeticDoubt(part));
        return this.#repeated(() => this.#children(node));
      case "Word":
        void this.#word(node);
        return;
      // These are not analyzed further: they need approval, and denies apply to the commands in them.
      case "Function":
        this.#found.doubt("it defines a function");
        return this.#repeated(() => this.#children(node));
      case "Coproc":
        this.#found.opaque("it uses coproc");
        return this.#repeated(() => this.#children(node));
      case "Select":
        this.#found.doubt("it uses select");
        return this.#repeated(() => this.#children(node));
      default:
        return this.#repeated(() => this.#children(node));
    }
  };

  #children(node: SyntaxNode): void {
    loadGrammar().forEachChild(node, this.#visit);
  }

  #statements(statements: readonly Statement[]): void {
    for (const statement of statements) this.#visit(statement);
  }

  #statement({ command, background }: Statement): void {
    if (background === true) return this.#folders.apart(() => this.#visit(command));
    // The next statement runs whether or not this one changed the folder.
    this.#folders.perhaps(() => this.#visit(command));
  }

  #list({ commands, operators }: Extract<SyntaxNode, { type: "AndOr" }>): void {
    const before = this.#folders.now;
    let isCertain = true;
    for (const [at, command] of commands.entries()) {
      this.#visit(command);
      if (operators[at] === "||") isCertain = false;
      if (!isCertain) this.#folders.addAll(before);
    }
  }

  #pipeline(commands: readonly SyntaxNode[]): void {
    if (commands.length === 1) return this.#visit(commands[0] as SyntaxNode);
    let printed: string | undefined;
    for (const command of commands)
      this.#folders.apart(() => {
        if (command.type === "Command") printed = this.#command(command, printed);
        else {
          this.#visit(command);
          printed = undefined;
        }
      });
  }

  /** For text that runs in the current shell, now or later. */
  #here(text: string, isLater: boolean): void {
    if (isLater) return this.#repeated(() => this.source(text));
    this.#folders.perhaps(() => this.source(text));
  }

  /** For code that can run more than once, or later: a change of folder in it makes the folder unknown. */
  #repeated(visit: () => void): void {
    const first = this.#found.commands.length;
    const isMoved = this.#folders.repeated(visit);
    for (const command of this.#found.commands.slice(first)) {
      command.isRepeated = true;
      if (isMoved) command.folders = undefined;
      if (isMoved) command.moved = true;
    }
  }

  /** Returns what the command prints, if known. */
  #command(node: Command, piped: string | undefined): string | undefined {
    const before = this.#found.secrets.length;
    const assignments = node.prefix.flatMap((part) =>
      part.type === "Assignment" ? [this.#assignment(part)] : [],
    );
    const words = [
      ...(node.name === undefined ? [] : this.#word(node.name)),
      ...node.args.flatMap((argument) =>
        argument.type === "Word" ? this.#word(argument) : [this.#declared(argument)],
      ),
    ];
    if (hasJoinedWords(node)) this.#found.opaque(JOINED);
    const { redirects, input: redirected } = this.#redirects(node.redirects);
    const input = redirected === undefined ? piped : redirected.text;
    if (printsCommands(words)) this.#found.printsCommands();
    this.#add({
      words,
      assignments,
      redirects,
      ...(input === undefined ? {} : { input }),
      ...(isEmptinessTest(words) ? {} : this.#found.secretSince(before)),
    });
    this.#look(words, input);
    this.#folders.follow(words, assignments);
    return words.length === 1 && words[0]?.value === "cat" ? input : printedBy(words);
  }

  #add({ words, assignments, redirects, input, secret }: ShellCommandParts): void {
    if (this.#found.commands.length >= MAX_COMMANDS)
      return this.#found.unreadable("it has too many commands");
    this.#found.commands.push({
      words,
      assignments,
      redirects,
      folders: this.#folders.now,
      moved: this.#folders.hasMoved,
      isRepeated: false,
      unread: words.slice(1),
      ...(input === undefined ? {} : { input }),
      ...(secret === undefined ? {} : { secret }),
      isInner: this.#innerDepth > 0,
    });
  }

  /** `[[ -f file ]]` reads what `[ -f file ]` does. */
  #test(operator: string, words: readonly ShellWord[]): void {
    const isFile = words.length === 1 && words.every(({ type }) => type === "static");
    if (isFile && isFileTest(operator))
      this.#add({ words: TEST(plainWord(operator), ...words), assignments: [], redirects: [] });
  }

  #compare(left: readonly ShellWord[], operator: string, right: readonly ShellWord[]): void {
    const words = [...left, plainWord(operator), ...right];
    const isFile = words.length === 3 && words.every(({ type }) => type === "static");
    if (isFile && isFileTest(operator)) this.#add({ words: TEST(...words), assignments: [], redirects: [] });
  }

  /** Checks the words themselves: the commands that they run, and what cannot be determined. */
  #look(words: readonly ShellWord[], input: string | undefined): void {
    if (mayChangeWords(words)) this.#variables.mayAllChange();
    this.#found.note(builtinDoubt(words));
    if (this.#innerDepth === 0) this.#innerCount = 0;
    if (this.#innerDepth >= MAX_DEPTH || this.#innerCount >= MAX_INNER)
      return this.#found.opaque("it has too many nested commands");
    const command = this.#found.commands.at(-1);
    const all = innerOf(words, input);
    if (command?.words === words) command.unread = unreadOf(words, all);
    for (const inner of all) this.#inside(inner.isOwn === true, () => this.#inner(inner, words, input));
  }

  #inner(inner: Inner, words: readonly ShellWord[], input: string | undefined): void {
    if (inner.type === "opaque") {
      return this.#found.runsUnknown(inner.why);
    }
    if (inner.type === "script") {
      const name = words[0]?.value ?? "";
      const isHere = /^(?:eval|source|\.|trap)$/.test(name);
      if (isHere) return this.#here(inner.text, name === "trap");
      return this.#folders.apart(() => this.source(inner.text));
    }
    return this.#folders.within(inner.folder, () => {
      const given = input === undefined ? {} : { input };
      this.#add({ words: inner.words, assignments: [], redirects: [], ...given });
      this.#look(inner.words, input);
    });
  }

  /** For commands that another command runs. */
  #inside(isOwn: boolean, visit: () => void): void {
    this.#innerCount++;
    this.#innerDepth++;
    this.#found.inside(isOwn, visit);
    this.#innerDepth--;
  }

  #assignment(part: Extract<SyntaxNode, { type: "Assignment" }>): ShellAssignment {
    const isPlain = part.value.type === "Word" && part.index === undefined;
    const value = part.value.type === "Word" ? this.#word(part.value) : [];
    if (hasComputedSubscript(part)) this.#found.opaque("it uses a computed array subscript");
    if (!isPlain) this.#children(part);
    this.#found.note(this.#variables.set(part.name));
    this.#loops.forget(part.name);
    // An assignment expands no patterns, and no braces, so a value of several words is unknown.
    const known = value.length === 1 && value[0]?.type !== "dynamic" ? value[0]?.value : undefined;
    const isStatic = isPlain && known !== undefined;
    const loads = loadsCode(part.name, known);
    if (loads !== undefined) this.#inside(true, () => this.#found.opaque(loads));
    if (isRunByPrograms(part.name))
      this.#inside(!isStatic, () =>
        isStatic
          ? this.source(known)
          : this.#found.opaque(`${part.name} names a program that is not known in advance`),
      );
    return { name: part.name, raw: part.text, isStatic, value: isStatic ? known : undefined };
  }

  /** `NAME=value` after `export` and similar builtins. */
  #declared(part: Extract<SyntaxNode, { type: "Assignment" }>): ShellWord {
    const { name, raw, value } = this.#assignment(part);
    if (value === undefined) return unknownWord(raw, false);
    return { raw, value: `${name}=${value}`, type: "static", splits: false, fromTilde: false };
  }

  #setByLoop(name: string, list: readonly Word[] | undefined): void {
    const before = this.#found.secrets.length;
    const words = list?.flatMap((word) => this.#word(word));
    const patterns = (words ?? []).filter(({ type, expands }) => type === "glob" || expands === true);
    // A pattern lists a folder, whatever the loop does with the names.
    if (patterns.length > 0)
      this.#add({ words: [plainWord(":"), ...patterns], assignments: [], redirects: [] });
    // The commands in the loop could show a secret.
    const found = this.#found.secretSince(before);
    if (found.secret !== undefined) this.#add({ words: [], assignments: [], redirects: [], ...found });
    this.#loops.set(name, this.#variables.isSet(name) ? undefined : words);
    this.#found.note(this.#variables.set(name));
    if (!isLoopName(name)) this.#found.doubt(`a loop sets ${name}`);
  }

  #redirects(redirections: readonly Redirection[]): Redirects {
    let input: Redirects["input"];
    const redirects = redirections.flatMap((one): ShellRedirect[] => {
      if (one.descriptor?.type === "FileDescriptorVariable") {
        this.#found.opaque("a redirection sets a variable");
      }
      if (one.type === "HereDoc") {
        if (one.closing === undefined) this.#found.doubt("a here-document has no end marker");
        if (one.body.parts?.some(isQuotedOddly) === true)
          this.#found.unreadable("a here-document contains quotes");
        for (const part of one.body.parts ?? []) this.#expansion(part);
        if (redirectsInput(one)) input = { text: hereText(one) };
        return [];
      }
      if (one.target === undefined) return [];
      const targets = this.#word(one.target);
      if (redirectsInput(one)) input = { text: inputOf(one, targets) };
      if (one.type === "HereString") return [];
      return targets.map((target) => readRedirect(one.operator, target));
    });
    return { redirects, ...(input === undefined ? {} : { input }) };
  }

  #word(word: Word, isPattern = false): ShellWord[] {
    if (isMisread(word, isPattern)) {
      this.#found.unreadable("bash may read one of its words differently than the parser");
      if (this.#innerDepth < MAX_REREAD) this.#inside(false, () => this.#pieces(word.text));
    }
    return readWord(word, {
      valueOf: (name) => this.#variables.use(name, name === "PWD" ? this.#folders.only : this.#scope.home),
      expansion: (part) => this.#expansion(part),
    });
  }

  #expansion(part: WordPart): void {
    switch (part.type) {
      case "CommandExpansion":
      case "ProcessSubstitution":
        if (part.script === undefined)
          return this.#found.unreadable("it uses a substitution that cannot be parsed");
        return this.#folders.apart(() => this.#visit(part.script as SyntaxNode));
      case "SimpleExpansion":
        return this.#noteSecret(part.text.slice(1));
      case "ParameterExpansion":
        this.#found.note(parameterDoubt(part));
        if (showsValue(part)) this.#noteSecret(part.parameter);
        if (part.operation?.type === "Default" && part.operation.operator.includes("="))
          this.#found.note(this.#variables.set(part.parameter));
        return this.#children(part);
      case "ArithmeticExpansion":
        this.#found.note(arithmeticDoubt(part.expression));
        return this.#children(part);
      case "ExtendedGlob":
        this.#found.doubt("it uses an extended pattern, whose meaning depends on the extglob option");
        return this.#children(part);
      case "DoubleQuoted":
      case "LocaleString":
        for (const inner of part.parts) this.#expansion(inner);
        return;
      case "BraceExpansion":
        for (const inner of part.parts ?? []) this.#expansion(inner);
        return;
      default:
    }
  }

  #noteSecret(name: string): void {
    if (isSecretName(name) && !this.#variables.isSet(name)) this.#found.secrets.push(name);
  }
}
