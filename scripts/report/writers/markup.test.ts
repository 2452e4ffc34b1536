import { expect, test } from "vitest";
import { visibleText } from "../text.ts";
import { html, raw } from "./markup.ts";

test("values are escaped, also in attributes; only Html is inserted as markup", () => {
  const text = `<b title="x">'&`;
  expect(html`<p title="${text}">${text}${html`<i>${1}</i>`}${undefined}${["a", raw("<br>")]}</p>`.text).toBe(
    `<p title="&lt;b title=&quot;x&quot;&gt;&#39;&amp;">&lt;b title=&quot;x&quot;&gt;&#39;&amp;<i>1</i>a<br></p>`,
  );
});

test("invisible and bidirectional characters become marks; line breaks and tabs stay", () => {
  expect(visibleText("a\tb\nc")).toBe("a\tb\nc");
  expect(visibleText("\u202Eabc\u{E0041}")).toBe("‹U+202E›abc‹U+E0041›");
  expect(visibleText("Décoration 靴 👟")).toBe("Décoration 靴 👟");
});
