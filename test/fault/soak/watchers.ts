// Clients that watch in three ways: one reads all and sees that nothing is missing, one hardly reads, one goes and comes
// back where it was.
import { connect, type Socket } from "node:net";
import type { Random } from "../../support/random.ts";

export const SOAKED = "/api/v1/namespaces/default/configmaps";

export interface WatchFacts {
  /** Events that were seen by those who read all. */
  events: number;
  /** What went wrong in the eyes of a watcher. */
  readonly complaints: string[];
  /** Watches that the server has ended. */
  ended: number;
  /** Watches that had to begin anew, since what they wanted was forgotten. */
  expired: number;
}

/** An open watch, read as it comes; `onEnd` is told when the server has ended it. */
class WatchSocket {
  readonly #socket: Socket;
  #text = "";
  #closed = false;

  constructor(url: string, from: number, onLine: (line: string) => void, onEnd: () => void) {
    const { hostname, port } = new URL(url);
    const path = `${SOAKED}?watch=1&allowWatchBookmarks=true&resourceVersion=${from}`;
    this.#socket = connect({ host: hostname, port: Number(port) });
    this.#socket.setEncoding("latin1");
    this.#socket.on("data", (chunk: string) => {
      const lines = (this.#text + chunk).split("\n");
      this.#text = lines.pop() ?? "";
      for (const line of lines) if (line.startsWith("{")) onLine(line);
    });
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => {
      if (!this.#closed) onEnd();
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

/** Follows every change, over as many watches as it takes. */
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

  /** The newest revision that it has seen. */
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

  /** Goes without a word, and comes back. */
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
      () => {
        this.#facts.ended++;
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

/** Reads now and then. */
export function dawdle(watcher: Watcher, random: Random): void {
  if (random.below(4) === 0) watcher.resume();
  else watcher.pause();
}
