// The limits of a server, as --request-timeout and --http2-max-streams-per-connection say them.

import { readDuration } from "../../control/clock/texts.ts";
import { HTTP_LIMITS, type HttpLimits } from "../../http/limits/limits.ts";
import { UsageError } from "../errors.ts";
import { readText } from "./read-text.ts";

export interface LimitOptions {
  readonly requestTimeout: string;
  readonly http2MaxStreamsPerConnection: number;
}

/** Throws UsageError. */
export function httpLimits({ requestTimeout, http2MaxStreamsPerConnection }: LimitOptions): HttpLimits {
  const requestMs = readText("request-timeout", requestTimeout, readDuration);
  if (requestMs === 0) throw new UsageError("--request-timeout 0 leaves no time");
  const streamsPerConnectionMax = http2MaxStreamsPerConnection || HTTP_LIMITS.streamsPerConnectionMax;
  return { ...HTTP_LIMITS, requestMs, streamsPerConnectionMax };
}
