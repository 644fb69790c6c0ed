import { Button } from "../../../kit/button";
import { SelectField } from "../../../kit/field";
import { PageHeader } from "../../../kit/layout";
import { Segments } from "../../../kit/switch";
import type { App } from "../../app/app";
import { languageChoice, type ThemeChoice, themeChoice } from "../../app/preferences";
import { Heading } from "../../shell/heading";
import { locales } from "../../words/language";
import { t } from "../../words/words";
import { CopyId } from "./copyid";

const themes: readonly (readonly [ThemeChoice, "themeSystem" | "themeLight" | "themeDark"])[] = [
	["system", "themeSystem"],
	["light", "themeLight"],
	["dark", "themeDark"],
];

/** The person's own page. Appearance and language are kept in this browser, everything else on the server. */
export function AccountScreen({ app, userId }: { readonly app: App; readonly userId: string }) {
	const offered = locales.filter(({ name }) => name !== undefined);
	return (
		<>
			<PageHeader heading={<Heading title={t("account")} />} />
			<div class="settings">
				<section>
					<div>
						<h2>{t("yourId")}</h2>
						<p class="muted">{t("yourIdHelp")}</p>
					</div>
					<CopyId app={app} userId={userId} />
				</section>
				<section>
					<h2>{t("appearance")}</h2>
					<div>
						<Segments
							name="theme"
							label={t("appearance")}
							chosen={themeChoice.value}
							segments={themes.map(([id, words]) => ({ id, label: t(words) }))}
							onChoose={(choice) => (themeChoice.value = choice)}
						/>
					</div>
				</section>
				<section>
					<h2>{t("language")}</h2>
					<SelectField
						label={t("language")}
						hideLabel
						value={languageChoice.value}
						onInput={(tag) => (languageChoice.value = tag)}
						options={[
							{ value: "", label: t("languageSystem") },
							...offered.map(({ tag, name = tag }) => ({ value: tag, label: name, lang: tag })),
						]}
					/>
				</section>
				<section>
					<div>
						<h2>{t("signOut")}</h2>
						<p class="muted">{t("signOutHelp")}</p>
					</div>
					<div>
						<Button icon="signOut" onPress={() => app.signOut()}>
							{t("signOut")}
						</Button>
					</div>
				</section>
			</div>
		</>
	);
}
