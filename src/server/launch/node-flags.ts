// The flags that Node runs with. V8 accepts only caches that were created with the same flags.

/**
 * `npm start` gives the stack seven of the eight megabytes that systems provide; src/apimachinery/meta/max-nesting-depth.ts gives the reason.
 */
export const DEEP_STACK = "--stack-size=7000";

/** The result of flagsName() for this flag. */
export const DEEP_STACK_NAME = "-deep";

/**
 * A part of the file name of a code cache. V8's own hash of its flags is used only for unusual flags, since it takes
 * time.
 */
export function flagsName(): string {
  const { execArgv, env } = process;
  if (env["NODE_OPTIONS"]) return `-${tagOfFlags()}`;
  if (execArgv.length === 0) return "";
  return execArgv.length === 1 && execArgv[0] === DEEP_STACK ? DEEP_STACK_NAME : `-${tagOfFlags()}`;
}

let tag: string | undefined;

/** As at the start: flags that are set later change V8's hash, but not the validity of a cache. */
function tagOfFlags(): string {
  tag ??= process.getBuiltinModule("node:v8").cachedDataVersionTag().toString(16);
  return tag;
}
