// Whoever has loaded the code hears when a server of this process has started for the first time: by then V8 has compiled
// what a start needs.
let then: (() => void) | undefined;

export function onceServing(listener: () => void): void {
  then = listener;
}

export function serving(): void {
  const listener = then;
  then = undefined;
  listener?.();
}
