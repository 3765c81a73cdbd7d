// When an image is pulled if nobody says so: the tag latest, said or unsaid, may change under its name.

export function pullPolicyFor(image: string): "Always" | "IfNotPresent" {
  const [name = "", digest] = image.split("@");
  const tag = name.slice(name.lastIndexOf("/") + 1).split(":")[1];
  const latest = tag === undefined ? digest === undefined : tag === "latest";
  return latest ? "Always" : "IfNotPresent";
}
