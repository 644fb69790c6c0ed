import { folded, hasWords } from "../../kit/folding";
import type { Person } from "../data/directory";
import { holds, manageConfiguration, managePeople } from "../screens/modules/permissions";
import { w as home } from "../screens/home/words";
import { t } from "../words/words";
import { administrationFor } from "./address";
import { type App, doorsOf } from "./app";
import { nameOf, permissionsHash, personHash } from "./people";
import { accountHash, homeHash, moduleHash, type Route } from "./route";

/** A place that the caller may open. */
export interface Destination {
	readonly to: string;
	readonly name: string;
	/** Its kind, in a word. */
	readonly kind: string;
	readonly icon: string;
}

/** All places that the caller may open: modules, the Dashboard's own screens, and the settings of modules. */
export function destinationsOf(app: App): Destination[] {
	const navigation = app.navigation.value;
	const view = navigation.is === "ready" ? navigation.view : undefined;
	const held = view?.permissions ?? [];
	const configurations = held.includes(manageConfiguration) ? app.data.configurations.value.value : undefined;
	const settled = configurations?.modules ?? [];
	return [
		{ to: homeHash, name: home("home"), kind: t("page"), icon: "home" },
		...(view ? doorsOf(view) : []).map(({ moduleId, name, ui }) => ({
			to: moduleHash(moduleId),
			name,
			kind: t("module"),
			icon: ui.icon ?? "door",
		})),
		...administrationFor(app.router.screens, held).map(({ path, title, icon }) => ({
			to: `#/${path}`,
			name: title(),
			kind: t("administration"),
			icon,
		})),
		...settled.map(({ moduleId, name }) => ({
			to: `#/admin/modules/${moduleId}/settings`,
			name,
			kind: t("settings"),
			icon: "sliders",
		})),
		{ to: accountHash, name: t("account"), kind: t("page"), icon: "person" },
	];
}

/** Those of the people who match a search, which the server has found for this or for an earlier text. */
export function peopleAmong(app: App, people: readonly Person[], typed: string): Destination[] {
	if (typed.trim() === "") return [];
	const hashOf = holds(app, managePeople) ? personHash : permissionsHash;
	return people
		.filter((person) => hasWords(`${person.name ?? ""} ${person.email ?? ""} ${person.userId}`, typed.trim()))
		.map((person) => ({
			to: hashOf(person.userId),
			name: nameOf(person),
			kind: person.email ?? t("person"),
			icon: "person",
		}));
}

/** The destination of a route or of a screen below it. */
export function placeOf(route: Route): string | undefined {
	if (route.to === "module") return moduleHash(route.moduleId);
	if (route.to === "notfound") return undefined;
	const path = route.screen.path.replace(":id", route.params["id"] ?? "");
	return `#/${path.split("/:")[0]}`;
}

/**
 * The destinations that match a search: first names that begin with it, then names with a word that does,
 * then the others. Among equals, recently visited ones are first; without a search, only that counts.
 */
export function found(all: readonly Destination[], typed: string, recent: readonly string[]): Destination[] {
	const query = folded(typed.trim());
	const words = query.split(/\s+/);
	const far = ({ name }: Destination): number => {
		const text = folded(name);
		if (text.startsWith(query)) return 0;
		return text.split(/[\s-]+/).some((word) => word.startsWith(words[0] ?? "")) ? 1 : 2;
	};
	const since = ({ to }: Destination): number => {
		const place = recent.indexOf(to);
		return place < 0 ? recent.length : place;
	};
	return all
		.filter(({ name, kind }) => hasWords(`${name} ${kind}`, query))
		.sort((a, b) => far(a) - far(b) || since(a) - since(b));
}
