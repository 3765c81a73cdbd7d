// A large object is written in several turns, so that others are answered between its steps.
import { nextTurn } from "../meta/clock.ts";
import type { RequestContext } from "./request-context.ts";

/** To write an object of this size takes some 10 ms. */
export const LARGE_BYTES = 128 * 1024;

/** Whether a body has so much in it that others get their turn between the steps. */
export const isLargeBody = (body: Uint8Array | undefined): boolean => (body?.length ?? 0) > LARGE_BYTES;

/** Lets others have their turn; undefined: the write is small, as nearly all are. */
export const breathe = ({ isLarge }: RequestContext): Promise<void> | undefined =>
  isLarge ? nextTurn() : undefined;
