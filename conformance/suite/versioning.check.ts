import { retailers } from "../client/requests.ts";
import { hasStatus } from "./check/expectations.ts";
import { section } from "./check/rows.ts";

export default section("versioning", [
  {
    id: "versioning.path/base-address",
    title: "The endpoints are below a base URL that ends in /v1",
    requests: 1,
    async run({ shared }) {
      // The config requires a base URL that ends in /v1, so any response below it will do.
      return hasStatus(await shared(retailers()), 200, { condition: "base-address" });
    },
  },
]);
