import type { Screen } from "../app/screen";
import { t } from "../words/words";
import { w as home } from "./home/words";

/**
 * The Dashboard's own screens. What is below "admin/" stands in the sidebar in this order, for those whom the
 * server would let use it.
 */
export const screens: readonly Screen[] = [
	{
		path: "",
		title: () => home("home"),
		icon: "home",
		load: async () => (await import("./home/homescreen")).HomeScreen,
	},
	{
		path: "account",
		title: () => t("account"),
		icon: "person",
		load: async () => (await import("./account/accountscreen")).AccountScreen,
	},
];
