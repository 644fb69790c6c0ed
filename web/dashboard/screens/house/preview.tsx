import { Mark } from "../../../kit/icons";
import type { House } from "../../data/platform";
import { t } from "../../words/words";
import { w } from "./words";

/** What is typed, as it will look by day and by night. It is a picture: nothing in it can be used. */
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
