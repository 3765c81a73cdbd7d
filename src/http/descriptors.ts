// How many file descriptors the process may have, and how many connections that leaves after what the store, worker
// threads, webhooks and late-loaded modules need.
import { readdirSync, readFileSync } from "node:fs";
import { getHeapStatistics } from "node:v8";

/** Where a system has no /proc: the usual limit of a login shell. Node raises it to the hard limit when it starts. */
const OPEN_FILES_UNKNOWN = 1024;
/** What a server without clients has open, where that cannot be counted. */
const USED_UNKNOWN = 64;

/**
 * Kept free for everything but connections: LevelDB's tables and logs, four worker threads with eight descriptors each, reads
 * of files, calls of webhooks. The share of a large limit grows with it.
 */
const RESERVED_LEAST = 64;
const RESERVED_SHARE = 8;

/** What an open connection may hold of the heap at rest: parser, socket, timers, and a watch. */
const HEAP_BYTES_EACH = 64 * 1024;
/** A server serves at least so many, however small its limits are. */
const CONNECTIONS_LEAST = 16;
/** One address may have so much of all: others still get in. */
const SHARE_OF_ADDRESS = 0.75;

export interface ConnectionLimits {
  /** Open connections at a time; 0 derives it from the limits of the process. */
  readonly connectionsMax: number;
  /** Of one address; 0 is three quarters of all. */
  readonly connectionsPerAddressMax: number;
}

export function resolveConnectionLimits(
  given: ConnectionLimits,
  process: ProcessLimits = readProcessLimits(),
): ConnectionLimits {
  const connectionsMax = given.connectionsMax || connectionsFor(process);
  const ofAddress = given.connectionsPerAddressMax || Math.ceil(connectionsMax * SHARE_OF_ADDRESS);
  return { connectionsMax, connectionsPerAddressMax: Math.min(ofAddress, connectionsMax) };
}

export interface ProcessLimits {
  readonly openFilesMax: number;
  readonly openFiles: number;
  readonly heapBytes: number;
}

export function connectionsFor({ openFilesMax, openFiles, heapBytes }: ProcessLimits): number {
  const reserved = RESERVED_LEAST + Math.ceil(openFilesMax / RESERVED_SHARE);
  const byFiles = openFilesMax - openFiles - reserved;
  const byHeap = Math.floor(heapBytes / HEAP_BYTES_EACH);
  return Math.max(CONNECTIONS_LEAST, Math.min(byFiles, byHeap));
}

export function readProcessLimits(): ProcessLimits {
  return {
    openFilesMax: quietly(readOpenFilesMax) ?? OPEN_FILES_UNKNOWN,
    openFiles: quietly(() => readdirSync("/proc/self/fd").length) ?? USED_UNKNOWN,
    heapBytes: getHeapStatistics().heap_size_limit,
  };
}

/** The soft limit; undefined where there is none to be read. */
function readOpenFilesMax(): number | undefined {
  const [, soft] = /^Max open files\s+(\S+)/m.exec(readFileSync("/proc/self/limits", "latin1")) ?? [];
  return soft === "unlimited" ? Number.MAX_SAFE_INTEGER : Number(soft) || undefined;
}

function quietly<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
