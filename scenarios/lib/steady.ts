import { setTimeout } from "k6/timers";

/** Resolves after so many milliseconds, without blocking what else the virtual user has under way. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, Math.max(0, milliseconds));
  });
}

/** Longest stretch that is caught up when timers come late. */
const mostBehindMilliseconds = 50;

/** Calls `fire` at a steady rate a second until `until` (Unix milliseconds) or until `enough` says so. */
export async function steadily(
  perSecond: number,
  until: number,
  fire: () => void,
  enough: () => boolean = () => false,
): Promise<void> {
  const spacing = 1000 / perSecond;
  let next = Date.now();
  while (!enough()) {
    const now = Date.now();
    if (now >= until) return;
    next = Math.max(next, now - mostBehindMilliseconds);
    while (next <= now) {
      fire();
      next += spacing;
    }
    await pause(Math.min(next, until) - now);
  }
}
