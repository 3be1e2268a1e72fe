/** Which expansions only give text, and which may run something or hide what runs. */

import type { ArithmeticExpression, ParameterExpansionPart, SyntaxNode, TestExpression, Word } from "unbash";

const NUMBER = /^[-+]?(?:\d+|0[xX][0-9a-fA-F]+|\d+#[0-9a-zA-Z@_]+)$/;
/** `$?`, `$#`, `${#name}`: bash counts these itself, so they are numbers. */
const COUNT = /^\$(?:[?#]|\{[?#]\}|\{#(?:[@*]|[A-Za-z_]\w*(?:\[[@*]\])?)\})$/;
const SAFE_TRANSFORMS = new Set(["Q", "U", "u", "L", "K", "k", "A", "a"]);
const COMPARES_NUMBERS = new Set(["-eq", "-ne", "-lt", "-le", "-gt", "-ge"]);
const EVALUATES = new Set(["-v", "-R"]);

/** Whether arithmetic on this text is arithmetic on a number, whatever the variables say. */
export function isNumber(text: string): boolean {
  return NUMBER.test(text) || COUNT.test(text);
}

/** Why an expansion may run something; undefined if it only gives text. */
export function parameterDoubt({ prefix, index, operation }: ParameterExpansionPart): string | undefined {
  if (prefix === "!") return "an indirect expansion";
  if (index !== undefined && !isSubscript(index.text)) return "a computed subscript";
  if (operation?.type === "Transform" && !SAFE_TRANSFORMS.has(operation.operand.text))
    return "an expansion that evaluates its value";
  if (operation?.type === "Slice" && ![operation.offset, operation.length].every(isOffset))
    return "a computed slice";
  return operation?.type === "Unknown" ? "an unknown expansion" : undefined;
}

export function isSubscript(text: string): boolean {
  return /^(?:-?\d+|[@*])$/.test(text);
}

/** A subscript is arithmetic, also one in a list: `a=([x]=1)`. */
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
  if (expression === undefined) return "arithmetic that is not understood";
  switch (expression.type) {
    case "ArithmeticWord":
      return isNumber(expression.value) ? undefined : "arithmetic on a value that is not a literal number";
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
      return "arithmetic on the output of a command";
  }
}

/** `[[ … ]]`: comparing numbers and asking for variables evaluates the operands. */
export function testDoubt(expression: TestExpression): string | undefined {
  switch (expression.type) {
    case "TestUnary":
      return EVALUATES.has(expression.operator) ? "a test that evaluates a name" : undefined;
    case "TestBinary":
      if (!COMPARES_NUMBERS.has(expression.operator)) return undefined;
      return isOperand(expression.left) && isOperand(expression.right)
        ? undefined
        : "a comparison of values that are not literal numbers";
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
