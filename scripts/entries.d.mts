export function entries(options?: {
  readonly hasInternal?: boolean;
}): { readonly name: string; readonly source: string }[];
