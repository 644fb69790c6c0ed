// web/sdk/narthex-sdk.ts
var sdkVersion = "0.1.2";
var moduleUiAbi = 1;
var displayAbi = 1;
var contributionAbi = 1;
function defineModuleUi(ui) {
  return Object.freeze({ narthex: "module-ui", abi: moduleUiAbi, definition: ui });
}
function defineDisplay(display) {
  return Object.freeze({ narthex: "display", abi: displayAbi, definition: display });
}
function defineContribution(value) {
  return Object.freeze({ narthex: "contribution", abi: contributionAbi, definition: value });
}
var ApiError = class extends Error {
  constructor(status, code, retryAfter) {
    super(`${code} (${status})`);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }
  status;
  code;
  retryAfter;
  name = "ApiError";
};
async function jsonRequest(context, method, path, body) {
  const headers = { "Content-Type": "application/json" };
  const init = body === void 0 ? { method } : { method, headers, body: JSON.stringify(body) };
  let response;
  let text;
  try {
    response = await context.api(path, init);
    text = await response.text();
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(0, navigator.onLine ? "NETWORK" : "OFFLINE");
  }
  let value;
  try {
    value = text === "" ? void 0 : JSON.parse(text);
  } catch {
    if (response.ok) throw new ApiError(response.status, "MALFORMED");
  }
  if (response.ok) return value;
  const code = value?.code;
  const after = Number(response.headers.get("Retry-After") ?? Number.NaN);
  throw new ApiError(
    response.status,
    typeof code === "string" ? code : `HTTP_${response.status}`,
    after > 0 ? after : void 0
  );
}
function formOf(text, fillings, language) {
  if (typeof text === "string") return text;
  const { count } = fillings;
  return text[new Intl.PluralRules(language).select(typeof count === "number" ? count : 0)] ?? text.other;
}
function fillIn(text, fillings, language, shown = (inserted) => inserted) {
  return formOf(text, fillings, language).replace(/\{(\w+)\}/g, (_, name) => {
    const value = fillings[name] ?? "";
    return shown(typeof value === "number" ? new Intl.NumberFormat(language).format(value) : value);
  });
}
function fakeContext(given = {}) {
  const drafts = /* @__PURE__ */ new Map();
  const nothing = () => void 0;
  return {
    module: { id: "test", name: "Test", version: "0.0.0" },
    api: () => Promise.resolve(new Response(JSON.stringify({ code: "NOT_FOUND" }), { status: 404 })),
    realtime: () => nothing,
    permissions: [],
    contributions: [],
    locale: "en",
    dir: "ltr",
    serverNow: () => Date.now(),
    addStyle: nothing,
    signal: new AbortController().signal,
    subpath: "",
    navigate: nothing,
    onNavigate: () => nothing,
    theme: "light",
    onTheme: (listener) => {
      listener("light");
      return nothing;
    },
    announce: nothing,
    confirm: () => Promise.resolve(true),
    setTitle: nothing,
    setDirty: nothing,
    drafts: {
      get: (key) => drafts.get(key),
      set: (key, value) => void drafts.set(key, value),
      delete: (key) => void drafts.delete(key),
      form: () => nothing
    },
    ...given
  };
}
export {
  ApiError,
  contributionAbi,
  defineContribution,
  defineDisplay,
  defineModuleUi,
  displayAbi,
  fakeContext,
  fillIn,
  formOf,
  jsonRequest,
  moduleUiAbi,
  sdkVersion
};
