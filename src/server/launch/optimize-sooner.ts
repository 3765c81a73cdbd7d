// V8's optimization threshold. On Node 20 it is lowered once a server serves, after the code cache for the next start
// was created.

/** Bytecode budget of a function until V8 considers optimizing it; V8's default is 67,584. */
const SOONER = "--interrupt-budget=30000";

/**
 * Makes V8 optimize a server's code sooner. Node 20 (V8 11) runs most of a request's code unoptimized for thousands of
 * requests. With this flag the creates of the first two seconds took 8 and 32 % less processor time, and those of the
 * next two 13 and 15 %. On a shared machine the effect was visible in one pair of three. Newer versions have other
 * rules.
 */
export function optimizeSooner(): void {
  const isMeant = process.versions.v8.startsWith("11.");
  if (isMeant) process.getBuiltinModule("node:v8").setFlagsFromString(SOONER);
}
