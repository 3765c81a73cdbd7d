// Loaded before a server: its clock is off by CLOCK_SKEW_MS, and jumps with each SIGUSR2, there and back in turns.
const JUMP_MS = 25_000;

const Real = Date;
const now = Real.now.bind(Real);
let skewMs = Number(process.env.CLOCK_SKEW_MS);
let jumpMs = JUMP_MS;

globalThis.Date = class extends Real {
  constructor(...given) {
    if (given.length === 0) super(now() + skewMs);
    else super(...given);
  }

  static now() {
    return now() + skewMs;
  }
};

process.on("SIGUSR2", () => {
  skewMs += jumpMs;
  jumpMs = -jumpMs;
});
