/** The server's clock, as nearly as pings can measure it. Deadlines are shown by it, however wrong this machine's clock is. */

const own = (): number => performance.timeOrigin + performance.now();

let offset = 0;
let best = Infinity;

export const clock = $state({ now: Date.now(), wrongMs: 0 });

/** Take a time of the server's, asked for `took` ms ago; the fastest answers are the most exact. */
export function learnTime(time: number, took = 4_000): void {
  if (took <= best * 1.5 || took < 50) {
    best = Math.min(best, took);
    offset = time + took / 2 - own();
    clock.wrongMs = Date.now() - (own() + offset);
    clock.now = own() + offset;
  }
}

/** After a reconnect everything is learnt anew. */
export const forgetTime = (): void => {
  best = Infinity;
};

setInterval(() => {
  clock.now = own() + offset;
}, 200);

/** Whole seconds left until a deadline, never below nothing: a clock of 30 seconds never shows 31. */
export const secondsTo = (deadline: number): number => Math.max(0, Math.floor((deadline - clock.now) / 1000));
