// The part of a script's surroundings that is simpler in the language itself. The engine calls this function
// once with its natives, what web.js returned, and the function of shape.js, and gets the functions that it
// calls. Everything that a script may use is in globalThis.narthex, from which the package @narthex/server
// takes it, and in the global names of web.js.
(function (native, web, makeShape) {
  "use strict";
  const { say, URLSearchParams } = web;
  const global = globalThis;
  const stringify = JSON.stringify;
  const parse = JSON.parse;

  // Nothing turns text into code: what a script runs is what was signed and installed.
  delete global.eval;
  const kinds = [function () {}, async function () {}, function* () {}];
  for (const kind of kinds) {
    const prototype = Object.getPrototypeOf(kind);
    const refused = function () {
      throw new TypeError("a script makes no code of text");
    };
    refused.prototype = prototype;
    Object.defineProperty(prototype, "constructor", { value: refused, writable: false, configurable: false });
    if (prototype === Function.prototype) global.Function = refused;
  }

  // Errors.

  class PlatformError extends Error {
    constructor(message, code, sqlState, constraint) {
      super(message);
      this.name = "PlatformError";
      this.code = code;
      if (sqlState) this.sqlState = sqlState;
      if (constraint) this.constraint = constraint;
    }
  }

  class Refusal extends Error {
    constructor(status, code, detail) {
      super(detail === undefined ? code : `${code}: ${detail}`);
      this.name = "Refusal";
      this.status = status;
      this.code = code;
      native.hide(this, status, code, detail);
    }
  }

  const refuse = (status, code) => new Refusal(status, code);
  const invalid = (detail) => new Refusal(400, "REQUEST_INVALID", String(detail));
  const shape = makeShape(invalid);

  // Requests and responses.

  class Request {
    #raw;
    #query;
    constructor(raw) {
      this.#raw = raw;
      this.method = raw.method;
      this.path = raw.path;
      this.principal = raw.principal;
      this.headers = { get: (name) => raw.header(name), has: (name) => raw.header(name) !== null };
    }
    get query() {
      if (this.#query === undefined) {
        try {
          this.#query = new URLSearchParams(this.#raw.query);
        } catch (_) {
          throw invalid("the query cannot be read");
        }
      }
      return this.#query;
    }
    get body() { return this.#raw.body; }
    param(name) { return this.#raw.parameter(name); }
    // id returns the path's {name} if it is a UUID, and otherwise refuses with 404 and the code.
    id(name, missing) {
      const value = this.#raw.parameter(name);
      try {
        return shape.id()(value, name);
      } catch (_) {
        throw refuse(404, missing);
      }
    }
    text() { return native.bodyText(this.#raw.body); }
    bytes() { return native.bodyBytes(this.#raw.body); }
    async json(members) {
      const kind = this.headers.get("content-type") || "";
      if (!/^application\/json\s*(;|$)/i.test(kind)) {
        throw invalid("the Content-Type must be application/json");
      }
      const text = await this.text();
      let value;
      try {
        value = parse(text);
      } catch (_) {
        throw invalid("the body is not JSON");
      }
      if (members === undefined) return value;
      return (typeof members === "function" ? members : shape.object(members))(value, "the body");
    }
  }

  class Response {
    constructor(body = null, init = {}) {
      this.body = body;
      this.status = init.status === undefined ? (body === null ? 204 : 200) : init.status;
      const headers = init.headers || [];
      this.headers = Array.isArray(headers) ? headers.slice() : Object.entries(headers);
    }
    static json(value, init = {}) {
      const made = new Response(stringify(value), init);
      made.headers.push(["Content-Type", "application/json"]);
      return made;
    }
  }
  const created = (value) => Response.json(value, { status: 201 });

  // pack makes of a handler's result what the platform gets: nothing, JSON, or a Response.
  const pack = (value) => {
    if (value === undefined || value === null) return null;
    if (value instanceof Response) return value;
    const text = stringify(value);
    if (text === undefined) throw new TypeError("a handler returned a function, which is no JSON");
    return text;
  };
  const packJSON = (value) => (value === undefined ? null : stringify(value));

  // The platform's calls.

  const statements = (transaction, run) => ({
    query: (sql, ...values) => run(native.query, transaction, sql, values),
    one: async (sql, ...values) => {
      const rows = await run(native.query, transaction, sql, values);
      return rows.length > 0 ? rows[0] : null;
    },
    exec: (sql, ...values) => run(native.exec, transaction, sql, values),
  });

  // A transaction's statements run in the order in which they were given.
  const begunOf = new WeakMap();
  const transactionOf = (begun) => {
    let last = Promise.resolve();
    const made = statements(begun, (f, ...rest) => {
      const made = last.then(() => f(...rest));
      last = made.catch(() => {});
      return made;
    });
    begunOf.set(made, begun);
    return made;
  };

  const db = {
    ...statements(undefined, (f, ...rest) => f(...rest)),
    async tx(work) {
      const begun = await native.begin();
      let result;
      try {
        result = await work(transactionOf(begun));
        await native.commit(begun);
      } catch (error) {
        await native.rollback(begun);
        throw error;
      }
      return result;
    },
    json: (value) => new Json(value),
    // changes runs writes one after the other, counts them and publishes them after their commit.
    changes(statement) {
      const turn = native.makeTurn();
      return {
        async write(work) {
          const held = await native.takeTurn(turn);
          try {
            let rev;
            const updates = await db.tx(async (tx) => {
              rev = (await tx.one(statement)).rev;
              return work(tx, rev);
            });
            for (const [channel, update] of Object.entries(updates || {})) {
              await publishChange(channel, update, rev);
            }
          } finally {
            await native.leaveTurn(turn, held);
          }
        },
      };
    },
  };
  class Json {
    constructor(value) { this.value = value; }
    toJSON() { return this.value; }
  }

  const realtime = {
    publish: (channel, update) => native.publish(channel, stringify(update)),
    publishLatest: (channel, key, value) => native.publish(channel, stringify(value), String(key)),
  };
  // The change is committed, so what fails here is only told: readers notice the missing rev.
  const publishChange = async (channel, update, rev) => {
    try {
      await realtime.publish(channel, update);
    } catch (error) {
      if (error.code === "UPDATE_TOO_LARGE") return realtime.publish(channel, { rev });
      await log.warn("a change was not published", { channel });
      say(error);
    }
  };

  const log = {
    info: (message, attributes) => native.log("info", String(message), attributes),
    warn: (message, attributes) => native.log("warn", String(message), attributes),
    error: (message, attributes) => native.log("error", String(message), attributes),
  };

  const storage = {
    bucket: (name) => ({
      list: (prefix = "", after = "", limit = 1000) => native.bucketList(name, prefix, after, limit),
      head: (key) => native.bucketHead(name, key),
      get: (key) => native.bucketGet(name, key),
      put: (key, contentType, content) =>
        native.bucketPut(name, key, contentType, content instanceof Request ? content.body : content),
      delete: (key) => native.bucketDelete(name, key),
      createReadURL: (key, options = {}) =>
        native.bucketReadURL(name, key, options.seconds || 0, options.downloadAs, !!options.unchanging),
    }),
  };

  const narthex = {
    defineModule(setup) {
      if (typeof setup !== "function") throw new TypeError("defineModule takes a function");
      return { setup };
    },
    db, storage, realtime, log, shape, refuse, invalid, created, Response, Refusal, PlatformError,
    mail: { send: (message) => native.mail(message) },
    config: {
      string: (key) => native.configuration("string", key),
      integer: (key) => native.configuration("integer", key),
      boolean: (key) => native.configuration("boolean", key),
    },
    secret: (key) => native.secret(key),
    house: () => native.house(),
    can: (permission) => native.can(permission),
    people: { names: (ids) => native.names(ids) },
    links: {
      create: (subject, ends, userId) => native.createLink(subject, ends, userId),
      revoke: (subject) => native.revokeLinks(subject),
      assign: (subject, userId) => native.assignLinks(subject, userId),
    },
    capability: (id) => ({
      call: (method, input = null) => native.invoke(id, method, stringify(input)),
    }),
  };
  Object.defineProperty(global, "narthex", { value: Object.freeze(narthex) });

  // What a module declares.

  const checked = (handler) => {
    if (typeof handler !== "function") throw new TypeError("a handler must be a function");
    return handler;
  };
  const routes = (declare) => {
    const route = (method) => (path, permission, options, handler) => {
      if (handler === undefined) [options, handler] = [{}, options];
      checked(handler);
      declare.route(method, path, permission, options.maxBodyBytes,
        async (raw) => pack(await handler(new Request(raw))));
    };
    return {
      get: route("GET"), post: route("POST"), put: route("PUT"), patch: route("PATCH"),
      delete: route("DELETE"),
    };
  };
  const collection = (declare) => ({ check, change, fields, ...options }) => {
    declare.collection(stringify({ ...options, fields: Object.entries(fields ?? {}) }),
      check && checked(check) && ((text) => {
        const row = parse(text);
        const returned = check(row);
        if (returned && typeof returned.then === "function") {
          throw new TypeError("the check of a collection returns without await");
        }
        return stringify(row);
      }),
      change && checked(change) && (async (held) => {
        await change((tx) => native.applyChange(begunOf.get(tx), held));
      }));
  };
  const seconds = { seconds: 1, minutes: 60, hours: 3600, days: 86400 };
  const interval = (given) => {
    if (typeof given === "number") return given;
    return Object.keys(given).reduce((sum, unit) => {
      if (!seconds[unit]) {
        throw new TypeError(`an interval has seconds, minutes, hours or days, and not ${unit}`);
      }
      return sum + given[unit] * seconds[unit];
    }, 0);
  };
  const register = (exported, declare) => {
    if (!exported || typeof exported.setup !== "function") {
      throw new TypeError("the default export must be made by defineModule");
    }
    const snapshot = (handler) => checked(handler) && (async () => packJSON(await handler()));
    const returned = exported.setup({
      ...routes(declare),
      collection: collection(declare),
      probe: declare.probe,
      feed: (path, permission, mediaType, handler) =>
        declare.feed(path, permission, mediaType, checked(handler) &&
          (async (raw) => String(await handler(new Request(raw))))),
      channel: (name, permission, handler) => declare.channel(name, permission, false, snapshot(handler)),
      latestChannel: (name, permission, handler) =>
        declare.channel(name, permission, true, snapshot(handler)),
      every: (name, given, run) =>
        declare.every(name, interval(given), checked(run) && (async () => { await run(); })),
      provide(capability, methods) {
        const packed = {};
        for (const name of Object.keys(methods)) {
          checked(methods[name]);
          packed[name] = async (input, caller) => packJSON(await methods[name](parse(input), caller));
        }
        declare.provide(capability, packed);
      },
      personErased: (forget) =>
        declare.personErased(checked(forget) && (async (userId) => { await forget(userId); })),
      personExport: (handler) =>
        declare.personExport(checked(handler) && (async (userId) => packJSON(await handler(userId)))),
      start: (run) => declare.start(checked(run) && (async () => { await run(); })),
    });
    if (returned && typeof returned.then === "function") {
      throw new TypeError("the function given to defineModule declares without await; m.start may wait");
    }
  };

  return {
    register,
    run: (handler, ok, bad, ...given) => { handler(...given).then(ok, bad); },
    parseJSON: (text) => parse(text),
    makeError: (message, code, sqlState, constraint) =>
      new PlatformError(message, code, sqlState, constraint),
  };
});
