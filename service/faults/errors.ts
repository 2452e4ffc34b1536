import { errorAnswer, onAnswer } from "../answer-changes.ts";
import { faultsOf } from "./fault.ts";

export const errorFaults = faultsOf("Errors", [
  [
    "wrong-code",
    "error.code-404",
    "404 | not_found | No matching product.",
    onAnswer((answer) => (answer.status === 404 ? errorAnswer(404, "product_missing") : undefined)),
  ],
  [
    "unentitled-as-unknown",
    "retailer.unentitled-403",
    "An unknown retailer slug gives 400 and an unentitled one gives 403.",
    onAnswer((answer) => (answer.status === 403 ? errorAnswer(400, "bad_request") : undefined)),
  ],
]);
