// Shows a Status with the server's message.
import type { ToldStatus } from "./ask.ts";

export function TellStatus({ status, what }: { status: ToldStatus; what: string }) {
  return (
    <div class="refusal" role="alert">
      <p>
        <b>✕ {what}</b>
        {status.code === 0 ? "" : ` (${status.code}${status.reason === "" ? "" : ` ${status.reason}`})`}
      </p>
      <p>{status.message}</p>
    </div>
  );
}
