// Who asks, and how: what a write needs to know beside the object itself.
import type { Clock } from "../../meta/clock.ts";
import { type FieldError, notSupported } from "../../meta/field-error.ts";
import type { Ids } from "../../meta/ids.ts";

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
  /** What becomes of fields that the kind does not know, or that are given twice; left out: they are refused (Strict). */
  readonly fieldValidation?: FieldValidation;
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

/** metav1.DeleteOptions: what a DELETE may ask for. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: string;
  readonly orphanDependents?: boolean;
  readonly dryRun?: readonly string[];
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** The one legal value is "All". */
export function dryRunErrors(values: readonly string[]): FieldError[] {
  return values.every((value) => value === "All") ? [] : [notSupported("dryRun", values, ["All"])];
}

/** A larger object is written in several turns: to write one of this size takes some 10 ms. */
export const LARGE_BYTES = 128 * 1024;

/** Whether a body has so much in it that others get their turn between the steps. */
export const isLargeBody = (body: Uint8Array | undefined): boolean => (body?.length ?? 0) > LARGE_BYTES;
