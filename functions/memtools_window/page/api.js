// Calls the tools, as any program does.

const caller = { agent: "", user: "", token: "" };

/** Sets whose memory all further calls use. */
export function speakAs(who) {
  Object.assign(caller, who);
}

/** Whether anybody is named whose memory to show. */
export function isKnown() {
  return Boolean(caller.token || caller.agent || caller.user);
}

/** An error from the API, in its own words. */
export class Refused extends Error {
  constructor(message, { code = "", details = {}, status = 0 } = {}) {
    super(message);
    Object.assign(this, { code, details, status });
  }
}

function headers() {
  const json = { "content-type": "application/json" };
  if (caller.token) return { ...json, authorization: `Bearer ${caller.token}` };
  const named = { "x-memory-agent": caller.agent, "x-memory-user": caller.user };
  return { ...json, ...Object.fromEntries(Object.entries(named).filter(([, name]) => name)) };
}

/** The reply of a tool. Throws Refused, or AbortError if the call was aborted. */
export async function call(tool, args = {}, signal = undefined) {
  const address = new URL(`tools/memory_${tool}`, document.baseURI);
  let response;
  try {
    const request = { method: "POST", headers: headers(), body: JSON.stringify(args), cache: "no-store", signal };
    response = await fetch(address, request);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    if (error instanceof TypeError && response === undefined) throw new Refused(noAnswer(error));
    throw error;
  }
  const body = await response.json().catch(() => ({}));
  if (response.ok) return body;
  throw new Refused(body.detail ?? body.message ?? `The API answered with status ${response.status}.`, {
    code: body.code ?? "",
    details: body.details ?? {},
    status: response.status,
  });
}

function noAnswer(error) {
  return /header/i.test(error.message)
    ? "A name or token can only contain characters that are allowed in an HTTP header."
    : "The API did not answer. Is it running, and are you online?";
}
