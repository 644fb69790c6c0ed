import { Mark } from "../../../kit/icons";
import type { House } from "../../data/platform";
import { t } from "../../words/words";
import { w } from "./words";

/**
 * The typed values as they will look in the light and the dark theme. It is only a picture, and nothing in it
 * is interactive.
 */
export function Preview({ name, accent }: Pick<House, "name" | "accent">) {
	return (
		<section class="house-preview">
			<h2>{w("preview")}</h2>
			{(["light", "dark"] as const).map((theme) => (
				<div key={theme} class="card" data-theme={theme} data-accent={accent} aria-hidden="true">
					<span class="thing">
						<Mark />
						<bdi>{name ?? t("dashboard")}</bdi>
					</span>
					<p class="here">{t("house")}</p>
					<span class="button primary">{w("save")}</span>
				</div>
			))}
		</section>
	);
}
