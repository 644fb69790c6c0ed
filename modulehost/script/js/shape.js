// Shapes: what a request's JSON may be. A shape is a function that returns the value or throws. invalid makes
// the refusal of what a client sent.
(function (invalid) {
  "use strict";

  const owns = Object.prototype.hasOwnProperty;
  const wrong = (place, what) => {
    throw invalid(`${place} must be ${what}`);
  };
  const textOf = (least, most, what, fits) => (value, place) => {
    if (typeof value !== "string") wrong(place, what);
    let count = 0;
    for (const _ of value) count++;
    if (count < least || count > most || !fits(value)) wrong(place, what);
    return value;
  };
  return {
    text: (least, most) =>
      textOf(least, most, `a text of ${least} to ${most} characters`, (value) => !value.includes("\0")),
    line: (least, most) =>
      textOf(least, most, `one line of ${least} to ${most} characters, without spaces around it`, (value) =>
        value === value.trim() && !/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(value)),
    integer: (least, most) => (value, place) =>
      Number.isSafeInteger(value) && value >= least && value <= most
        ? value : wrong(place, `a whole number from ${least} to ${most}`),
    number: (least, most) => (value, place) =>
      typeof value === "number" && value >= least && value <= most
        ? value : wrong(place, `a number from ${least} to ${most}`),
    boolean: () => (value, place) => (typeof value === "boolean" ? value : wrong(place, "true or false")),
    id: () => (value, place) =>
      typeof value === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value)
        ? value : wrong(place, "an id"),
    date: () => (value, place) => {
      const made = typeof value === "string" ? new Date(value) : new Date(NaN);
      return !isNaN(made) && made.toISOString() === value
        ? made : wrong(place, "a time such as 2026-05-31T08:00:00.000Z");
    },
    day: () => (value, place) =>
      typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value) &&
      !isNaN(new Date(value)) && new Date(value).toISOString().startsWith(value)
        ? value : wrong(place, "a day such as 2026-05-31"),
    oneOf: (...values) => (value, place) =>
      values.includes(value) ? value : wrong(place, `one of ${values.join(", ")}`),
    list: (element, most) => (value, place) =>
      Array.isArray(value) && value.length <= most
        ? value.map((one, at) => element(one, `${place}[${at}]`)) : wrong(place, `a list of at most ${most}`),
    optional: (inner) => Object.assign((value, place) => inner(value, place), { optional: true }),
    nullable: (inner) => (value, place) => (value === null ? null : inner(value, place)),
    object: (members) => (value, place) => {
      if (typeof value !== "object" || value === null || Array.isArray(value)) wrong(place, "an object");
      const made = {};
      for (const name of Object.keys(value)) {
        if (!owns.call(members, name)) throw invalid(`${place} has an unknown ${name}`);
      }
      for (const name of Object.keys(members)) {
        if (value[name] !== undefined) made[name] = members[name](value[name], `${place}.${name}`);
        else if (!members[name].optional) throw invalid(`${place} lacks ${name}`);
      }
      return made;
    },
  };
});
