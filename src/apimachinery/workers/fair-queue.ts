// Queue of jobs, one line per user. Users are served in turn (fair queuing): a user with one job waits for at most one
// job of each other user, however many those have. Users with all rights come first and anonymous comes last. A full
// queue drops the newest job of the user with the most.
import type { JobOwner } from "./job.ts";

interface Owned {
  readonly owner: JobOwner;
}

const RANKS: readonly JobOwner["rank"][] = ["first", "usual", "last"];

export class FairQueue<T extends Owned> {
  /** Lines by user, in the order of their turns. */
  readonly #lines = new Map(RANKS.map((rank) => [rank, new Map<string, T[]>()]));
  readonly #max: number;
  #size = 0;
  /** By rank, the user that was served last. */
  readonly #lastUsers = new Map<JobOwner["rank"], string>();

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds a job, and returns the job that is dropped for it, possibly the same; undefined: there was still capacity. */
  add(task: T): T | undefined {
    const lines = this.#linesOf(task.owner);
    const line = lines.get(task.owner.user);
    if (line === undefined) lines.set(task.owner.user, [task]);
    else line.push(task);
    this.#size++;
    if (this.#size <= this.#max) return undefined;
    const dropped = this.#longest()?.at(-1) ?? task;
    this.remove(dropped);
    return dropped;
  }

  /** Takes the next job of these ranks. */
  take(ranks: readonly JobOwner["rank"][] = RANKS): T | undefined {
    for (const rank of ranks) {
      const lines = this.#lines.get(rank) ?? new Map<string, T[]>();
      for (const [user, line] of [...lines].slice(0, 2)) {
        if (user === this.#lastUsers.get(rank) && lines.size > 1) {
          toEnd(lines, user, line); // the user waits again after its turn, but comes before the others
          continue;
        }
        this.#lastUsers.set(rank, user);
        return this.#takeFrom(lines, user, line);
      }
    }
    return undefined;
  }

  #takeFrom(lines: Map<string, T[]>, user: string, line: T[]): T | undefined {
    const task = line.shift();
    toEnd(lines, user, line);
    this.#size--;
    return task;
  }

  /** False when it does not wait here. */
  remove(task: T): boolean {
    const lines = this.#linesOf(task.owner);
    const line = lines.get(task.owner.user) ?? [];
    const index = line.indexOf(task);
    if (index < 0) return false;
    line.splice(index, 1);
    if (line.length === 0) lines.delete(task.owner.user);
    this.#size--;
    return true;
  }

  /** Empties the queue. */
  takeAll(): T[] {
    const all = [...this.#lines.values()].flatMap((lines) => [...lines.values()].flat());
    for (const lines of this.#lines.values()) lines.clear();
    this.#size = 0;
    return all;
  }

  #linesOf({ rank }: JobOwner): Map<string, T[]> {
    return this.#lines.get(rank) ?? new Map();
  }

  /** Among lines of one length, that of the lower rank. */
  #longest(): T[] | undefined {
    let longest: T[] | undefined;
    for (const rank of RANKS) {
      for (const line of this.#lines.get(rank)?.values() ?? [])
        if (line.length >= (longest?.length ?? 0)) longest = line;
    }
    return longest;
  }
}

function toEnd<T>(lines: Map<string, T[]>, user: string, line: T[]): void {
  lines.delete(user);
  if (line.length > 0) lines.set(user, line);
}
