import { all, element } from "./element.ts";

/** Makes each time line a control: arrows, a tap or the pointer choose an event, Enter follows its link. */
export function setUpTimelines(): void {
  for (const figure of all("[data-timeline]")) setUp(figure);
}

function setUp(figure: HTMLElement): void {
  const lanes = figure.querySelector<HTMLElement>(".lanes");
  const shown = figure.querySelector<HTMLElement>(".at");
  const events = [...figure.querySelectorAll<SVGRectElement>("rect[data-at]")].toSorted(
    (a, b) => numberOf(a, "at") - numberOf(b, "at"),
  );
  const [first] = events;
  if (lanes === null || shown === null || first === undefined) return;
  const name = figure.getAttribute("aria-label") ?? "";
  for (const hint of all(".hint", shown)) hint.hidden = false;
  let at = -1;

  const choose = (next: number): void => {
    events[at]?.classList.remove("on");
    at = Math.max(0, Math.min(events.length - 1, next));
    const event = events[at] ?? first;
    event.classList.add("on");
    const text = textOf(event);
    const to = event.dataset.to;
    const link = to === undefined ? undefined : element("a", { href: to }, "Show it");
    shown.replaceChildren(text, ...(link === undefined ? [] : [" ", link]));
    lanes.setAttribute("aria-valuenow", `${at + 1}`);
    lanes.setAttribute("aria-valuetext", text);
  };

  const steps: Readonly<Record<string, () => number>> = {
    ArrowRight: () => at + 1,
    ArrowUp: () => at + 1,
    ArrowLeft: () => at - 1,
    ArrowDown: () => at - 1,
    Home: () => 0,
    End: () => events.length - 1,
    // To the next failure, in either direction.
    PageDown: () => nextBad(events, at, 1),
    PageUp: () => nextBad(events, at, -1),
  };
  const attributes = {
    role: "slider",
    tabindex: "0",
    "aria-label": name,
    "aria-valuemin": "0",
    "aria-valuemax": `${events.length}`,
    "aria-valuenow": "0",
    "aria-valuetext": "no event chosen",
  };
  for (const [key, value] of Object.entries(attributes)) lanes.setAttribute(key, value);
  lanes.addEventListener("keydown", (event) => {
    if (event.key === "Enter") shown.querySelector("a")?.click();
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    choose(step());
  });
  lanes.addEventListener("pointerdown", ({ target, clientX }) => {
    const lane = target instanceof Element ? target.closest("svg.lane") : null;
    if (lane === null) return;
    const near = events.filter((event) => lane.contains(event));
    const nearest = near.toSorted((a, b) => distance(a, clientX) - distance(b, clientX))[0];
    if (nearest !== undefined) choose(events.indexOf(target instanceof SVGRectElement ? target : nearest));
  });
}

function nextBad(events: readonly SVGRectElement[], at: number, step: 1 | -1): number {
  for (let next = at + step; next >= 0 && next < events.length; next += step)
    if (events[next]?.classList.contains("bad") === true) return next;
  return at;
}

function numberOf(event: SVGRectElement, name: "at" | "long"): number {
  return Number(event.dataset[name]);
}

function textOf(event: SVGRectElement): string {
  return event.querySelector("title")?.textContent ?? "";
}

function distance(event: SVGRectElement, x: number): number {
  const { left, right } = event.getBoundingClientRect();
  return x < left ? left - x : Math.max(0, x - right);
}
