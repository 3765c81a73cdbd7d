// The route by which a command verifies, before it sends a token, that the server is the one that has written the
// kubeconfig.

import { badRequest, failure } from "../../apimachinery/meta/status.ts";
import { CHALLENGE, type Instance, proofOf } from "../../apiserver/http/kubeconfig/instance.ts";
import { type ControlRoute, object, route, text } from "../../features/control-surface/control-route.ts";

const PROOF = object({
  proof: text("HMAC-SHA256 in hexadecimal digits, by the key of the server's record."),
});

/** `instance` returns undefined for a server without a record. */
export const instanceRoute = (instance: () => Instance | undefined): ControlRoute =>
  route("GET /instance", "proveInstance", {
    summary:
      "Proves to a command of the same user that this server has written the kubeconfig of a working directory.",
    access: "anybody",
    query: { challenge: text("64 hexadecimal digits.", { required: true }) },
    answer: ["The proof for this challenge and the server's URL.", PROOF],
    handle: ({ raw: { query } }) => {
      const challenge = query.get("challenge");
      if (!CHALLENGE.test(challenge)) throw badRequest("challenge: must be 64 hexadecimal digits");
      const own = instance();
      if (own === undefined)
        throw failure({ code: 404, reason: "NotFound", message: "this server keeps no record of itself" });
      return { proof: proofOf(own, challenge) };
    },
  });
