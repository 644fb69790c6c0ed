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
  constructor(status, code, retryAfter, body) {
    super(`${code} (${status})`);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
    this.body = body;
  }
  status;
  code;
  retryAfter;
  body;
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
    after > 0 ? after : void 0,
    value
  );
}
var refusals = {
  401: "denied",
  403: "denied",
  404: "gone",
  409: "conflict",
  413: "tooLarge",
  429: "busy",
  503: "busy"
};
function moduleApi(context, codes) {
  const result = async (request) => {
    try {
      return { ok: true, value: await request };
    } catch (error) {
      if (!(error instanceof ApiError)) return { ok: false, why: "failed", body: void 0 };
      const why = error.code === "OFFLINE" ? "offline" : codes[error.code] ?? refusals[error.status];
      return { ok: false, why: why ?? "failed", body: error.body };
    }
  };
  return {
    send: (...[method, path, body]) => {
      if (!(body instanceof Blob)) return result(jsonRequest(context, method, path, body));
      const headers = { "Content-Type": body.type || "application/octet-stream" };
      const api = (to, init) => context.api(to, { ...init, body, headers });
      return result(jsonRequest({ api }, method, path));
    },
    file: (path) => {
      let content = new Blob();
      const api = async (to, init) => {
        const response = await context.api(to, init);
        if (!response.ok) return response;
        content = await response.blob();
        return new Response();
      };
      return result(jsonRequest({ api }, "GET", path).then(() => content));
    }
  };
}
function saveFile(content, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 6e4);
}
function live(context, channel, { apply, changed, refused }) {
  let state;
  let received = 0;
  let again;
  const become = (next) => {
    if (next === state) return;
    if (next.serverTime !== state?.serverTime) received = performance.now();
    state = next;
    changed(next);
  };
  const follow = () => context.realtime(channel, {
    snapshot: become,
    update: (update) => {
      const next = state && apply(state, update);
      if (next !== void 0) become(next);
      else if (state !== void 0) again ??= setTimeout(restart, Math.random() * 500);
    },
    state: (now) => now === "refused" && refused?.()
  });
  const restart = () => {
    again = void 0;
    end();
    end = follow();
  };
  let end = follow();
  return {
    get state() {
      return state;
    },
    now() {
      const told = context.serverNow();
      if (state === void 0) return told;
      const counted = Date.parse(state.serverTime) + performance.now() - received;
      return Math.abs(told - counted) < 1e4 ? told : counted;
    },
    stop() {
      clearTimeout(again);
      end();
    }
  };
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
function words(context, texts) {
  const code = context.locale.toLowerCase().split("-")[0] ?? "";
  const own = Object.hasOwn(texts, code) ? texts[code] : void 0;
  const language = own === void 0 ? "en" : context.locale;
  const say = (id, fillings = {}) => fillIn((own ?? texts.en)[id], fillings, language);
  return Object.assign(say, { language });
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
    house: void 0,
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
  live,
  moduleApi,
  moduleUiAbi,
  saveFile,
  sdkVersion,
  words
};
