/** Which expansions only give text, and which may run something or hide what runs. */

import type { ArithmeticExpression, ParameterExpansionPart, TestExpression, Word } from "unbash";

const NUMBER = /^(?:\d+|0[xX][0-9a-fA-F]+|\d+#[0-9a-zA-Z@_]+)$/;
const NAME = /^\$?\{?[A-Za-z_]\w*\}?$/;
const ASSIGNS = /^(?:[-+*/%&|^]|<<|>>)?=$/;
const SAFE_TRANSFORMS = new Set(["Q", "U", "u", "L", "K", "k", "A", "a"]);
const COMPARES_NUMBERS = new Set(["-eq", "-ne", "-lt", "-le", "-gt", "-ge"]);
const EVALUATES = new Set(["-v", "-R"]);

/** What an expansion does beside giving text. */
export interface Finding {
  readonly doubt?: string;
  /** Sets a variable. */
  readonly assigns?: boolean;
  /** Is safe only while no variable of the script has a value from the script. */
  readonly evaluates?: boolean;
}

export function parameterFinding({ prefix, index, operation }: ParameterExpansionPart): Finding {
  if (prefix === "!") return { doubt: "an indirect expansion" };
  if (index !== undefined && !/^(?:\d+|[@*])$/.test(index.text)) return { doubt: "a computed subscript" };
  if (operation?.type === "Transform" && !SAFE_TRANSFORMS.has(operation.operand.text))
    return { doubt: "an expansion that evaluates its value" };
  if (operation?.type === "Slice" && ![operation.offset, operation.length].every(isNumber))
    return { doubt: "a computed slice" };
  if (operation?.type === "Unknown") return { doubt: "an unknown expansion" };
  return { assigns: operation?.type === "Default" && operation.operator.includes("=") };
}

function isNumber(word: Word | undefined): boolean {
  return word === undefined || /^\s*-?\d+\s*$/.test(word.text);
}

/** Arithmetic evaluates the values of variables, and subscripts in them run commands. */
export function arithmeticFinding(expression: ArithmeticExpression | undefined): Finding {
  if (expression === undefined) return { doubt: "arithmetic that is not understood" };
  switch (expression.type) {
    case "ArithmeticWord":
      if (NUMBER.test(expression.value)) return {};
      return NAME.test(expression.value)
        ? { evaluates: true }
        : { doubt: "arithmetic on what is not a number" };
    case "ArithmeticGroup":
      return arithmeticFinding(expression.expression);
    case "ArithmeticUnary":
      return both(
        { assigns: /^(?:\+\+|--)$/.test(expression.operator) },
        arithmeticFinding(expression.operand),
      );
    case "ArithmeticBinary":
      return both(
        { assigns: ASSIGNS.test(expression.operator) },
        both(arithmeticFinding(expression.left), arithmeticFinding(expression.right)),
      );
    case "ArithmeticTernary":
      return both(
        arithmeticFinding(expression.test),
        both(arithmeticFinding(expression.consequent), arithmeticFinding(expression.alternate)),
      );
    default:
      return { doubt: "arithmetic on the output of a command" };
  }
}

/** `[[ … ]]`: comparing numbers and asking for variables evaluates the operands. */
export function testFinding(expression: TestExpression): Finding {
  switch (expression.type) {
    case "TestUnary":
      return EVALUATES.has(expression.operator) ? { doubt: "a test that evaluates a name" } : {};
    case "TestBinary":
      if (!COMPARES_NUMBERS.has(expression.operator)) return {};
      if (isOperand(expression.left) && isOperand(expression.right)) return { evaluates: true };
      return { doubt: "a comparison of what are not numbers" };
    case "TestLogical":
      return expression.operands.map(testFinding).reduce(both, {});
    case "TestNot":
      return testFinding(expression.operand);
    default:
      return testFinding(expression.expression);
  }
}

/** A number, a variable, or what bash itself counts: `$?`, `$#`. */
function isOperand({ text }: Word): boolean {
  return /^"?(?:-?\d+|\$[?#$!]|\$\{#\w+\}|\$[A-Za-z_]\w*|\$\{[A-Za-z_]\w*\})"?$/.test(text);
}

function both(one: Finding, other: Finding): Finding {
  const doubt = one.doubt ?? other.doubt;
  return {
    ...(doubt === undefined ? {} : { doubt }),
    assigns: one.assigns === true || other.assigns === true,
    evaluates: one.evaluates === true || other.evaluates === true,
  };
}
