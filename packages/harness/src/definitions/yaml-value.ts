/** Values of front matter. */

/** A value of front matter. */
export type YamlValue = string | number | boolean | null | readonly YamlValue[] | YamlObject;

/** A block of `key: value` lines. */
interface YamlObject {
  readonly [key: string]: YamlValue;
}

/** Plain text as a value: `true`, `12` and `null` have their own types. */
export function scalarOf(text: string): YamlValue {
  if (/^(?:true|True|TRUE)$/.test(text)) return true;
  if (/^(?:false|False|FALSE)$/.test(text)) return false;
  if (/^(?:null|Null|NULL|~)$/.test(text)) return null;
  return /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/.test(text) ? Number(text) : text;
}
