/** Which expansions only produce text, and which can run something or hide what runs. */

import type { ArithmeticExpression, ParameterExpansionPart, SyntaxNode, TestExpression, Word } from "unbash";

const NUMBER = /^[-+]?(?:\d+|0[xX][0-9a-fA-F]+|\d+#[0-9a-zA-Z@_]+)$/;
/** `$?`, `$#`, `${#name}`: computed by bash, so always numbers. */
const COUNT = /^\$(?:[?#]|\{[?#]\}|\{#(?:[@*]|[A-Za-z_]\w*(?:\[[@*]\])?)\})$/;
const SAFE_TRANSFORMS = new Set(["Q", "U", "u", "L", "K", "k", "A", "a"]);
const COMPARES_NUMBERS = new Set(["-eq", "-ne", "-lt", "-le", "-gt", "-ge"]);
const EVALUATES = new Set(["-v", "-R"]);

/** Whether arithmetic on this text only uses numbers, whatever the values of variables. */
export function isNumber(text: string): boolean {
  return NUMBER.test(text) || COUNT.test(text);
}

/** Why an expansion can run something; undefined if it only produces text. */
export function parameterDoubt({ prefix, index, operation }: ParameterExpansionPart): string | undefined {
  if (prefix === "!") return "it uses an indirect expansion";
  if (index !== undefined && !isSubscript(index.text)) return "it uses a computed array subscript";
  if (operation?.type === "Transform" && !SAFE_TRANSFORMS.has(operation.operand.text))
    return "it uses an expansion that evaluates its value";
  if (operation?.type === "Slice" && ![operation.offset, operation.length].every(isOffset))
    return "it uses a computed slice";
  return operation?.type === "Unknown" ? "it uses an unknown kind of expansion" : undefined;
}

/** Whether the text of the expansion contains the value of its variable; `${name:+set}` and `${#name}` do not. */
export function showsValue({ prefix, operation }: ParameterExpansionPart): boolean {
  return prefix !== "#" && !(operation?.type === "Default" && operation.operator.endsWith("+"));
}

export function isSubscript(text: string): boolean {
  return /^(?:-?\d+|[@*])$/.test(text);
}

/** A subscript is arithmetic, also in a list: `a=([x]=1)`. */
export function hasComputedSubscript({ value, index }: Extract<SyntaxNode, { type: "Assignment" }>): boolean {
  const elements = value.type === "ArrayValue" ? value.elements : [];
  return (
    elements.some(({ text }) => text.startsWith("[") && !/^\[\d+\]\+?=/.test(text)) ||
    (index !== undefined && !isSubscript(index.text))
  );
}

function isOffset(word: Word | undefined): boolean {
  return word === undefined || isNumber(word.text.trim());
}

/** Arithmetic evaluates the values of variables, and a subscript in a value runs commands. */
export function arithmeticDoubt(expression: ArithmeticExpression | undefined): string | undefined {
  if (expression === undefined) return "it uses arithmetic that cannot be parsed";
  switch (expression.type) {
    case "ArithmeticWord":
      return isNumber(expression.value)
        ? undefined
        : "it uses arithmetic on a value that is not a literal number";
    case "ArithmeticGroup":
      return arithmeticDoubt(expression.expression);
    case "ArithmeticUnary":
      return arithmeticDoubt(expression.operand);
    case "ArithmeticBinary":
      return arithmeticDoubt(expression.left) ?? arithmeticDoubt(expression.right);
    case "ArithmeticTernary":
      return (
        arithmeticDoubt(expression.test) ??
        arithmeticDoubt(expression.consequent) ??
        arithmeticDoubt(expression.alternate)
      );
    default:
      return "it uses arithmetic on the output of a command";
  }
}

/** `[[ … ]]` evaluates the operands of numeric comparisons and variable tests. */
export function testDoubt(expression: TestExpression): string | undefined {
  switch (expression.type) {
    case "TestUnary":
      return EVALUATES.has(expression.operator) ? "it uses a test that evaluates a variable name" : undefined;
    case "TestBinary":
      if (!COMPARES_NUMBERS.has(expression.operator)) return undefined;
      return isOperand(expression.left) && isOperand(expression.right)
        ? undefined
        : "it compares values that are not literal numbers";
    case "TestLogical":
      return expression.operands.map(testDoubt).find((doubt) => doubt !== undefined);
    case "TestNot":
      return testDoubt(expression.operand);
    default:
      return testDoubt(expression.expression);
  }
}

function isOperand({ text }: Word): boolean {
  return isNumber(/^"([^"]*)"$/.exec(text)?.[1] ?? text);
}
