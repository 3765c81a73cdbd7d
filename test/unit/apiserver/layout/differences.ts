// Keys of values that are not encoded byte for byte as a kube-apiserver wrote them, with the reason. The list may only get
// shorter.
export const DIFFERENCES: Readonly<Record<string, string>> = {
  "/registry/persistentvolumeclaims/shop/f":
    "a kube-apiserver stores a new claim with an empty phase, and each reading fills in Pending; from the next write on it is stored. Here it is stored at once. Both are read as the same object",
};

export const DIFFERENCES_MAX = 1;
