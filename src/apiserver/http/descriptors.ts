// Limits of open connections, derived from the file descriptor limit: the store, worker threads, webhooks and
// late-loaded modules need some descriptors.
import { readdirSync, readFileSync } from "node:fs";
import { getHeapStatistics } from "node:v8";

/** The soft limit without /proc: the usual limit of a login shell. Node raises it to the hard limit at its start. */
const OPEN_FILES_UNKNOWN = 1024;
/** Open descriptors of a server without clients, where they cannot be counted. */
const USED_UNKNOWN = 64;

/**
 * Descriptors that are not available for connections: LevelDB's tables and logs, four worker threads with eight
 * each, file reads, webhook calls. The reserve grows with the limit.
 */
const RESERVED_LEAST = 64;
const RESERVED_SHARE = 8;

/** Heap of an open idle connection: parser, socket, timers, and a watch. */
const HEAP_BYTES_EACH = 64 * 1024;
/** Minimum of connections, whatever the limits of the process. */
const CONNECTIONS_LEAST = 16;
/** Share of all connections for one address, so that other clients can connect. */
const SHARE_OF_ADDRESS = 0.75;

export interface ConnectionLimits {
  /** Open connections; 0 derives it from the limits of the process. */
  readonly connectionsMax: number;
  /** Connections of one address; 0 is three quarters of all. */
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

/** The soft limit; undefined where it is not available. */
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
