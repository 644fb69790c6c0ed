// Dates and numbers in the languages of the house: Intl as far as scripts have it, and the methods that use
// it. The engine calls this function with its natives, which format in Go.
(function (native) {
  "use strict";

  const textOf = (flat) => {
    let text = "";
    for (let at = 1; at < flat.length; at += 2) text += flat[at];
    return text;
  };
  const partsOf = (flat) => {
    const parts = [];
    for (let at = 0; at < flat.length; at += 2) {
      const last = parts[parts.length - 1];
      if (flat[at] === "literal" && last && last.type === "literal") last.value += flat[at + 1];
      else parts.push({ type: flat[at], value: flat[at + 1] });
    }
    return parts;
  };
  const localeOf = (locales) => {
    if (locales === undefined) return "";
    const first = Array.isArray(locales) ? locales[0] : locales;
    if (first === undefined) return "";
    if (typeof first !== "string" || !/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/.test(first)) {
      throw new RangeError(`Incorrect locale information provided: ${String(first)}`);
    }
    return first;
  };
  // An error of the natives begins with its class.
  const made = (make, locale, options, ...rest) => {
    try {
      return make(locale, JSON.stringify(options === undefined || options === null ? {} : options), ...rest);
    } catch (error) {
      const [, kind, message] = /^(RangeError|TypeError): ([^]*)$/.exec(error.message) || [];
      if (kind === "RangeError") throw new RangeError(message);
      throw new TypeError(message || error.message);
    }
  };
  const supportedLocalesOf = (locales) =>
    (Array.isArray(locales) ? locales : [locales]).filter((one) => /^(de|en)(-|$)/i.test(one));

  class DateTimeFormat {
    #format;
    #locale;
    constructor(locales, options, wanted = "date") {
      this.#locale = localeOf(locales);
      this.#format = made(native.dateFormat, this.#locale, options, wanted);
      this.format = (date) => textOf(native.formatDate(this.#format, date === undefined ? Date.now() : +date));
    }
    formatToParts(date) {
      return partsOf(native.formatDate(this.#format, date === undefined ? Date.now() : +date));
    }
    resolvedOptions() {
      const [locale, timeZone] = native.intlPlace(this.#locale, this.#format);
      return { locale, timeZone, calendar: "gregory", numberingSystem: "latn" };
    }
    static supportedLocalesOf(locales) { return supportedLocalesOf(locales); }
  }

  class NumberFormat {
    #format;
    #locale;
    constructor(locales, options) {
      this.#locale = localeOf(locales);
      this.#format = made(native.numberFormat, this.#locale, options);
      const read = (value) => (typeof value === "bigint" ? value : Number(value));
      this.format = (value) => textOf(native.formatNumber(this.#format, read(value)));
      this.formatToParts = (value) => partsOf(native.formatNumber(this.#format, read(value)));
    }
    resolvedOptions() {
      return { locale: native.intlPlace(this.#locale)[0], numberingSystem: "latn" };
    }
    static supportedLocalesOf(locales) { return supportedLocalesOf(locales); }
  }

  class PluralRules {
    select(value) { return Number(value) === 1 ? "one" : "other"; }
    static supportedLocalesOf(locales) { return supportedLocalesOf(locales); }
  }

  Object.defineProperty(globalThis, "Intl", {
    value: { DateTimeFormat, NumberFormat, PluralRules }, writable: true, configurable: true,
  });
  const method = (prototype, name, value) =>
    Object.defineProperty(prototype, name, { value, writable: true, configurable: true });
  for (const [name, wanted] of [["toLocaleString", "all"], ["toLocaleDateString", "onlydate"],
    ["toLocaleTimeString", "onlytime"]]) {
    method(Date.prototype, name, function (locales, options) {
      if (isNaN(this)) return "Invalid Date";
      return new DateTimeFormat(locales, options, wanted).format(this);
    });
  }
  method(Number.prototype, "toLocaleString", function (locales, options) {
    return new NumberFormat(locales, options).format(Number(this));
  });
  method(BigInt.prototype, "toLocaleString", function (locales, options) {
    return new NumberFormat(locales, options).format(BigInt(this));
  });
});
