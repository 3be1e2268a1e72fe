/** Option checks shared by the models. */

import {
  type Check,
  aBoolean,
  aNumberFromZero,
  aPositiveNumber,
  aString,
  anArray,
  oneOf,
  required,
  withOptions,
  wrong,
} from "@runahead/base";
import type { ModelFacts } from "./models.ts";
import type { Price } from "./price.ts";
import type { ProviderCode } from "./provider-code.ts";
import type { ProviderSearch } from "./web-search.ts";

export const aModelName: Check = (value, what) => {
  if (typeof value !== "string" || value === "") throw wrong(what, "the name of a model", value);
};

const PRICE: Readonly<Record<keyof Price, Check>> = {
  input: required(aNumberFromZero),
  output: required(aNumberFromZero),
  cacheRead: required(aNumberFromZero),
  cacheWrite: required(aNumberFromZero),
};

const FACTS: Readonly<Record<keyof ModelFacts, Check>> = {
  contextTokens: aPositiveNumber,
  maxOutputTokens: aPositiveNumber,
  price: withOptions(PRICE),
  efforts: anArray,
  thinking: oneOf("adaptive", "budget", "none"),
  structuredOutput: aBoolean,
};

export const someFacts: Check = withOptions(FACTS);

const SEARCH: Readonly<Record<keyof ProviderSearch, Check>> = {
  maxUses: aPositiveNumber,
  allowedDomains: anArray,
  inPlaceOf: aString,
};

export const aProviderSearch: Check = withOptions(SEARCH);

const CODE: Readonly<Record<keyof ProviderCode, Check>> = {
  tools: required(someNames),
  alsoDirect: aBoolean,
  version: oneOf("code_execution_20250825", "code_execution_20260120"),
};

function someNames(value: unknown, what: string): void {
  const isNames = Array.isArray(value) && value.every((name) => typeof name === "string" && name !== "");
  if (!isNames || value.length === 0) throw wrong(what, "the names of one or more tools", value);
}

export const aProviderCode: Check = withOptions(CODE);

const { version: _version, ...PROGRAMS } = CODE;

export const someProviderPrograms: Check = withOptions(PROGRAMS);
