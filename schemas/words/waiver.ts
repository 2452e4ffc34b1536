import type { WaiverResult } from "../contracts/waivers.ts";

/** What to do about a waiver that is stale or expired; undefined for any other. */
export function waiverFix({ waiver, state, where }: WaiverResult): string | undefined {
  const place = where === undefined ? "" : `: ${where}`;
  switch (state) {
    case "stale":
      return `Fixed. Remove this waiver${place}.`;
    case "expired":
      return `Expired on ${waiver.expires}. Fix what it covers and remove it, or agree on a later date with ${waiver.owner}${place}.`;
    case "active":
    case "unused":
      return undefined;
    default:
      return state satisfies never;
  }
}
