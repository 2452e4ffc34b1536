import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Product } from "../../schemas/contracts/product.ts";
import type { ValueChange } from "../../schemas/contracts/vocabulary.ts";
import type { Exchange } from "../client/exchange.ts";
import { failed, type Outcome, passed } from "../client/outcome.ts";
import type { BatchItem, Request } from "../client/requests.ts";
import type { CheckId } from "../requirements/all.ts";
import { identityOf, productsIn } from "../response/products-in.ts";
import type { Check, CheckContext } from "./check/check.ts";
import { type FindingContext, hasStatus } from "./check/expectations.ts";
import { productOf } from "./check/product-comparison.ts";

// One mechanism for every value of a request: a known one is changed a little, and must then get its error, never
// somebody's product.

/** Values that a change makes of a known one; none where it does not fit. */
export type Changes = Readonly<Partial<Record<ValueChange, readonly string[]>>>;

/** A value of a request, and how it may be changed. */
export interface ChangedValue {
  readonly id: CheckId;
  readonly title: string;
  /** Most changed values. */
  readonly requests: number;
  /** A value that finds something. @throws NotJudged without one */
  readonly known: (context: CheckContext) => string;
  readonly changes: (known: string, context: CheckContext) => Changes;
  /** More changes, for a thorough run. */
  readonly thorough?: (known: string, context: CheckContext) => Changes;
  readonly request: (value: string, context: CheckContext) => Request;
  /** Statuses of a value that nothing has. */
  readonly refusals: readonly number[];
  /** Whether a product that is found may be that of the changed value after all. */
  readonly mayBe: (product: Product, value: string, context: CheckContext, known: Product) => boolean;
}

interface Changed {
  readonly change: ValueChange;
  readonly value: string;
}

/** Every changed value once, without those that equal the known one or have half a character. */
export function changedFrom(known: string, changes: Changes): Changed[] {
  const all = Object.entries(changes).flatMap(([change, values]) =>
    (values ?? []).map((value) => ({ change: change as ValueChange, value })),
  );
  const distinct = new Map(all.toReversed().map((one) => [one.value, one]));
  return all.filter(
    (one) =>
      distinct.get(one.value) === one &&
      one.value !== known &&
      one.value.trim() !== "" &&
      one.value.isWellFormed(),
  );
}

/** A check that sends a known value as the control, and each change of it. */
export function changedValueCheck(place: ChangedValue): Check {
  const { id, title, requests, refusals } = place;
  return {
    id,
    title,
    requests: 1 + requests,
    async run(context): Promise<Outcome> {
      const known = place.known(context);
      const succeeds = await context.control(place.request(known, context));
      const more = context.effort > 1 ? (place.thorough?.(known, context) ?? {}) : {};
      const all = [place.changes(known, context), more].flatMap((changes) => changedFrom(known, changes));
      for (const { change, value } of all) {
        const exchange = await context.ask(place.request(value, context));
        const circumstances = changedValue(change, value, known);
        const found = productOf(exchange);
        if (exchange.response.status !== 200) {
          const status = hasStatus(exchange, refusals, circumstances, succeeds);
          if (status.kind !== "pass") return status;
        } else if (!place.mayBe(found, value, context, productOf(succeeds))) {
          return failed(foundAnyway(circumstances, refusals, found), exchange, succeeds);
        }
      }
      return passed({ code: "checked", seen: { count: all.length, of: "requests" } }, succeeds);
    },
  };
}

/** The finding that a changed value found a product. */
function foundAnyway(circumstances: FindingContext, expected: readonly number[], product: Product): Finding {
  return {
    code: "wrong-status",
    ...circumstances,
    expected: [...expected],
    actual: 200,
    ...identityOf(product),
  };
}

/** What is special about a request with a changed value, as fields of a finding. */
function changedValue(change: ValueChange, value: string, known: string): FindingContext {
  return { condition: "changed-value", subject: value, details: { change, instead: known } };
}

/** A batch item in which one value is changed. */
export interface ChangedItem extends Changed {
  readonly item: BatchItem;
  /** The unchanged value. */
  readonly known: string;
}

/** The finding on a batch that found a product for a changed value; undefined when there is none. */
export function foundInBatch(
  exchange: Exchange,
  items: readonly ChangedItem[],
  known: Product,
  { fieldNames }: CheckContext,
): Finding | undefined {
  for (const { path, product } of productsIn(exchange, fieldNames)) {
    const asked = items.find(
      ({ item }) => item.retailer === product.retailer && item.product_id === product.product_id,
    );
    // A product may have a changed id by chance; nothing has a changed slug.
    const isAnother = product.product_url === undefined || product.product_url !== known.product_url;
    if (asked !== undefined && asked.item.product_id === asked.value && isAnother) continue;
    const shown = asked ?? items.find(({ item }) => item.retailer === product.retailer) ?? items[0];
    if (shown === undefined) continue;
    const circumstances = changedValue(shown.change, shown.value, shown.known);
    return { code: "item-unexpected", path, ...identityOf(product), ...circumstances };
  }
  return undefined;
}
