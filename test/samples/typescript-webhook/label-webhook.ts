// A mutating webhook: adds the team label to each ConfigMap, and denies one whose annotation says "none".
import { createServer, type Server } from "node:https";
import { json } from "node:stream/consumers";

const PATCH = [{ op: "add", path: "/metadata/labels", value: { team: "shop" } }];
const LABELED = { patchType: "JSONPatch", patch: Buffer.from(JSON.stringify(PATCH)).toString("base64") };

export const labelWebhook = (cert: string, key: string): Server =>
  createServer({ cert, key }, async (request, response) => {
    const { apiVersion, kind, request: asked } = (await json(request)) as AdmissionReview;
    const denied = asked.object?.metadata.annotations?.["shop.example/team"] === "none";
    const status = { code: 403, message: "each ConfigMap belongs to a team" };
    const verdict = denied ? { allowed: false, status } : { allowed: true, ...LABELED };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ apiVersion, kind, response: { uid: asked.uid, ...verdict } }));
  });

interface AdmissionReview {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: {
    readonly uid: string;
    readonly object?: { readonly metadata: { readonly annotations?: Readonly<Record<string, string>> } };
  };
}
