/** Reads the decisions of PermissionRequest hooks. */

import { type Shape, isShape } from "@runahead/base";

/** What hooks decide on a call that needs an answer. */
export type PermissionDecision =
  | {
      /** Whether the call can run. */
      readonly behavior: "allow";
      /** Replaces the input of the call. It is judged again. */
      readonly updatedInput?: Shape;
      /** Changes of the rules that the hook asks for, in the form of `permission_suggestions`. */
      readonly updatedPermissions?: readonly Shape[];
    }
  | {
      readonly behavior: "deny";
      /** For the model. */
      readonly message: string;
      /** Whether the turn ends. */
      readonly interrupt: boolean;
    };

/** A deny wins over every allow. Returns undefined if no hook decides. */
export function permissionDecision(answers: readonly Shape[]): PermissionDecision | undefined {
  const decisions = answers.map(({ decision }) => decision).filter(isShape);
  const denial = decisions.find(({ behavior }) => behavior === "deny");
  if (denial !== undefined) {
    const { message, interrupt } = denial;
    const words = typeof message === "string" && message !== "" ? message : "A hook denied the call.";
    return { behavior: "deny", message: words, interrupt: interrupt === true };
  }
  const permit = decisions.findLast(({ behavior }) => behavior === "allow");
  if (permit === undefined) return undefined;
  const { updatedInput, updatedPermissions } = permit;
  return {
    behavior: "allow",
    ...(isShape(updatedInput) ? { updatedInput } : {}),
    ...(Array.isArray(updatedPermissions) ? { updatedPermissions: updatedPermissions.filter(isShape) } : {}),
  };
}
