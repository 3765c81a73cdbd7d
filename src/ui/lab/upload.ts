// Upload of a file with progress events. XMLHttpRequest, because fetch reports no upload progress.
import { Refused, type ToldStatus } from "../frame/ask.ts";
import { type ImportTold, lastLine } from "./import-told.ts";

export interface Progress {
  readonly what: "sent" | "written";
  readonly done: number;
  readonly total: number;
}

const HTTP_FAILURE = 400;

interface UploadOptions {
  readonly withSecrets: boolean;
  readonly onProgress: (progress: Progress) => void;
  readonly signal: AbortSignal;
}

/** Rejects with Refused. */
export function upload(file: File, { withSecrets, onProgress, signal }: UploadOptions): Promise<ImportTold> {
  const query = new URLSearchParams({ name: file.name, progress: "true" });
  if (withSecrets) query.set("secrets", "true");
  const request = new XMLHttpRequest();
  return new Promise((resolve, reject) => {
    const refuse = (message: string) =>
      reject(new Refused({ code: request.status, reason: "", message, causes: [] }));
    request.upload.onprogress = ({ loaded, total }) => onProgress({ what: "sent", done: loaded, total });
    request.onprogress = () => {
      const told = request.status < HTTP_FAILURE ? lastLine(request.responseText) : undefined;
      if (told && "done" in told) onProgress({ what: "written", ...told });
    };
    request.onerror = () => refuse("The server does not answer.");
    request.onabort = () => refuse("It was called off.");
    request.onload = () => {
      if (request.status >= HTTP_FAILURE) reject(new Refused(statusIn(request)));
      else {
        const told = lastLine(request.responseText);
        if (told && "report" in told) resolve(told.report);
        else if (told && "error" in told) reject(new Refused({ ...told.error, causes: [] }));
        else refuse("The server has ended its answer too early.");
      }
    };
    signal.addEventListener("abort", () => request.abort());
    request.open("POST", `/egret/v1/import/file?${query}`);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.setRequestHeader("X-Egret-UI", "1");
    request.send(file);
  });
}

function statusIn({ status: code, statusText, responseText }: XMLHttpRequest): ToldStatus {
  try {
    const { reason = statusText, message = responseText } = JSON.parse(responseText) as Partial<ToldStatus>;
    return { code, reason, message, causes: [] };
  } catch {
    return { code, reason: statusText, message: responseText || statusText, causes: [] };
  }
}
