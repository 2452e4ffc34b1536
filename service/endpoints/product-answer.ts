import type { Retailer } from "../access/permissions.ts";
import type { Answer } from "../call.ts";
import type { StoredFields } from "../upstream.ts";

const noHeaders = {};
const listOpening = Buffer.from('{"products":[');
const comma = Buffer.from(",");

/** 200 with one product. As text, which goes out in one piece with the head: the quicker way for a short body. */
export function answerProduct({ opening }: Retailer, fields: StoredFields): Answer {
  return { status: 200, headers: noHeaders, body: Buffer.concat([opening, fields]).toString() };
}

/** Products on their way into `{ products, … }`; their bytes are put together once, at the end. */
export class ProductList {
  readonly #parts: Buffer[] = [listOpening];
  length = 0;

  add({ opening }: Retailer, fields: StoredFields): void {
    if (this.length++ > 0) this.#parts.push(comma);
    this.#parts.push(opening, fields);
  }

  /**
   * 200 with the list and what comes after it.
   * @param rest further members of the body, as JSON text without the braces.
   */
  answer(rest: string): Answer {
    return {
      status: 200,
      headers: noHeaders,
      body: Buffer.concat([...this.#parts, Buffer.from(`],${rest}}`)]),
    };
  }
}
