// Service account issuer discovery (KEP-1393): the OpenID configuration of the token issuer and the public keys of its
// tokens, for programs that verify tokens of ServiceAccounts without a TokenReview.
import type { JsonObject } from "../../apimachinery/json/json.ts";
import { type ApiRequest, type ApiResponse, JSON_TYPE, methodNotAllowed } from "./api-request.ts";
import { demandForms } from "./request/routed-forms.ts";

/** The issuer of the tokens of ServiceAccounts. */
export interface TokenIssuerKeys {
  readonly url: string;
  /** The public keys of its tokens, as JSON Web Keys. The first call may create a key. */
  publicKeys(): readonly JsonObject[];
}

export const CONFIGURATION_PATH = "/.well-known/openid-configuration";
export const KEY_SET_PATH = "/openid/v1/jwks";
export const KEY_SET_TYPE = "application/jwk-set+json";
const MAX_AGE_SECONDS = 3600;

/** OpenID allows only https issuers without query and fragment; for others a kube-apiserver serves no discovery. */
export function isDiscoverable(issuer: string): boolean {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  return url?.protocol === "https:" && !/[?#]/.test(issuer);
}

/** The response for one of the two paths, with or without a trailing slash. Throws 405 and 406. */
export function answerIssuerDiscovery(
  request: ApiRequest,
  issuer: TokenIssuerKeys,
  serverUrl: string,
): ApiResponse | undefined {
  const path = request.path.replace(/\/$/, "");
  if (path === CONFIGURATION_PATH) return answer(request, JSON_TYPE, () => configuration(issuer, serverUrl));
  if (path === KEY_SET_PATH) return answer(request, KEY_SET_TYPE, () => ({ keys: issuer.publicKeys() }));
  return undefined;
}

const configuration = ({ url, publicKeys }: TokenIssuerKeys, serverUrl: string): JsonObject => ({
  issuer: url,
  jwks_uri: serverUrl + KEY_SET_PATH,
  response_types_supported: ["id_token"],
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: [...new Set(publicKeys().map(({ alg }) => String(alg)))].sort(),
});

function answer(request: ApiRequest, type: string, document: () => JsonObject): ApiResponse {
  if (request.method !== "GET") throw methodNotAllowed();
  demandForms(request, { produces: [type] });
  const headers = { "content-type": type, "cache-control": `public, max-age=${MAX_AGE_SECONDS}` };
  return { status: 200, headers, body: Buffer.from(JSON.stringify(document())) };
}
