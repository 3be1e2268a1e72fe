export function entries(): { readonly name: string; readonly source: string }[];
