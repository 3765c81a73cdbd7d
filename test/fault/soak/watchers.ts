// Three types of watchers: one reads everything and checks that no event is missing, one hardly reads, one disconnects and
// resumes.
import { connect, type Socket } from "node:net";
import type { Random } from "../../support/random.ts";

export const SOAKED = "/api/v1/namespaces/default/configmaps";

export interface WatchFacts {
  /** Events received by the watchers that read everything. */
  events: number;
  /** Violations that a watcher found. */
  readonly complaints: string[];
  /** Watches that the server ended in order, as it does with each after half an hour to an hour. */
  ended: number;
  /** Watches whose connection broke. */
  broken: number;
  /** Watches that had to relist, because their resourceVersion was compacted. */
  expired: number;
}

/** The last chunk of an answer; the connection stays open. */
const LAST_CHUNK = "0\r";

/** An open watch, read as it arrives. Calls `onEnd` when the server has ended it, with whether it ended in order. */
class WatchSocket {
  readonly #socket: Socket;
  #text = "";
  #closed = false;

  constructor(
    url: string,
    from: number,
    onLine: (line: string) => void,
    onEnd: (isInOrder: boolean) => void,
  ) {
    const { hostname, port } = new URL(url);
    const path = `${SOAKED}?watch=1&allowWatchBookmarks=true&resourceVersion=${from}`;
    this.#socket = connect({ host: hostname, port: Number(port) });
    this.#socket.setEncoding("latin1");
    this.#socket.on("data", (chunk: string) => {
      const lines = (this.#text + chunk).split("\n");
      this.#text = lines.pop() ?? "";
      for (const line of lines) {
        if (this.#closed) return;
        if (line.startsWith("{")) onLine(line);
        else if (line === LAST_CHUNK) {
          this.close();
          onEnd(true);
        }
      }
    });
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => {
      if (!this.#closed) onEnd(false);
    });
    this.#socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n\r\n`);
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  close(): void {
    this.#closed = true;
    this.#socket.destroy();
  }
}

const REVISION = /"resourceVersion":"(\d+)"/;

/** Follows every change, over as many watches as needed. */
export class Watcher {
  readonly #url: string;
  readonly #facts: WatchFacts;
  readonly #now: () => Promise<number>;
  #last = 0;
  #socket: WatchSocket | undefined;
  #over = false;

  constructor(url: string, facts: WatchFacts, now: () => Promise<number>) {
    this.#url = url;
    this.#facts = facts;
    this.#now = now;
  }

  /** The newest received revision. */
  get last(): number {
    return this.#last;
  }

  async start(): Promise<void> {
    this.#last = await this.#now();
    this.#open();
  }

  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#socket?.resume();
  }

  /** Drops the connection without closing it in order, and reconnects. */
  vanish(): void {
    this.#socket?.close();
    this.#open();
  }

  close(): void {
    this.#over = true;
    this.#socket?.close();
  }

  #open(): void {
    if (this.#over) return;
    this.#socket = new WatchSocket(
      this.#url,
      this.#last,
      (line) => this.#take(line),
      (isInOrder) => {
        this.#facts[isInOrder ? "ended" : "broken"]++;
        this.#open();
      },
    );
  }

  #take(line: string): void {
    if (line.startsWith('{"type":"ERROR"')) {
      if (!line.includes('"code":410')) this.#facts.complaints.push(line.slice(0, 300));
      this.#facts.expired++;
      this.#socket?.close();
      void this.start();
      return;
    }
    const revision = Number(REVISION.exec(line)?.[1]);
    const isBookmark = line.startsWith('{"type":"BOOKMARK"');
    if (!(revision > this.#last) && !isBookmark)
      this.#facts.complaints.push(`revision ${revision} came after ${this.#last}`);
    if (!isBookmark) this.#facts.events++;
    this.#last = Math.max(revision, this.#last);
  }
}

/** Reads only now and then. */
export function dawdle(watcher: Watcher, random: Random): void {
  if (random.below(4) === 0) watcher.resume();
  else watcher.pause();
}
