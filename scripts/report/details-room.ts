import { clip, visibleText } from "./html/visible-text.ts";

/** Characters of details in a whole report. Escaped, each may take six bytes, and a report stays below 10 MB. */
const whole = 1_000_000;
const longest = 16_000;
const leftOff = "More went wrong than is shown here in full: see report.html.";

/** Gives room to the details of one case after the other: to the first in full, to none once it is used up. */
export function detailsRoom(): (details: () => string) => string {
  let left = whole;
  return (details) => {
    if (left === 0) return leftOff;
    // Marks are longer than what they mark.
    const shown = clip(visibleText(clip(details(), longest)), longest);
    left = Math.max(0, left - shown.length);
    return shown;
  };
}
