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
		<section class="host-house-preview">
			<h2>{w("preview")}</h2>
			{(["light", "dark"] as const).map((theme) => (
				<div key={theme} class="d-card d-themed" data-theme={theme} data-accent={accent} aria-hidden="true">
					<span class="host-thing">
						<Mark />
						<bdi>{name ?? t("dashboard")}</bdi>
					</span>
					<p class="host-here">{t("house")}</p>
					<span class="d-button d-primary">{w("aButton")}</span>
				</div>
			))}
		</section>
	);
}
