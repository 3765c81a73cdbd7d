// The header Accept-Encoding, which a kube-apiserver reads in two ways.

/** As its writer of answers does: the token alone, in lower case, without a weight. */
export const acceptsGzip = (header = ""): boolean =>
  header.includes("gzip") && header.split(",").some((token) => token.trim() === "gzip");

/** As the handler of its OpenAPI documents does: a weight counts. */
export const acceptsWeightedGzip = (header = ""): boolean =>
  header.split(",").some((token) => {
    const [name = "", ...parameters] = token.split(";").map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    return name === "gzip" && (weight === undefined || Number(weight) > 0);
  });
