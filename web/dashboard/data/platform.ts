import { ServerClock } from "../../host/clock";
import { accents } from "../../kit/accents";
import { lifecycle } from "./lifecycleshapes";
import { type Result, nothing, request, write } from "./request";
import {
	count, listOf, object, oneOf, orAbsent, orNull, type Shape, ShapeError, text, yesOrNo,
} from "./shape";
import { translated } from "./translated";

/** The principal, according to the server. */
export type Principal =
	{ readonly kind: "anonymous" } | { readonly kind: "authenticated"; readonly userId: string };

const contribution = object({
	moduleId: text,
	moduleVersion: text,
	id: text,
	version: text,
	capability: text,
});
const inventoryEntry = translated(object({
	moduleId: text,
	name: text,
	version: text,
	artifactUrl: text,
	apiRoot: text,
	realtimeRoot: text,
	icon: orAbsent(orNull(text)),
	permissions: listOf(text),
	contributions: listOf(contribution),
}));
const entry = translated(object({ moduleId: text, name: text, order: orNull(count), ui: inventoryEntry }));
const group = object({ id: text, label: text, order: count, modules: listOf(entry) });
const navigation = object({ groups: listOf(group), ungrouped: listOf(entry), permissions: listOf(text) });
const configurations = object({
	modules: listOf(
		translated(object({ moduleId: text, name: text, version: text, restartRequired: yesOrNo })),
	),
});

/** The house of the installation. */
export const houseOf = object({
	name: orNull(text), accent: oneOf(accents), language: text, timeZone: orNull(text),
	secondFactor: oneOf(["optional", "administrators"] as const), rev: count,
});
const account = object({ userId: text, email: text, name: orNull(text) });

export type ContributionDescriptor = ReturnType<typeof contribution>;
export type InventoryEntry = ReturnType<typeof inventoryEntry>;
export type NavigationEntry = ReturnType<typeof entry>;
export type NavigationView = ReturnType<typeof navigation>;
export type House = ReturnType<typeof houseOf>;
export type Account = ReturnType<typeof account>;
export type ConfigurationsView = ReturnType<typeof configurations>;

const principal = (value: unknown): Principal => {
	const { kind } = object({ kind: text })(value);
	if (kind === "anonymous") return { kind };
	if (kind === "authenticated") return { kind, userId: object({ userId: text })(value).userId };
	throw new ShapeError();
};

/** The platform's own routes, on the API's origin. */
export class Platform {
	/** The server's time, from each of its responses. */
	readonly clock = new ServerClock();

	constructor(readonly origin: string) {}

	/** Resolves a root-relative path of the server on the API's origin. */
	address(path: string): string {
		return new URL(path, this.origin).href;
	}

	/** Sends a GET request. */
	read<Value>(path: string, shape: Shape<Value>): Promise<Result<Value>> {
		return request(this.address(path), {}, shape, this.clock);
	}
	/**
	 * Sends a write. The server refuses a body with a field too many, so make the body for this write, name by
	 * name: a type lets a wider object pass.
	 */
	send<Value>(
		method: "POST" | "PUT" | "DELETE",
		path: string,
		body: unknown,
		shape: Shape<Value>,
	): Promise<Result<Value>> {
		return request(this.address(path), write(method, body), shape, this.clock);
	}

	principal(): Promise<Result<Principal>> {
		return this.read("/api/v1/principal", principal);
	}
	/** The public data about the house. */
	house(): Promise<Result<House>> {
		return this.read("/api/v1/house", houseOf);
	}
	account(): Promise<Result<Account>> {
		return this.read("/api/v1/account", account);
	}
	changeName(name: string): Promise<Result<Account>> {
		return this.send("PUT", "/api/v1/account", { name }, account);
	}
	/** Everything that is kept about the person, in any shape. */
	exportData(): Promise<Result<unknown>> {
		return this.read("/api/v1/account/export", (body) => body);
	}
	signOutEverywhere(): Promise<Result<undefined>> {
		return this.send("POST", "/api/v1/account/sign-out-everywhere", {}, nothing);
	}
	navigation(): Promise<Result<NavigationView>> {
		return this.read("/api/v1/dashboard/navigation", navigation);
	}
	lifecycle(): Promise<Result<ReturnType<typeof lifecycle>>> {
		return this.read("/api/v1/module-lifecycle", lifecycle);
	}
	configurations(): Promise<Result<ConfigurationsView>> {
		return this.read("/api/v1/module-configuration", configurations);
	}

	signIn(email: string, password: string): Promise<Result<undefined>> {
		return this.#auth("sign-in/email", { email, password });
	}
	signOut(): Promise<Result<undefined>> {
		return this.#auth("sign-out", {});
	}
	requestPasswordReset(email: string): Promise<Result<undefined>> {
		return this.#auth("request-password-reset", { email });
	}
	resetPassword(newPassword: string, token: string): Promise<Result<undefined>> {
		return this.#auth("reset-password", { newPassword, token });
	}
	sendVerificationEmail(email: string): Promise<Result<undefined>> {
		return this.#auth("send-verification-email", { email });
	}
	verifyEmail(token: string): Promise<Result<undefined>> {
		return this.read(`/api/auth/verify-email?token=${encodeURIComponent(token)}`, nothing);
	}

	#auth(path: string, body: object): Promise<Result<undefined>> {
		return this.send("POST", `/api/auth/${path}`, body, nothing);
	}
}
