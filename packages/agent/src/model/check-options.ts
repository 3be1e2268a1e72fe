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
