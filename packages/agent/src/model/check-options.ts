/** Option checks shared by the models. */

import { type Check, aPositiveNumber, aString, anArray, withOptions, wrong } from "@runahead/base";
import type { ProviderSearch } from "./web-search.ts";

export const aModelName: Check = (value, what) => {
  if (typeof value !== "string" || value === "") throw wrong(what, "the name of a model", value);
};

const SEARCH: Readonly<Record<keyof ProviderSearch, Check>> = {
  maxUses: aPositiveNumber,
  allowedDomains: anArray,
  inPlaceOf: aString,
};

export const aProviderSearch: Check = withOptions(SEARCH);
