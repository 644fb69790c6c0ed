/** Thrown when a response of the platform has an unexpected shape. */
export class ShapeError extends Error {}

export type Shape<Value> = (value: unknown) => Value;

export const text: Shape<string> = (value) => {
	if (typeof value !== "string") throw new ShapeError();
	return value;
};

export const yesOrNo: Shape<boolean> = (value) => {
	if (typeof value !== "boolean") throw new ShapeError();
	return value;
};

export const count: Shape<number> = (value) => {
	if (typeof value !== "number") throw new ShapeError();
	return value;
};

/** One of a few strings. */
export const oneOf =
	<Word extends string>(words: readonly Word[]): Shape<Word> =>
	(value) => {
		const word = words.find((known) => known === value);
		if (word === undefined) throw new ShapeError();
		return word;
	};

/** A field that an older server does not send. */
export const orAbsent =
	<Value>(shape: Shape<Value>): Shape<Value | undefined> =>
	(value) =>
		value === undefined ? undefined : shape(value);

export const orNull =
	<Value>(shape: Shape<Value>): Shape<Value | null> =>
	(value) =>
		value === null ? null : shape(value);

export const listOf =
	<Item>(item: Shape<Item>): Shape<Item[]> =>
	(value) => {
		if (!Array.isArray(value)) throw new ShapeError();
		return value.map(item);
	};

/** An object whose members all have one shape. */
export const byName =
	<Value>(shape: Shape<Value>): Shape<Readonly<Record<string, Value>>> =>
	(value) => {
		if (typeof value !== "object" || value === null) throw new ShapeError();
		return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shape(member)]));
	};

/** An object with at least these fields. Additional fields of a newer server are omitted. */
export const object =
	<Fields extends Record<string, Shape<unknown>>>(
		fields: Fields,
	): Shape<{ [Name in keyof Fields]: ReturnType<Fields[Name]> }> =>
	(value) => {
		if (typeof value !== "object" || value === null) throw new ShapeError();
		const known = Object.entries(fields).map(([name, shape]) => [
			name,
			shape((value as Record<string, unknown>)[name]),
		]);
		return Object.fromEntries(known) as { [Name in keyof Fields]: ReturnType<Fields[Name]> };
	};
