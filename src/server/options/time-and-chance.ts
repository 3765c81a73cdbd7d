// Clock, random seed and limits, as the options configure them.

import type { Clock } from "../../apimachinery/meta/clock.ts";
import { ControlledClock } from "../../apimachinery/meta/controlled-clock.ts";
import { Chance } from "../../apimachinery/meta/ids.ts";
import { StatusError } from "../../apimachinery/meta/status.ts";
import { HTTP_LIMITS, type HttpLimits } from "../../apiserver/http/limits.ts";
import { readDuration, readTime } from "../../features/control-surface/clock.ts";
import { type HistoryLimits, UNLIMITED_HISTORY } from "../../storage/mvcc/retention.ts";
import type { Store } from "../../storage/store.ts";
import { UsageError } from "../errors.ts";

/**
 * "real" follows the source; "frozen" stops at the source's current time; a time (RFC 3339) is where the clock
 * stops. Throws UsageError.
 */
export function openClock(text: string, source: Clock): ControlledClock {
  if (text === "real") return new ControlledClock(source);
  if (text === "frozen") return ControlledClock.frozen(source);
  return ControlledClock.frozen(source, readText("clock", text, readTime));
}

/**
 * Without a seed, runs are not reproducible. The revision of a used store is mixed in, so that uids in the store do
 * not repeat.
 */
export function openChance(seed: string | undefined, { revision }: Store): Chance {
  if (seed === undefined) return new Chance();
  return new Chance(seed, revision > 1 ? String(revision) : "");
}

/** Retention of the history: undefined: the default; "all": unlimited; otherwise a Go duration. Throws UsageError. */
export function historyLimits(retain: string | undefined): Partial<HistoryLimits> {
  if (retain === undefined) return {};
  if (retain === "all") return UNLIMITED_HISTORY;
  return { retainMs: readText("retain", retain, readDuration) };
}

/** Milliseconds; undefined: compaction is off. Throws UsageError. */
export function readCompactionInterval(text: string): number | undefined {
  return readText("etcd-compaction-interval", text, readDuration) || undefined;
}

/** Milliseconds, above 0. Throws UsageError. */
export function readRequestTimeout(text: string): number {
  const requestMs = readText("request-timeout", text, readDuration);
  if (requestMs === 0) throw new UsageError("--request-timeout 0 leaves no time");
  return requestMs;
}

/** Milliseconds; 0 closes all connections at once. Throws UsageError. */
export const readShutdownTimeout = (text: string): number => readText("shutdown-timeout", text, readDuration);

interface LimitOptions {
  readonly requestTimeout: string;
  readonly shutdownTimeout: string;
  readonly http2MaxStreamsPerConnection: number;
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
}

/** Throws UsageError. */
export function httpLimits(options: LimitOptions): HttpLimits {
  return {
    ...HTTP_LIMITS,
    requestMs: readRequestTimeout(options.requestTimeout),
    drainMs: readShutdownTimeout(options.shutdownTimeout),
    streamsPerConnectionMax: options.http2MaxStreamsPerConnection || HTTP_LIMITS.streamsPerConnectionMax,
    connectionsMax: options.maxConnections,
    connectionsPerAddressMax: options.maxConnectionsPerAddress,
  };
}

/** Throws UsageError, which names the flag. */
function readText(flag: string, text: string, reading: (text: string) => number): number {
  try {
    return reading(text);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    throw new UsageError(`--${flag} ${text}: ${error.message}`);
  }
}
