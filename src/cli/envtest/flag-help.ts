// The help of an envtest executable: its flags, grouped by effect.
import type { EffectiveFlag, FlagEffect } from "./effective-flag.ts";

const HEADINGS: readonly (readonly [FlagEffect, string])[] = [
  ["honoured", "Flags:"],
  ["none", "Accepted without effect:"],
  ["refused", "Refused:"],
];

export function flagTable(flags: readonly EffectiveFlag[]): string {
  const width = flags.reduce((most, flag) => Math.max(most, nameOf(flag).length), 0);
  const parts = HEADINGS.map(([effect, heading]) => {
    const rows = flags
      .filter((flag) => flag.effect === effect)
      .map((flag) => `  ${nameOf(flag).padEnd(width)}  ${flag.text}`.trimEnd());
    return `${[heading, ...rows].join("\n")}\n`;
  });
  return parts.join("\n");
}

function nameOf({ name, short, type }: EffectiveFlag): string {
  const start = short === undefined ? `    --${name}` : `-${short}, --${name}`;
  return type === "bool" ? start : `${start} ${type}`;
}
