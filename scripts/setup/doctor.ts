import { noticesOfConnection } from "../../conformance/client/dispatcher.ts";
import type { Exchange } from "../../conformance/client/exchange.ts";
import { answeredOnTheWay, fromOf } from "../../conformance/client/from.ts";
import type { HttpClient } from "../../conformance/client/http-client.ts";
import { BudgetSpent } from "../../conformance/client/no-response.ts";
import { createPoliteClient } from "../../conformance/client/polite-client.ts";
import { type Request, retailers } from "../../conformance/client/requests.ts";
import type { Caller, KeyRole, Target } from "../../conformance/client/target.ts";
import { TransportError } from "../../conformance/client/transport-error.ts";
import { browseIfPossible, emptyCategories, isBrowsed } from "../../conformance/discovery/browsing.ts";
import type { CategoryFixture } from "../../conformance/discovery/fixtures.ts";
import { requestLists, rolesOfKeys, WrongKeyRoles } from "../../conformance/discovery/key-roles.ts";
import { reasonOf } from "../../conformance/requirements/outcome.ts";
import { unreadableBody } from "../../conformance/rules/every-response.ts";
import packageJson from "../../package.json" with { type: "json" };
import { keyHeaders } from "../../schemas/api.ts";
import type { Connection } from "../../schemas/connection.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { isOutage } from "../../schemas/gateway.ts";
import { keyVariables } from "../../schemas/redaction.ts";
import { counted, duration, grouped, perSecond } from "../../schemas/words/format.ts";
import { findingFix, findingText } from "../../schemas/words/index.ts";
import { responderSentence } from "../../schemas/words/responder.ts";
import { responseWords } from "../../schemas/words/response.ts";
import { transportFailureWords } from "../../schemas/words/transport.ts";
import { defaults, type Settings } from "../config/settings.ts";
import { CannotRunError, UsageError } from "../errors.ts";
import { fileProblem } from "../files.ts";
import { findK6, type K6Options, k6Fixes } from "../load/k6/resolve.ts";
import { type ConsoleStyle, printable, prose, wrap } from "../report/terminal.ts";
import { wrongRolesText } from "../runs/stages/conformance-stage.ts";
import { mostRequests } from "../runs/stages/selection.ts";

/** A finding of `doctor`. A note limits what can be judged, a problem prevents a run. */
export interface Diagnosis {
  readonly about: string;
  readonly status: "ok" | "note" | "problem";
  readonly found: string;
  readonly fix?: string | undefined;
  /** Exit code of a problem. Default: 3 */
  readonly exitCode?: 2;
}

/** A diagnosis of something that the reader knows. */
type Diagnosed = Omit<Diagnosis, "about">;

function problem(found: string, fix?: string): Diagnosed {
  return { status: "problem", found, fix };
}

/** A finding as found and fix. */
function told(finding: Finding, { keyVariables: variables = keyVariables }: Partial<Target> = {}) {
  const words = { keyVariables: variables };
  return { found: findingText(finding, words), fix: findingFix(finding, words) };
}

/** The findings as text: a line for each, and its fix below it. */
export function renderDiagnoses(diagnoses: readonly Diagnosis[], style: ConsoleStyle): string {
  const paint = { ok: style.good, note: style.unsure, problem: style.bad };
  const width = Math.max(...diagnoses.map(({ about }) => about.length));
  const lines = diagnoses.flatMap(({ about, status, found, fix }) => [
    `${paint[status](status.padEnd(7))} ${about.padEnd(width)}  ${prose(found)}`,
    ...(fix?.split("\n") ?? []).flatMap((line) =>
      wrap(prose(line), { width: style.width, indent: " ".repeat(width + 10) }),
    ),
  ]);
  return `${lines.join("\n")}\n`;
}

/** The error with which a run would refuse these settings, as a problem; empty if it would not. */
export async function refusalOf(about: string, attempt: () => unknown): Promise<Diagnosis[]> {
  try {
    await attempt();
    return [];
  } catch (error) {
    const isRefusal = error instanceof UsageError || error instanceof CannotRunError;
    const refusal = isRefusal ? error : fileProblem(error);
    if (refusal === undefined) throw error;
    const exitCode = error instanceof UsageError ? { exitCode: 2 as const } : {};
    return [{ about, ...problem(`${refusal.what}: ${refusal.where}`, refusal.fix), ...exitCode }];
  }
}

/** Checks the version of the running Node (`26.10.0`) against the engines of the package (`>=24`). */
export function diagnoseNode(running: string): Diagnosis {
  const wanted = packageJson.engines.node;
  const least = Number(wanted.replace(">=", ""));
  const found = `${running} (${wanted} required)`;
  if (Number.parseInt(running, 10) >= least) return { about: "Node", status: "ok", found };
  const fix =
    "Start shelfcheck with npm run or npx after npm ci, which installs the right Node version; or install a newer Node.";
  return { about: "Node", ...problem(found, fix) };
}

/** Finds the k6 that a load run would use, without downloading or building one. */
export async function diagnoseK6(options: K6Options): Promise<Diagnosis> {
  const about = "k6";
  const { found, tried } = await findK6(options);
  if (found !== undefined) {
    return { about, status: "ok", found: `${found.version} at ${found.path} (from ${found.source})` };
  }
  const outcomes = tried.join("; ");
  const unusable = { about, ...problem(outcomes, `${k6Fixes}.`) };
  if (options.env.K6_BIN) return { ...unusable, exitCode: 2 };
  if (options.env.SHELFCHECK_K6_OFFLINE) return unusable;
  const fix = `The first load run downloads k6, or builds it with Go. To provide it yourself: ${k6Fixes}.`;
  return { about, status: "note", found: outcomes, fix };
}

/** Bounds that may end conformance before everything is judged. */
export function diagnoseBounds(
  { maxRequestsPerSecond: pace }: Target,
  { maxRequests, maxSeconds }: Pick<Settings, "maxRequests" | "maxSeconds">,
): Diagnosis[] {
  const most = mostRequests({ only: [], skip: [] });
  const seconds = pace === undefined ? 0 : Math.ceil(most / pace);
  const note = (found: string, fix: string) => ({
    about: "conformance",
    status: "note" as const,
    found,
    fix,
  });
  return [
    ...(pace === undefined || seconds <= maxSeconds
      ? []
      : [
          note(
            `may need ${grouped(most)} requests, ${duration(seconds)} at ${perSecond(pace)} (maxRequestsPerSecond); it sends none after ${grouped(maxSeconds)} s`,
            `Give it more time with --max-time ${seconds}, or select checks with --only. What is not judged makes a run incomplete (exit 4).`,
          ),
        ]),
    ...(most <= maxRequests
      ? []
      : [
          note(
            `may need ${grouped(most)} requests; it sends at most ${grouped(maxRequests)} (maxRequests)`,
            "Raise maxRequests, or select checks with --only. What is not judged makes a run incomplete (exit 4).",
          ),
        ]),
  ];
}

/** Longest wait after a 429. */
export const longestWaitSeconds = 20;

/**
 * Checks connection, keys, their roles and categories of a target. Sends GET /retailers with each key, and again after a
 * 429 with a short wait.
 */
export async function diagnoseTarget(
  { target, missing }: { target: Target; missing: readonly KeyRole[] },
  http: HttpClient,
): Promise<Diagnosis[]> {
  const variables = target.keyVariables ?? keyVariables;
  const reach = await diagnoseReach(target, http);
  const findings = [...diagnoseConnection(target, http), reach];
  for (const role of ["primary", "sameOrg", "otherOrg"] as const) {
    const named = { about: keyLabels[role], variable: variables[role] };
    if (target.keys[role] === undefined) findings.push(missingKey(role, named, missing.includes(role)));
    else if (reach.status === "ok") findings.push(await diagnoseKey(role, named, http));
  }
  const isOk = (role: KeyRole) =>
    target.keys[role] !== undefined &&
    findings.some(({ about, status }) => about === keyLabels[role] && status !== "problem");
  // The keys of the built-in service are none of the user's.
  const isOwn = target.name !== defaults.target;
  if (isOwn && isOk("primary") && (isOk("sameOrg") || isOk("otherOrg")))
    findings.push(...(await diagnoseRoles(target, http)));
  findings.push(...(await diagnoseCategories(target, http, isOk("primary"))));
  const { lost } = http.requests();
  // Where nothing came, the problem says so.
  if (lost !== undefined && reach.status === "ok")
    findings.push({ about: "responses", status: "note", ...told(lost, target) });
  return findings;
}

/** Checks that the second keys have the right roles, as a run does. */
async function diagnoseRoles(target: Target, http: HttpClient): Promise<Diagnosis[]> {
  const variables = target.keyVariables ?? keyVariables;
  const about = "roles of the keys";
  const client = createPoliteClient(http);
  const products = async () => {
    const [category] = target.categories;
    const page = category === undefined ? undefined : await browseIfPossible(client, category, "primary");
    return page !== undefined && isBrowsed(page) ? page.products : [];
  };
  try {
    const roles = await rolesOfKeys(client, await requestLists(client, target), products);
    const seconds = [
      [roles.sameOrgKey, `${variables.sameOrg} sees the same retailers as ${variables.primary}`],
      [roles.otherOrgKey, `${variables.otherOrg} sees different retailers from ${variables.primary}`],
    ] as const;
    return seconds.flatMap(([key, asNamed]): Diagnosis[] => {
      if (!key.present) return [];
      if (key.value.role === "asNamed") return [{ about, status: "ok", found: asNamed }];
      return [{ about, status: "note", ...told(key.value.doubt, target) }];
    });
  } catch (error) {
    if (error instanceof WrongKeyRoles) {
      const { what, where, fix } = wrongRolesText(error, variables);
      return [{ about, status: "problem", found: `${what}: ${where}`, fix, exitCode: 2 }];
    }
    const { found, fix } = told(reasonOf(error), target);
    return [{ about, status: "note", found: `not checked: ${found}`, fix }];
  }
}

const keyLabels: Record<KeyRole, string> = {
  primary: "key",
  sameOrg: "key of the same organization",
  otherOrg: "key of another organization",
};

/** Shows proxy, TLS and headers of the connection, unless it is a plain one. */
function diagnoseConnection(target: Target, http: HttpClient): Diagnosis[] {
  const { connection = {}, baseUrl } = target;
  const { headers = [], host, proxy } = connection;
  const shown = proxy === undefined ? undefined : new URL(proxy);
  const tls: Connection = new URL(baseUrl).protocol === "https:" ? connection : {};
  const parts = [
    ...(shown === undefined ? [] : [`through the proxy ${shown.protocol}//${shown.host}`]),
    ...(headers.length === 0 ? [] : [`with the headers ${headers.map(({ name }) => name).join(", ")}`]),
    ...(host === undefined ? [] : [`with the Host header ${host}`]),
    ...(tls.clientCertificate === undefined ? [] : ["with a client certificate"]),
    ...(tls.ca === undefined ? [] : ["with additional certificate authorities"]),
  ];
  const about = "connection";
  return [
    ...(parts.length === 0 ? [] : [{ about, status: "ok" as const, found: parts.join("; ") }]),
    ...noticesOfConnection(http, target).map(
      (finding): Diagnosis => ({ about, status: "note", ...told(finding, target) }),
    ),
  ];
}

async function diagnoseReach({ name, baseUrl }: Target, http: HttpClient): Promise<Diagnosis> {
  const about = "target";
  try {
    const exchange = await sendTwice({ ...retailers(), caller: "nobody" }, http);
    const { response } = exchange;
    const wrong = readGateway(exchange) ?? readStatus(response) ?? readPage(exchange);
    if (wrong !== undefined && response.status !== 429) return { about, ...wrong };
    const own =
      name === defaults.target ? " (built-in reference service: your own service is not tested)" : "";
    const found = `${baseUrl} responded in ${Math.ceil(response.milliseconds)} ms${own}`;
    return { about, status: "ok", found };
  } catch (error) {
    return { about, ...noResponse(error, `${baseUrl}: `) };
  }
}

/**
 * The response to a request, which is sent again after a failure that may pass, as a run does.
 * @throws TransportError, also for a body that does not match its coding
 */
async function sendTwice(request: Request, http: HttpClient): Promise<Exchange> {
  const first = await http.send(request);
  const exchange = isOutage(first.response.status) ? await http.send(request) : first;
  if (exchange.response.undecodable !== undefined)
    throw new TransportError("undecodable", exchange.request.url);
  return exchange;
}

/** Why there is no response. @throws The error, if it is another one. */
function noResponse(error: unknown, where = ""): Diagnosed {
  if (error instanceof BudgetSpent) {
    return problem(`${where}not checked, since doctor's time was used up`, slowFix);
  }
  if (!(error instanceof TransportError)) throw error;
  const { text } = transportFailureWords(error.failure);
  return problem(`${where}${text}`, error.fix);
}

const slowFix = "The service is very slow. Look for the cause, and run doctor again.";

function missingKey(
  role: KeyRole,
  { about, variable }: { about: string; variable: string },
  needed: boolean,
): Diagnosis {
  const found = `${variable} is not set`;
  if (needed) return { about, status: "problem", found, fix: `Set ${variable}.`, exitCode: 2 };
  const fix = `Set ${variable} to judge more requirements, or name another variable under keys in the target's entry. Without it, a run is incomplete (exit 4), unless ${role}Key is listed under optional there.`;
  return { about, status: "note", found, fix };
}

async function diagnoseKey(
  role: KeyRole,
  { about, variable }: { about: string; variable: string },
  http: HttpClient,
): Promise<Diagnosis> {
  const request = { ...retailers(), caller: role };
  try {
    const first = waitTooLong(role, http) ?? (await sendTwice(request, http));
    const exchange = "status" in first ? first : await afterWait(first, request, http);
    if ("status" in exchange) return { about, ...exchange };
    if (exchange.response.status === 401) {
      const inOther = await acceptedInOtherHeader(exchange, request, http);
      if (inOther !== undefined) return { about, ...inOther };
    }
    return { about, ...readResponse(exchange, variable) };
  } catch (error) {
    return { about, ...noResponse(error) };
  }
}

/** The note that a key is accepted in one header only; undefined when the other one does not help. */
async function acceptedInOtherHeader(
  refused: Exchange,
  request: Request,
  http: HttpClient,
): Promise<Diagnosed | undefined> {
  const used = http.preferred();
  const other = used === keyHeaders.bearer ? keyHeaders.plain : keyHeaders.bearer;
  const { response } = await http.send({ ...request, keyHeader: other });
  if (response.status !== 200) return undefined;
  http.prefer(other);
  return {
    status: "note",
    found: `accepted in ${other}, but rejected with 401 in ${used}: ${responseWords(refused.response)}`,
    fix: `Find out whether something in front of the service removes ${used}, or whether the service does not read it: the spec requires both.`,
  };
}

async function afterWait(
  exchange: Exchange,
  request: Request,
  http: HttpClient,
): Promise<Exchange | Diagnosed> {
  if (exchange.response.status !== 429) return exchange;
  const tooLong = waitTooLong(request.caller, http);
  if (tooLong !== undefined) return tooLong;
  return await http.send(request);
}

function waitTooLong(caller: Caller, http: HttpClient): Diagnosed | undefined {
  const seconds = Math.round(http.wait(caller) / 1000);
  if (seconds <= longestWaitSeconds) return undefined;
  return problem(
    `429 with Retry-After: ${seconds} s; doctor waits at most ${longestWaitSeconds} s`,
    limitUsedFix,
  );
}

const limitUsedFix = "Run doctor again when nothing else uses this organization's rate limit.";

function readResponse(exchange: Exchange, variable: string): Diagnosed {
  const { status, json } = exchange.response;
  const whateverTheKey = readGateway(exchange) ?? readStatus(exchange.response);
  if (whateverTheKey !== undefined) return whateverTheKey;
  switch (status) {
    case 200: {
      const list =
        typeof json === "object" && json !== null && "retailers" in json ? json.retailers : undefined;
      if (Array.isArray(list))
        return { status: "ok", found: `accepted, ${counted(list.length, "retailer")}` };
      const fix =
        "Check that the base URL is that of the catalog service. Expected JSON with a list named retailers.";
      const unreadable = unreadableBody(exchange.response);
      const why = unreadable === undefined ? "" : `: ${findingText(unreadable, { keyVariables })}`;
      return problem(`GET /retailers returned 200 without a list of retailers${why}`, fix);
    }
    case 401:
    case 403:
      return problem(
        `rejected with ${status} (${variable}): ${responseWords(exchange.response)}${responderSentence(fromOf(exchange))}`,
        fromOf(exchange)?.by === "cache"
          ? "The response comes from a cache: it must not keep refusals."
          : `Set ${variable} to an active key. If the message says that no key arrived, something in front of the service removes it.`,
      );
    default:
      return problem(
        `GET /retailers returned 404: ${responseWords(exchange.response)}`,
        "Correct the base URL: the service has nothing at this path.",
      );
  }
}

/** The problem that a gateway responded in place of the service; undefined when it did not. */
function readGateway(exchange: Exchange): Diagnosed | undefined {
  if (exchange.response.status < 400 || fromOf(exchange)?.by !== "between") return undefined;
  const { found, fix } = told(answeredOnTheWay(exchange));
  return problem(`${found} It says: ${responseWords(exchange.response)}`, fix);
}

/** The problem that a status shows regardless of the key; undefined for statuses that depend on the key. */
function readStatus(response: Exchange["response"]): Diagnosed | undefined {
  const { status } = response;
  const { location } = response.headers;
  if ([200, 401, 403, 404].includes(status)) return undefined;
  const found = `GET /retailers returned ${status}`;
  if (location !== undefined) {
    return problem(
      `${found}, a redirect to ${printable(location)}`,
      "Set the base URL to the final address: shelfcheck does not follow redirects, so that the key stays with this host.",
    );
  }
  if (status === 429) return problem(`${found} again after the wait`, limitUsedFix);
  return problem(
    `${found}: ${responseWords(response)}`,
    isOutage(status)
      ? "Start the service, or wait until it has recovered. Check its log, and that of any gateway in front of it."
      : "Check the log of the service.",
  );
}

/** The problem that another site is at the address; undefined unless it returned text that is not JSON. */
function readPage({ response }: Exchange): Diagnosed | undefined {
  const { status, headers, json, text } = response;
  if ((status !== 200 && status !== 404) || json !== undefined || text === "") return undefined;
  const [type = "no Content-Type"] = (headers["content-type"] ?? "").split(";").filter(Boolean);
  return problem(
    `GET /retailers returned ${status} (${printable(type)}), which is not JSON`,
    "Correct the base URL: it must be that of the catalog service.",
  );
}

/** Checks that categories have products. Without products, most requirements cannot be judged. */
async function diagnoseCategories(target: Target, http: HttpClient, canAsk: boolean): Promise<Diagnosis[]> {
  const about = "categories";
  const { categories } = target;
  if (categories.length === 0) {
    const fix =
      "Name one with --category, with SHELFCHECK_CATEGORIES or in the configuration file. Without products, most requirements cannot be judged.";
    return [{ about, ...problem("none given", fix) }];
  }
  if (!canAsk) return [{ about, status: "note", found: `${categories.join(", ")} (not checked)` }];
  const client = createPoliteClient(http);
  const given: Awaited<ReturnType<typeof browseIfPossible>>[] = [];
  for (const category of categories) given.push(await browseIfPossible(client, category, "primary"));
  const empty = emptyCategories(given);
  if (empty === undefined) return [{ about, status: "ok", found: categories.join(", ") }];
  // A category may be empty, and a run finds its products in the others. More pages without a product are not an empty one.
  const hasProducts = (one: CategoryFixture) => one.products.length > 0;
  const isWhole = (one: (typeof given)[number]) =>
    isBrowsed(one) &&
    one.isJson !== false &&
    one.hasCursor !== false &&
    (hasProducts(one) || one.nextCursor === "");
  const isUsable = given.every(isWhole) && given.filter(isBrowsed).some(hasProducts);
  return [{ about, status: isUsable ? "note" : "problem", ...told(empty, target) }];
}
