/** The timeline of a run; the same as `@runahead/agent/timeline`. */

export * from "@runahead/agent/timeline";
