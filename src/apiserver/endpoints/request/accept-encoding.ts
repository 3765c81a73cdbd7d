// The Accept-Encoding header, which a kube-apiserver interprets in two ways.

/** As in its response writer: only the lower-case token without a weight. */
export const acceptsGzip = (header = ""): boolean =>
  header.includes("gzip") && header.split(",").some((token) => token.trim() === "gzip");

/** As in its OpenAPI handler: weights are evaluated. */
export const acceptsWeightedGzip = (header = ""): boolean =>
  header.split(",").some((token) => {
    const [name = "", ...parameters] = token.split(";").map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    return name === "gzip" && (weight === undefined || Number(weight) > 0);
  });
