/** Helpers that several Runahead packages share. Not a public API: it changes without notice. */

export { type NestedArrival, makesCalls, withNestedCalls } from "./nesting.ts";
export { type BackgroundTask, type BackgroundTasks, LAST_JOB_FILE } from "./background-task.ts";
export {
  createChatMessage,
  NO_CHOICE,
  chatAnswer,
  chatCall,
  choiceOf,
  mergedMember,
} from "./chat-message.ts";
export { checkTools } from "./check-tools.ts";
export type { EndReason } from "./end-reason.ts";
export { endChild } from "./end-child.ts";
export { endProcesses, markedProcesses } from "./end-processes.ts";
export { codeOf, messageOf } from "./error.ts";
export { SYSTEM_FOLDERS, findProgram, isExecutable } from "./find-program.ts";
export { type HostPattern, bare, domainEntry, hostOf, hostPattern, matchesHost } from "./host-pattern.ts";
export { limitedSignal } from "./limited-signal.ts";
export { unlessStopped } from "./unless-stopped.ts";
export { type Lock, lockHolder, tryLock } from "./lock.ts";
export {
  type Check,
  aBoolean,
  aFunction,
  aNumberFromZero,
  aPositiveNumber,
  aString,
  anArray,
  anObject,
  anything,
  checkMembers,
  checkOptions,
  didYouMean,
  editsBetween,
  either,
  oneOf,
  rejectMisspelt,
  rejectUnknown,
  required,
  strings,
  unknownName,
  withOptions,
  wrong,
} from "./options.ts";
export {
  type OwnGit,
  QUIET_ENVIRONMENT,
  QUIET_OPTIONS,
  QUIET_SETTINGS,
  findGit,
  isWithin,
  ownGit,
} from "./own-git.ts";
export { type Environment, isOwnKey, withoutOwnKeys } from "./own-keys.ts";
export {
  type ProcessInfo,
  allProcesses,
  canSeeProcesses,
  commandOf,
  hasMark,
  inheritedBy,
  readProcess,
  signalGroup,
  signalProcess,
  tasksOfMachine,
} from "./processes.ts";
export { aPrompt } from "./prompt.ts";
export { redisAddress, redisProblem } from "./redis-words.ts";
export { type Shape, isAsyncIterable, isShape, listOf, shapeOf, stringOf } from "./shape.ts";
export { soundsRestricting } from "./restricting.ts";
export { matchesStars } from "./stars.ts";
