// The tools, called as any program calls them.

const caller = { agent: "", user: "", token: "" };

/** From now on the memory is theirs. */
export function speakAs(who) {
  Object.assign(caller, who);
}

/** Whether it is known whose memory to show. */
export function isKnown() {
  return Boolean(caller.token || caller.agent || caller.user);
}

/** What the API refused, as it words it. */
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

/** The reply of a tool. Throws Refused; an aborted call throws as fetch does. */
export async function call(tool, given = {}, signal = undefined) {
  const address = new URL(`tools/memory_${tool}`, document.baseURI);
  let response;
  try {
    const request = { method: "POST", headers: headers(), body: JSON.stringify(given), cache: "no-store", signal };
    response = await fetch(address, request);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    if (error instanceof TypeError && response === undefined) throw new Refused(unreached(error));
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

function unreached(error) {
  return /header/i.test(error.message)
    ? "A name or token can only have letters, digits and signs that fit into a header of HTTP."
    : "The API did not answer. Is it running, and are you online?";
}
