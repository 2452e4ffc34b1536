import type { Evidence } from "../../schemas/types.ts";
import { clip } from "./html/visible-text.ts";

/** Longest part of an exchange, in characters: a curl line of a whole batch still fits. */
const longestPart = 6000;

/** Exchanges as plain text: what was asked, what came, and the command that asks it again. */
export function renderExchanges(evidence: readonly Evidence[]): string {
  return evidence.map(renderExchange).join("\n\n");
}

/** One exchange as plain text. */
export function renderExchange({ request, response, curl }: Evidence): string {
  return [
    `> ${cut(request.method)} ${cut(request.url)}`,
    ...headerLines(">", request.headers),
    ...(request.body === undefined ? [] : [`> ${cut(request.body)}`]),
    `< ${response.status} after ${Math.round(response.milliseconds)} ms`,
    ...headerLines("<", response.headers),
    `< ${cut(response.body)}`,
    `$ ${cut(curl)}`,
  ].join("\n");
}

function headerLines(mark: string, headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).map(([name, value]) => `${mark} ${name}: ${cut(value)}`);
}

function cut(text: string): string {
  return clip(text, longestPart);
}
