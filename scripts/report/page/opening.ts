import type { Evidence, Excerpt } from "../../../schemas/contracts/evidence.ts";
import { statusName } from "../../../schemas/words/format.ts";
import type { PageData } from "../document.ts";
import { durationText, prettyJson } from "../text.ts";
import { copyButton, element } from "./element.ts";

/** Builds the contents of a fold when it is first opened. */
export class Opening {
  readonly #data: PageData;
  readonly #filled = new WeakSet<Element>();

  constructor(data: PageData) {
    this.#data = data;
    // `toggle` does not bubble.
    document.addEventListener(
      "toggle",
      ({ target }) => target instanceof HTMLDetailsElement && this.fill(target),
      true,
    );
  }

  /** Opens an element and its ancestors at once, so that it can be scrolled to. */
  open(start: Element): void {
    for (let one: Element | null = start; one !== null; one = one.parentElement) {
      if (!(one instanceof HTMLDetailsElement)) continue;
      this.fill(one);
      one.open = true;
    }
  }

  fill(details: HTMLDetailsElement): void {
    const { slot } = details.dataset;
    if (slot === undefined || this.#filled.has(details)) return;
    this.#filled.add(details);
    const exchanges = (this.#data.slots[Number(slot)] ?? []).flatMap(
      (place) => this.#data.exchanges[place] ?? [],
    );
    if (exchanges.length > 0) details.append(...exchanges.map(exchangeElement));
    else
      details.append(
        element("p", { class: "faint" }, "Omitted here to keep the page small; see results.json."),
      );
  }
}

/** One exchange: the request, the response, and the command that sends the request again. */
function exchangeElement({ request, response, curl, startedAt }: Evidence): HTMLElement {
  const command = block("Command to repeat the request", "", curl);
  return element(
    "div",
    { class: "exchange" },
    element(
      "div",
      {},
      element("p", { class: "heading" }, "Request"),
      block(
        "Request",
        [`${request.method} ${request.url}`, ...headerLines(request.headers)].join("\n"),
        request.body,
      ),
    ),
    element(
      "div",
      {},
      element(
        "p",
        { class: "heading" },
        "Response ",
        element(
          "span",
          {},
          `${statusName(response.status)}${startedAt === undefined ? "" : `, sent at ${startedAt.slice(11, 23)} UTC`}, ${durationText(response)}`,
        ),
      ),
      ...(response.excerpts ?? []).map(excerptElement),
      block("Response", headerLines(response.headers).join("\n"), prettyJson(response.body)),
    ),
    element(
      "div",
      { class: "curl" },
      element(
        "p",
        { class: "heading" },
        "Repeat ",
        copyButton(curl, "Copy the command that repeats the request"),
      ),
      command,
    ),
  );
}

/** A scrollable, focusable block; the head is dimmed. */
function block(label: string, head: string, body = ""): HTMLElement {
  const gap = head !== "" && body !== "" ? "\n\n" : "";
  return element(
    "pre",
    { tabindex: "0", role: "group", "aria-label": label },
    head === "" ? undefined : element("span", { class: "head" }, head),
    gap + body,
  );
}

/** The body around a place that a finding names, the place highlighted. */
function excerptElement({ path, lines }: Excerpt): HTMLElement {
  const label = `Body around ${path || "its root"}`;
  const shown = lines.flatMap(({ text, mark }, index) => [
    mark === "place" ? /^ */.exec(text)?.[0] : undefined,
    mark === "place"
      ? element("mark", {}, text.trimStart())
      : element("span", mark === undefined ? {} : { class: "head" }, text),
    index === lines.length - 1 ? "" : "\n",
  ]);
  return element("pre", { class: "excerpt", tabindex: "0", role: "group", "aria-label": label }, ...shown);
}

function headerLines(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}
