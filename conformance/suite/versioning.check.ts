import { retailers } from "../client/requests.ts";
import { section } from "./check/rows.ts";

export default section("versioning", [
  {
    id: "versioning.path/base-address",
    title: "The endpoints are below a base URL that ends in /v1",
    requests: 1,
    // The config requires a base URL that ends in /v1, so any response below it will do.
    bad: () => ({ request: retailers(), condition: "base-address" }),
    expect: 200,
  },
]);
