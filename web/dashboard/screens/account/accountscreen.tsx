import { SelectField } from "../../../kit/field";
import { PageHeader, Skeleton } from "../../../kit/layout";
import { Segments } from "../../../kit/switch";
import type { ScreenProps } from "../../app/screen";
import { languageChoice, type ThemeChoice, themeChoice } from "../../app/preferences";
import { Heading } from "../../shell/heading";
import { locales } from "../../words/language";
import { t } from "../../words/words";
import { OwnAccess } from "../access/ownaccess";
import { OwnFeeds } from "../feeds/ownfeeds";
import { CopyId } from "../home/copyid";
import { w as home } from "../home/words";
import { w } from "./words";
import { OwnData } from "./owndata";
import { Person } from "./person";
import { SignOut } from "./signout";

const themes: readonly (readonly [ThemeChoice, "themeSystem" | "themeLight" | "themeDark"])[] = [
	["system", "themeSystem"],
	["light", "themeLight"],
	["dark", "themeDark"],
];

/** The person's own page. Theme and language are stored in this browser, everything else on the server. */
export function AccountScreen({ app }: ScreenProps) {
	const { value, failed } = app.data.account;
	const waiting = value.value === undefined && failed.value === undefined;
	const offered = locales.filter(({ name }) => name !== undefined);
	if (waiting) {
		return ( // all sections at once, so that none moves away
			<>
				<PageHeader heading={<Heading title={t("account")} />} />
				<Skeleton rows={6} />
			</>
		);
	}
	return (
		<>
			<PageHeader heading={<Heading title={t("account")} />} />
			<div class="host-settings">
				<Person app={app} />
				<section>
					<div>
						<h2>{home("yourId")}</h2>
						<p class="d-muted">{w("yourIdHelp")}</p>
					</div>
					<CopyId app={app} />
				</section>
				<section>
					<h2>{w("appearance")}</h2>
					<div>
						<Segments
							name="theme"
							label={w("appearance")}
							chosen={themeChoice.value}
							segments={themes.map(([id, words]) => ({ id, label: w(words) }))}
							onChoose={(choice) => (themeChoice.value = choice)}
						/>
					</div>
				</section>
				<section>
					<h2>{w("language")}</h2>
					<SelectField
						label={w("language")}
						hideLabel
						value={languageChoice.value}
						onInput={(tag) => (languageChoice.value = tag)}
						options={[
							{ value: "", label: w("languageSystem") },
							...offered.map(({ tag, name = tag }) => ({ value: tag, label: name, lang: tag })),
						]}
					/>
				</section>
				<OwnAccess app={app} />
				<OwnFeeds app={app} />
				<OwnData app={app} />
				<SignOut app={app} />
			</div>
		</>
	);
}
