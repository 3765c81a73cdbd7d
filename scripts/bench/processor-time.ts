// Steal time of a virtual machine, which its host gave to others: absolute figures are unreliable where it is high.
import { readFileSync } from "node:fs";

export interface ProcessorTime {
  /** Ticks in which the machine wanted to run: it ran, or the host made it wait. */
  readonly wanted: number;
  /** The ticks of these in which the host made it wait. */
  readonly stolen: number;
}

/** Since the machine started; undefined where /proc is not available. */
export function processorTime(): ProcessorTime | undefined {
  try {
    return readProcessorTime(readFileSync("/proc/stat", "utf8"));
  } catch {
    return undefined;
  }
}

/** Parses the text of /proc/stat: "cpu user nice system idle iowait irq softirq steal …". */
export function readProcessorTime(text: string): ProcessorTime {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, stolen = 0] = (text.split("\n")[0] ?? "")
    .replace(/^cpu\s+/, "")
    .split(" ")
    .map(Number);
  return { wanted: user + nice + system + irq + softirq + stolen, stolen };
}

/** From 0 to 1. */
export function stolenShare(
  from: ProcessorTime | undefined,
  to: ProcessorTime | undefined,
): number | undefined {
  if (from === undefined || to === undefined || to.wanted === from.wanted) return undefined;
  return (to.stolen - from.stolen) / (to.wanted - from.wanted);
}
