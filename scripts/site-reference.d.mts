export function exportsWithoutTask(): string[];
