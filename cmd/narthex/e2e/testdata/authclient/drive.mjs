// Calls the official client as a page in a browser would. Each line of standard input is a call,
//
//   {"call": "signIn.email", "arguments": {...}, "from": "192.0.2.1"}
//
// and is answered by one line {"data", "error", "cookies", "retryAfter"}: what the client returned, the names in the cookie jar, and
// the X-Retry-After that the application's onError saw. Ends with standard input. The last argument is the platform's address.
//
//   {"example": "source", "email", "password", "from"}
//
// runs the source of an application. What it asks its authenticator is answered by a line {"get"} and the next line of input, which is
// the credential.
import { createInterface } from "node:readline";
import { createAuthClient } from "better-auth/client";

const address = process.argv.at(-1);
const jar = new Map();
let from, retryAfter;

const client = createAuthClient({
  baseURL: address,
  fetchOptions: {
    customFetchImpl: fetchLikeABrowser,
    onError: ({ response }) => { retryAfter = response.headers.get("X-Retry-After"); },
  },
});

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
for await (const line of lines) {
  const call = JSON.parse(line);
  from = call.from;
  retryAfter = null;
  if (call.example !== undefined) {
    await runExample(call);
    console.log(JSON.stringify({ data: null, error: null, cookies: [...jar.keys()], retryAfter }));
    continue;
  }
  const method = call.call.split(".").reduce((object, name) => object[name], client);
  const { data, error } = await method(call.arguments);
  console.log(JSON.stringify({ data, error, cookies: [...jar.keys()], retryAfter }));
}

// Node has no authenticator, and no conversion of what one is asked.
async function runExample({ example, email, password }) {
  const navigator = { credentials: { get: async ({ publicKey }) => {
    console.log(JSON.stringify({ get: { publicKey } }));
    const credential = JSON.parse((await lines.next()).value);
    return { toJSON: () => credential };
  } } };
  const given = {
    auth: client, api: address, email, password, fetch: fetchLikeABrowser, navigator,
    PublicKeyCredential: { parseRequestOptionsFromJSON: (options) => options },
  };
  const Application = Object.getPrototypeOf(async () => {}).constructor;
  await new Application(...Object.keys(given), example)(...Object.values(given));
}

// What Node's fetch leaves out: cookies, and the headers that tell the server who asks. The forwarded address is the proxy's.
async function fetchLikeABrowser(input, init) {
  const request = new Request(input, init);
  request.headers.set("Sec-Fetch-Mode", "cors");
  request.headers.set("Sec-Fetch-Site", "same-origin");
  request.headers.set("X-Forwarded-For", from);
  if (request.method !== "GET") {
    request.headers.set("Origin", address);
  }
  if (jar.size > 0) {
    request.headers.set("Cookie", [...jar].map(([name, value]) => `${name}=${value}`).join("; "));
  }
  const response = await fetch(request);
  response.headers.getSetCookie().forEach(keep);
  return response;
}

function keep(line) {
  const [pair, ...attributes] = line.split(";").map((part) => part.trim());
  const equals = pair.indexOf("=");
  const name = pair.slice(0, equals);
  if (attributes.some((attribute) => attribute.toLowerCase() === "max-age=0")) {
    jar.delete(name);
  } else {
    jar.set(name, pair.slice(equals + 1));
  }
}
