// Who asks, and how: what a write needs to know beside the object itself.
import type { Clock } from "../meta/clock.ts";
import type { Ids } from "../meta/ids.ts";

export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  /** What the authenticator knows beyond that, by key. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export type FieldValidation = "Ignore" | "Warn" | "Strict";

export interface RequestContext {
  readonly user: UserInfo;
  /** The name under which managedFields records this writer (fieldManager, else the user agent's first word). */
  readonly fieldManager: string;
  readonly dryRun: boolean;
  /** So much was sent, or is changed, that others get their turn between the steps. */
  readonly isLarge?: boolean;
  /** Options as the request names them, for admission to pass on; "" where it does not. */
  readonly given?: { readonly fieldManager: string; readonly fieldValidation: string };
  /**
   * Throws a 403 when who was let to change an object may not make it, which is asked where a PUT or an apply finds none.
   * Left out: he may.
   */
  readonly demandCreate?: () => void;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Adds a text to the answer's Warning headers (once, however often it is said). */
  warn(text: string): void;
}
