/** Runs something after every promise that is settled by now has been heard. */

export const soon: (action: () => void) => void =
  typeof setImmediate === "function"
    ? (action) => void setImmediate(action)
    : (action) => void setTimeout(action, 0);
