// The flags that Node runs with. V8 takes only code that was compiled with the same ones.

/** `npm start` gives the stack seven of the eight megabytes that systems have for it: meta/limits/levels.ts says why. */
export const DEEP_STACK = "--stack-size=7000";

/** As flagsName() names that one. */
export const DEEP_STACK_NAME = "-deep";

/** A part of the name of a file with compiled code. V8 is asked where the flags are not the usual ones: that takes a while. */
export function flagsName(): string {
  const { execArgv, env } = process;
  if (env["NODE_OPTIONS"]) return `-${tagOfFlags()}`;
  if (execArgv.length === 0) return "";
  return execArgv.length === 1 && execArgv[0] === DEEP_STACK ? DEEP_STACK_NAME : `-${tagOfFlags()}`;
}

let tag: string | undefined;

/** As at the start: flags that are set later count for V8, and not for what is kept. */
function tagOfFlags(): string {
  tag ??= process.getBuiltinModule("node:v8").cachedDataVersionTag().toString(16);
  return tag;
}
