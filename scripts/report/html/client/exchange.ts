import type { Evidence } from "../../../../schemas/types.ts";
import { copyButton } from "./copy.ts";
import { element } from "./element.ts";

/** One exchange: what was asked, what came, and the command that asks it again. */
export function exchangeElement({ request, response, curl }: Evidence): HTMLElement {
  const command = block("Command that asks again", "", curl);
  return element(
    "div",
    { class: "exchange" },
    element(
      "div",
      {},
      element("h4", {}, "Request"),
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
        "h4",
        {},
        "Answer ",
        element("span", {}, `${response.status}, ${response.milliseconds.toLocaleString("en")} ms`),
      ),
      block("Answer", headerLines(response.headers).join("\n"), pretty(response.body)),
    ),
    element("div", { class: "curl" }, element("h4", {}, "Ask again ", copyButton(command)), command),
  );
}

/** A block that scrolls, and so can be focused; the head fainter than the body. */
function block(label: string, head: string, body = ""): HTMLElement {
  const gap = head !== "" && body !== "" ? "\n\n" : "";
  return element(
    "pre",
    { tabindex: "0", role: "group", "aria-label": label },
    head === "" ? undefined : element("span", { class: "head" }, head),
    gap + body,
  );
}

function headerLines(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

// A body that was cut is no JSON any more, and stays as it came.
function pretty(body: string): string {
  if (!/^\s*[[{]/.test(body)) return body;
  try {
    // Numbers that JavaScript cannot hold and repeated names would come out changed: then it stays as it came.
    const text = JSON.stringify(JSON.parse(body), null, 2);
    return text.replaceAll(/\s/g, "").length === body.replaceAll(/\s/g, "").length ? text : body;
  } catch {
    return body;
  }
}
